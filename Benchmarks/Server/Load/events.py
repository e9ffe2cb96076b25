#!/usr/bin/env python3
"""1,000 clients that wait for events: what they cost, and how soon each hears of a commit."""

import json
import os
import selectors
import socket
import statistics
import subprocess
import sys
import threading
import time

from measuring import (
    check, cursor_of, fetch, fresh_store, megabytes, memory, milliseconds, park,
    processor_seconds, put, quantile, serving, table)

CLIENTS = int(os.environ.get("CLIENTS", "1000"))
COMMITS = 20


def clients(port, count, name):
    """Prints a line when all have the head, and one for each cursor that all have heard of.

    One loop over all sockets that does little for each: else the time of an event would be that of
    this program."""
    heard, waiting = {}, set()
    request = (f"GET /v1/lists/{name}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
               "Accept: text/event-stream\r\n\r\n").encode()
    with selectors.EpollSelector() as selector:
        for _ in range(count):
            line = socket.create_connection(("127.0.0.1", port))
            line.sendall(request)
            line.setblocking(False)
            selector.register(line, selectors.EVENT_READ)
            waiting.add(line)
        while True:
            for key, _ in selector.select():
                line = key.fileobj
                piece, now = line.recv(65536), time.monotonic()
                if not piece:
                    sys.exit("a stream ended")
                for part in piece.split(b"\nid: ")[1:]:
                    if line in waiting:
                        waiting.discard(line)
                        if not waiting:
                            print(json.dumps({"ready": True}), flush=True)
                        continue
                    cursor = part[:part.index(b"\n")]
                    times = heard.setdefault(cursor, [])
                    times.append(now)
                    if len(times) == count:
                        del heard[cursor]
                        told = {"cursor": cursor.decode(), "times": times}
                        print(json.dumps(told), flush=True)


class Listeners:
    """The clients, in a process of their own."""

    def __init__(self, port, count, name="parks"):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--clients", str(port), str(count), name],
            stdout=subprocess.PIPE)
        told = self.next(60)
        check("ready" in told, f"not all clients got the head: {told}")

    def next(self, seconds):
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        check(line, f"the clients told nothing for {seconds} s: some never heard of a commit")
        return json.loads(line)

    def delays(self, cursor, answered):
        """Seconds from the commit's answer to each client's event."""
        told = self.next(20)
        check(told.get("cursor") == cursor, f"expected {cursor}, the clients heard {told}")
        return [when - answered for when in told["times"]]

    def stop(self):
        self.process.kill()
        self.process.wait()


def by_put(server, listeners):
    address = f"{server.url}/v1/lists/parks"
    etag, delays = fetch(address).headers["etag"], []
    for number in range(COMMITS):
        etag = put(address, [park(n, edit=number) for n in range(100)], etag)
        answered = time.monotonic()
        delays += listeners.delays(cursor_of(etag), answered)
        time.sleep(0.05)
    return delays


def by_another_process(store, listeners):
    delays = []
    for number in range(COMMITS):
        cursor = store.commit("parks", [park(n, other=number) for n in range(100)])
        delays += listeners.delays(cursor, time.monotonic())
        time.sleep(0.05)
    return delays


def shown(delays, limit):
    median = statistics.median(delays)
    return [f"< {limit * 1000:.0f} ms", milliseconds(median),
            "reached" if median < limit else "**missed**",
            f"99 % {milliseconds(quantile(delays, 0.99))}, latest {milliseconds(max(delays))}; "
            f"{len(delays):,} events"]


def main():
    with fresh_store() as store, serving(store) as server:
        store.commit("parks", [park(n) for n in range(100)])
        fetch(f"{server.url}/v1/lists/parks")
        time.sleep(1)
        before, _ = memory(server.process.pid)
        listeners = Listeners(server.port, CLIENTS)
        waiting, _ = memory(server.process.pid)
        start = processor_seconds(server.process.pid)
        put_delays = by_put(server, listeners)
        other_delays = by_another_process(store, listeners)
        after, highest = memory(server.process.pid)
        processor = processor_seconds(server.process.pid)
        time.sleep(5)
        idle = processor_seconds(server.process.pid) - processor
        cost = (processor - start) / len(put_delays + other_delays)
        listeners.stop()
        time.sleep(2)
        gone, _ = memory(server.process.pid)
    more = max(waiting, after) - before
    table(f"{CLIENTS:,} clients that wait for events", ["", "goal", "measured", "", ""], [
        ["resident memory more than before", "< 100 MB", megabytes(more),
         "reached" if more < 100e6 else "**missed**",
         f"{megabytes(before)} before, {megabytes(waiting)} with all waiting, {megabytes(after)} "
         f"after {2 * COMMITS} commits, {megabytes(highest)} at the most, {megabytes(gone)} when "
         "they had gone"],
        ["commits by PUT: from its answer to each client's event", *shown(put_delays, 0.1)],
        ["commits by another process: from its end to each client's event",
         *shown(other_delays, 0.1)],
        ["processor time of the server for an event", "", f"{cost * 1e6:.0f} µs", "", ""],
        ["processor time of the server while nothing happens", "", f"{idle / 5:.1%} of a core",
         "", ""],
    ])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--clients"]:
        clients(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main()
