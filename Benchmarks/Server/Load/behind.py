#!/usr/bin/env python3
"""1,000 clients, each at another old version, that ask what changed after a commit.

    python3 Benchmarks/Server/Load/behind.py         # make benchmark-server LOAD=behind
    CLIENTS=100 ROUNDS=3 …                           # other measures

The floor is one request that reads the rows of all these versions once: what changed since the oldest of them.
"""

import os
import selectors
import socket
import statistics
import time

from measuring import (
    ITEM_COUNT, ROUNDS, check, cursor_of, fetch, fresh_store, item, megabytes, memory, milliseconds, processor_seconds, put,
    serving, table)

CLIENTS = int(os.environ.get("CLIENTS", "1000"))
CHANGES = int(os.environ.get("CHANGES", "2"))


class Clients:
    """Connections that ask at the same time."""

    def __init__(self, port, count):
        self.lines = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]

    def ask(self, targets):
        """Seconds until each has its whole answer."""
        waiting = {}
        start = time.monotonic()
        with selectors.EpollSelector() as selector:
            for line, target in zip(self.lines, targets):
                line.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                waiting[line] = b""
                selector.register(line, selectors.EVENT_READ)
            times = []
            while waiting:
                for key, _ in selector.select(60):
                    line = key.fileobj
                    waiting[line] += line.recv(1 << 20)
                    if self.is_whole(waiting[line]):
                        times.append(time.monotonic() - start)
                        selector.unregister(line)
                        del waiting[line]
        return times

    @staticmethod
    def is_whole(answer):
        head, end, body = answer.partition(b"\r\n\r\n")
        if not end:
            return False
        check(head.startswith(b"HTTP/1.1 200"), f"answered {answer[:500]!r}")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = fields.get(b"content-length")
        return len(body) >= int(length) if length else body.endswith(b"\r\n0\r\n\r\n")


def edit(items, version):
    for place in range(CHANGES):
        number = (version * 37 + place * 911) % len(items)
        items[number] = item(number, edit=version)


def main():
    with fresh_store() as store, serving(store) as server:
        address, pid = f"{server.url}/v1/lists/parks", server.process.pid
        items = [item(number) for number in range(ITEM_COUNT)]
        etag = put(address, items)
        cursors = [cursor_of(etag)]
        for version in range(1, CLIENTS):
            edit(items, version)
            etag = put(address, items, etag)
            cursors.append(cursor_of(etag))
        clients = Clients(server.port, CLIENTS)
        before, _ = memory(pid)
        requests = {
            "each since another version": lambda: cursors[:CLIENTS],
            "the same again": lambda: cursors[:CLIENTS],
            "all since the oldest version": lambda: [cursors[0]] * CLIENTS,
        }
        found = {name: ([], []) for name in ["one request since the oldest version", *requests]}

        def measure(name, ask):
            used = processor_seconds(pid)
            times = ask()
            found[name][0].append(max(times))
            found[name][1].append(processor_seconds(pid) - used)

        one = Clients(server.port, 1)
        for number in range(ROUNDS):
            for place, (name, since) in enumerate(requests.items()):
                if place != 1:
                    # A new head, for which the server has no answers yet.
                    edit(items, CLIENTS + 10 * number + place)
                    etag = put(address, items, etag)
                targets = [f"/v1/lists/parks/delta?since={cursor}" for cursor in since()]
                measure(name, lambda: clients.ask(targets))
            edit(items, CLIENTS + 10 * number + 9)
            etag = put(address, items, etag)
            measure("one request since the oldest version",
                    lambda: one.ask([f"/v1/lists/parks/delta?since={cursors[0]}"]))
        _, highest = memory(pid)
    floor = statistics.median(found["one request since the oldest version"][0])
    lines = [
        [name, milliseconds(statistics.median(times)), f"{statistics.median(times) / floor:.1f} ×",
         milliseconds(statistics.median(costs))]
        for name, (times, costs) in found.items()]
    table(f"{CLIENTS:,} clients ask after a commit to {ITEM_COUNT:,} items; {CLIENTS:,} versions of {CHANGES} changes",
          ["request", "until the last answer", "against one request", "processor time of the server"], lines)
    print(f"\nResident memory of the server: {megabytes(before)} before, {megabytes(highest)} at the most.")


if __name__ == "__main__":
    main()
