#!/usr/bin/env python3
"""What a PUT to one list costs in stores with 10 to 100,000 lists: the server reads the heads that
changed, so the number of lists must not count.

    python3 Benchmarks/Server/Load/lists.py          # make benchmark-server LOAD=lists
    LISTS=10,10000 ROUNDS=9 …                        # other measures
"""

import http.client
import json
import os
import shutil
import statistics
import time
from contextlib import ExitStack

from measuring import (
    ROUNDS, Rate, Store, check, fresh_store, milliseconds, park, processor_seconds, serving, table)

COUNTS = [int(number) for number in os.environ.get("LISTS", "10,2000,10000,100000").split(",")]
MEASURED = "list000000"
PUTS = 100
GOALS = {10_000: 1.2, 100_000: 1.5}


class Writer:
    """One connection that commits."""

    def __init__(self, server, **etags):
        self.server, self.etags = server, etags
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)

    def put(self, name, items):
        etag = self.etags.get(name)
        headers = {"If-Match": etag} if etag else {"If-None-Match": "*"}
        self.connection.request("PUT", f"/v1/lists/{name}", json.dumps(items), headers)
        answer = self.connection.getresponse()
        body = answer.read()
        check(answer.status in (200, 201), f"PUT {name}: {answer.status} {body[:300]!r}")
        self.etags[name] = answer.headers["ETag"]

    def round(self, number):
        """Seconds of the median PUT, and processor seconds of the server for each."""
        pid, times = self.server.process.pid, []
        before = processor_seconds(pid)
        for edit in range(PUTS):
            start = time.monotonic()
            self.put(MEASURED, [park(n, edit=number * PUTS + edit) for n in range(20)])
            times.append(time.monotonic() - start)
        return statistics.median(times), (processor_seconds(pid) - before) / PUTS


def stores(growing):
    """A store for each number of lists: copies of a growing one."""
    for before, count in zip([0, *COUNTS], COUNTS):
        with serving(growing) as server:
            writer = Writer(server)
            for number in range(before, count):
                writer.put(f"list{number:06}", [])
        # The server has ended, so the file has everything.
        store = Store(growing.folder, f"{count}.db")
        shutil.copy(growing.file, store.file)
        yield count, store


def main():
    with ExitStack() as stack:
        writers = {
            count: Writer(stack.enter_context(serving(store)), **{MEASURED: "*"})
            for count, store in stores(stack.enter_context(fresh_store()))}
        found = {count: Rate([], []) for count in COUNTS}
        for number in range(ROUNDS + 1):
            for count, writer in writers.items():
                seconds, cost = writer.round(number)
                if number > 0:
                    found[count].rounds.append(seconds)
                    found[count].costs.append(cost)
    first, lines = found[COUNTS[0]], []
    for count, rate in found.items():
        ratios = [a / b for a, b in zip(rate.rounds, first.rounds)]
        ratio, goal = rate.median / first.median, GOALS.get(count)
        lines.append([f"{count:,}", f"≤ {goal} ×" if goal else "",
                      f"{ratio:.2f} × ({min(ratios):.2f} to {max(ratios):.2f})",
                      "" if not goal else "reached" if ratio <= goal else "**missed**",
                      f"{rate.cost / first.cost:.2f} ×", milliseconds(rate.median)])
    table(f"PUT to one list of 20 items, {PUTS} in each of {ROUNDS} rounds",
          ["lists in the store", "goal", f"time against {COUNTS[0]} lists", "",
           "processor time of the server", "median"], lines)


if __name__ == "__main__":
    main()
