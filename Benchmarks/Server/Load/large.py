#!/usr/bin/env python3
"""What other clients notice while one client sends a long list again and again.

    python3 Benchmarks/Server/Load/large.py          # make benchmark-server LOAD=large
    ITEMS=100000 SECONDS_A_ROUND=10 …                # other measures

One client PUTs a list of 1,000,000 items, each time with 100 changes. Meanwhile another one PUTs a list of 20 items and
a third one GETs one, both one request after the other. The floor is the same without the first client.
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
        """Seconds until the whole answer is there."""
        start = time.monotonic()
        etag = self.etags.get(name)
        headers = {"If-Match": etag} if etag else {"If-None-Match": "*"}
        self.connection.request(method, f"/v1/lists/{name}", body, headers if method == "PUT" else {})
        answer = self.connection.getresponse()
        text = answer.read()
        check(answer.status in (200, 201), f"{method} {name}: {answer.status} {text[:300]!r}")
        if method == "PUT":
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
        load = Worker(lambda number: sender.send("PUT", "long", forms[number % 2]))
        load.start()
        time.sleep(1)
        found = measure(server, writer, reader, edits)
        sent = load.stop()
    lines = []
    for name, before, after in zip(["PUT of 20 items", "GET of 20 items"], floor, found):
        for share in (0.5, 0.99):
            ratio = quantile(after, share) / quantile(before, share)
            goal = f"≤ {GOAL} ×" if share == 0.99 else ""
            lines.append([
                f"{name}, {share:.0%} of the answers", goal, f"{ratio:.1f} ×",
                "" if not goal else "reached" if ratio <= GOAL else "**missed**",
                milliseconds(quantile(after, share)), milliseconds(quantile(before, share)),
                f"{len(after)}, {len(before)}"])
    table(f"small requests while a client PUTs {ITEMS:,} items with {CHANGES} changes "
          f"({milliseconds(sorted(sent)[len(sent) // 2])} each; alone {milliseconds(sorted(alone)[1])}; "
          f"the first one {milliseconds(first)})",
          ["request", "goal", "against without", "", "within", "without", "answers"], lines)


if __name__ == "__main__":
    main()
