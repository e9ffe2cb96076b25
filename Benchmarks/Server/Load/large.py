#!/usr/bin/env python3
"""What other clients notice while one client sends a long list again and again.

    python3 Benchmarks/Server/Load/large.py          # make benchmark-server LOAD=large
    ITEMS=100000 SECONDS_A_ROUND=10 …                # other measures

One client PUTs a list of 1,000,000 items, each time with 100 changes. Meanwhile another one PUTs a list of 20 items and
a third one GETs one, both one request after the other. The floor is the same without the first client. While the
changes are stored, nobody else writes: so a small PUT may take that time, too. A PATCH of the changes alone shows it.
"""

import http.client
import json
import os
import threading
import time

from measuring import check, fresh_store, item, milliseconds, quantile, serving, table

ITEMS = int(os.environ.get("ITEMS", "1000000"))
SECONDS = int(os.environ.get("SECONDS_A_ROUND", "10"))
CHANGES = 100
GOAL = 3


class Client:
    """One connection that commits."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
        self.etags = {}

    def send(self, method, name, body=None):
        """Seconds until the whole answer is there, which is kept."""
        start = time.monotonic()
        etag = self.etags.get(name)
        headers = {"If-Match": etag} if etag else {"If-None-Match": "*"}
        if body:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, f"/v1/lists/{name}", body, headers if body else {})
        answer = self.connection.getresponse()
        self.answer = answer.read()
        check(answer.status in (200, 201), f"{method} {name}: {answer.status} {self.answer[:300]!r}")
        if body:
            self.etags[name] = answer.headers["ETag"]
        return time.monotonic() - start


class Worker(threading.Thread):
    """Sends requests one after the other until it is told to stop."""

    def __init__(self, send):
        super().__init__()
        self.send, self.times, self.failure = send, [], None
        self.stopping = threading.Event()

    def run(self):
        try:
            while not self.stopping.is_set():
                self.times.append(self.send(len(self.times)))
        except Exception as error:
            self.failure = error

    def stop(self):
        self.stopping.set()
        self.join()
        if self.failure:
            raise self.failure
        return self.times


def small(edit):
    return json.dumps([item(number, edit) for number in range(20)])


def large():
    """Two forms of the long list, which differ in some items."""
    rows = [json.dumps(item(number)) for number in range(ITEMS)]
    forms = [("[" + ",".join(rows) + "]").encode()]
    for place in range(CHANGES):
        number = place * (ITEMS // CHANGES)
        rows[number] = json.dumps(item(number, 1))
    return forms + [("[" + ",".join(rows) + "]").encode()]


def append(client, forms):
    """Seconds of a PATCH of the changes from the first form to the second one."""
    times = []
    for _ in range(3):
        client.send("PUT", "long", forms[0])
        if not times:
            before = client.etags["long"].strip('"')
            client.send("PUT", "long", forms[1])
            client.send("GET", f"long/delta?since={before}")
            changes = json.loads(client.answer)
            # The author of a commit knows neither the cursor of its end nor the header.
            for name in ("from", "to"):
                changes[name] = {member: changes[name][member] for member in ("count", "root")}
            client.send("PUT", "long", forms[0])
        times.append(client.send("PATCH", "long", json.dumps(changes)))
    return sorted(times)[1]


def measure(server, small_client, reader, edits):
    writer = Worker(lambda number: small_client.send("PUT", "small", small(next(edits))))
    readers = Worker(lambda number: reader.send("GET", "read"))
    writer.start()
    readers.start()
    time.sleep(SECONDS)
    return writer.stop(), readers.stop()


def main():
    forms = large()
    with fresh_store() as store, serving(store, "--max-body", str(1 << 30)) as server:
        sender, writer, reader = Client(server), Client(server), Client(server)
        first = sender.send("PUT", "long", forms[0])
        reader.etags.clear()
        reader.send("PUT", "read", small(0))
        edits = iter(range(1, 1 << 60))
        measure(server, writer, reader, edits)
        floor = measure(server, writer, reader, edits)
        alone = [sender.send("PUT", "long", forms[number % 2]) for number in range(1, 4)]
        stored = append(sender, forms)
        load = Worker(lambda number: sender.send("PUT", "long", forms[number % 2]))
        load.start()
        time.sleep(1)
        found = measure(server, writer, reader, edits)
        sent = load.stop()
    lines = []
    for name, before, after in zip(["PUT of 20 items", "GET of 20 items"], floor, found):
        for share in (0.5, 0.99):
            ratio = quantile(after, share) / quantile(before, share)
            most = GOAL * quantile(before, share) + stored
            goal = f"≤ {GOAL} × + {milliseconds(stored)}" if share == 0.99 else ""
            lines.append([
                f"{name}, {share:.0%} of the answers", goal, f"{ratio:.1f} ×",
                "" if not goal else "reached" if quantile(after, share) <= most else "**missed**",
                milliseconds(quantile(after, share)), milliseconds(quantile(before, share)),
                f"{len(after)}, {len(before)}"])
    table(f"small requests while a client PUTs {ITEMS:,} items with {CHANGES} changes "
          f"({milliseconds(sorted(sent)[len(sent) // 2])} each; alone {milliseconds(sorted(alone)[1])}; "
          f"the first one {milliseconds(first)})",
          ["request", "goal", "against without", "", "within", "without", "answers"], lines)


if __name__ == "__main__":
    main()
