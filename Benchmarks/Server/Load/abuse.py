#!/usr/bin/env python3
"""Clients that behave badly, one kind after the other, while a poller measures how long its own
requests take: nobody else may be disturbed, memory stays bounded, the stalled are closed."""

import json
import resource
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager

from measuring import (
    Failure, check, cursor_of, fetch, fresh_store, megabytes, memory, milliseconds, park, put,
    quantile, serving, table)

PAUSE = 0.003
QUIET_SECONDS = 5
# No limit of the server on a connection that does nothing is longer.
LONGEST_STALL = 100


# The poller, a process of its own.

def poll(port, cursor):
    """Polls until its input ends; for each line of it, tells the latencies since the one before."""
    request = (f"GET /v1/lists/parks/delta?since={cursor}&fallback=snapshot HTTP/1.1\r\n"
               f'Host: 127.0.0.1\r\nIf-None-Match: "{cursor}"\r\n\r\n').encode()
    latencies, errors, line, number = [], [], None, 0
    while True:
        start = time.perf_counter()
        try:
            # Every tenth request is one of a new client.
            if line is None or number % 10 == 0:
                line = socket.create_connection(("127.0.0.1", port), timeout=30)
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.sendall(request)
            answer = b""
            while b"\r\n\r\n" not in answer:
                piece = line.recv(4096)
                if not piece:
                    raise OSError("closed")
                answer += piece
            if not answer.startswith(b"HTTP/1.1 304"):
                raise OSError(answer[:60].decode(errors="replace"))
            latencies.append(time.perf_counter() - start)
        except OSError as error:
            errors.append(str(error))
            line = None
        number += 1
        if select.select([sys.stdin], [], [], PAUSE)[0]:
            if not sys.stdin.readline():
                return
            print(json.dumps({"latencies": latencies, "errors": errors}), flush=True)
            latencies, errors = [], []


class Poller:
    def __init__(self, server, cursor):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--poller", str(server.port), cursor],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def latencies(self):
        """Seconds of each request since the last call."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        told = json.loads(self.process.stdout.readline())
        errors = told["errors"]
        check(not errors, f"the poller got {len(errors)} errors: {errors[:3]}")
        return told["latencies"]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


# The kinds of abuse. Each returns what it saw, in a few words.

def connect(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=60)


def status_of(line):
    """The status of an answer; 0 where the connection was closed without one."""
    answer = b""
    try:
        while b"\r\n" not in answer:
            piece = line.recv(4096)
            if not piece:
                return 0
            answer += piece
    except OSError:
        return 0
    return int(answer.split(b" ")[1])


def upload(server, pieces, framing):
    """Sends a body as far as the server takes it; gives the status and how much was sent."""
    with connect(server) as line:
        line.sendall((f"PUT /v1/lists/bulk HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: *\r\n"
                      f"Content-Type: application/json\r\n{framing}\r\n\r\n").encode())
        sent = 0
        try:
            for piece in pieces:
                line.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        return status_of(line), sent


def upload_100_mb(server):
    piece = b" " * (1 << 20)
    status, sent = upload(server, (piece for _ in range(100)), f"Content-Length: {100 << 20}")
    check(status in (413, 0), f"an upload of 100 MB: {status}")
    return f"{'413' if status else 'closed'} after {megabytes(sent)}"


def upload_100_mb_in_chunks(server):
    chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    status, sent = upload(server, (chunk for _ in range(100)), "Transfer-Encoding: chunked")
    check(status in (413, 0), f"an upload of 100 MB in chunks: {status}")
    return f"{'413' if status else 'closed'} after {megabytes(sent)}"


def upload_without_end(server):
    """Goes on sending after it was refused, for as long as the server lets it."""
    chunk, end = b"100000\r\n" + b" " * (1 << 20) + b"\r\n", time.monotonic() + LONGEST_STALL
    start = time.monotonic()

    def pieces():
        while time.monotonic() < end:
            yield chunk
    _, sent = upload(server, pieces(), "Transfer-Encoding: chunked")
    seconds = time.monotonic() - start
    check(seconds < LONGEST_STALL, f"the server took {megabytes(sent)} and would take more")
    return f"closed after {megabytes(sent)}, {seconds:.1f} s"


def upload_that_is_taken(server):
    text = "x" * 900
    body = json.dumps([park(n, text=text) for n in range(50_000)]).encode()
    start = time.monotonic()
    status, _ = upload(server, [body], f"Content-Length: {len(body)}")
    check(status == 201, f"an upload of {megabytes(len(body))}: {status}")
    return f"{megabytes(len(body))}, 50,000 items: 201 after {time.monotonic() - start:.1f} s"


def closed_after(lines, act=lambda line: None):
    """Seconds until the server has closed each connection; `act` is done to the open ones."""
    start, open_lines, times = time.monotonic(), set(lines), []
    while open_lines:
        check(time.monotonic() - start < LONGEST_STALL,
              f"{len(open_lines)} of {len(lines)} connections are open after {LONGEST_STALL} s")
        for line in list(open_lines):
            try:
                act(line)
                line.setblocking(False)
                while line.recv(4096):
                    pass
                gone = True
            except BlockingIOError:
                gone = False
            except OSError:
                gone = True
            if gone:
                open_lines.discard(line)
                times.append(time.monotonic() - start)
        time.sleep(1)
    return f"{len(lines)} closed after {min(times):.0f} to {max(times):.0f} s"


@contextmanager
def connections(server, count):
    with ExitStack() as stack:
        yield [stack.enter_context(connect(server)) for _ in range(count)]


def stalled_sockets(server):
    with connections(server, 200) as lines:
        return closed_after(lines)


def half_requests(server):
    with connections(server, 200) as lines:
        for line in lines:
            line.sendall(b"GET /v1/lists HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half:")
        return closed_after(lines)


def one_byte_every_second(server):
    with connections(server, 50) as lines:
        for line in lines:
            line.sendall(b"GET /v1/lists HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        return closed_after(lines, act=lambda line: line.send(b"x"))


def half_a_body(server):
    with connections(server, 50) as lines:
        for line in lines:
            line.sendall(b"PUT /v1/lists/half HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: *\r\n"
                         b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n[")
        return closed_after(lines)


def readers_that_never_read(server):
    """Each asks for the 50 MB list and reads nothing."""
    with ExitStack() as stack:
        for _ in range(10):
            line = socket.socket()
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stack.enter_context(line).connect(("127.0.0.1", server.port))
            line.sendall(b"GET /v1/lists/bulk HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(10)
        held, _ = memory(server.process.pid)
    time.sleep(2)
    gone, _ = memory(server.process.pid)
    return f"10 for 10 s: {megabytes(held)} resident, {megabytes(gone)} after they had gone"


def readers_of_many_versions(server):
    """The same, each of a version of its own: nothing can be shared."""
    for edit in range(30):
        server.store.listsync("edit", "bulk", "--put", "-",
                              stdin=json.dumps(park(0, edit=edit)).encode())
    with ExitStack() as stack:
        lines = []
        for version in range(1, 31):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect(("127.0.0.1", server.port))
            line.sendall(f"GET /v1/lists/bulk/versions/{version} HTTP/1.1\r\n"
                         "Host: 127.0.0.1\r\n\r\n".encode())
            lines.append(line)
        time.sleep(15)
        held, _ = memory(server.process.pid)
        statuses = sorted(status_of(line) for line in lines)
    return f"30 for 15 s: {megabytes(held)} resident; " + ", ".join(
        f"{statuses.count(status)} × {status}" for status in sorted(set(statuses)))


def pipelined_requests(server):
    count, request = 1000, b"GET /v1/lists HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with connect(server) as line:
        sender = threading.Thread(target=line.sendall, args=(request * count,))
        sender.start()
        reader, start = line.makefile("rb"), time.monotonic()
        for number in range(count):
            status = reader.readline()
            check(status.startswith(b"HTTP/1.1 200"), f"pipelined answer {number}: {status!r}")
            length = 0
            while (field := reader.readline()) != b"\r\n":
                if field.lower().startswith(b"content-length:"):
                    length = int(field.split(b":")[1])
            reader.read(length)
        sender.join()
    return f"{count} answers on one connection in {time.monotonic() - start:.2f} s"


def connections_at_once(server):
    request = b"GET /v1/lists HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    statuses, start = {}, time.monotonic()
    with connections(server, 2000) as lines:
        for line in lines:
            line.sendall(request)
        for line in lines:
            status = status_of(line)
            statuses[status] = statuses.get(status, 0) + 1
        seconds = time.monotonic() - start
        time.sleep(2)
    check(set(statuses) <= {200, 503}, f"2,000 connections at once: {statuses}")
    return f"{statuses} in {seconds:.1f} s"


ABUSES = {
    "upload of 100 MB": upload_100_mb,
    "the same in chunks": upload_100_mb_in_chunks,
    "upload without end": upload_without_end,
    "upload of 50 MB that is taken": upload_that_is_taken,
    "200 sockets that send nothing": stalled_sockets,
    "200 half requests": half_requests,
    "50 requests of one byte every second": one_byte_every_second,
    "50 bodies of which one byte comes": half_a_body,
    "10 readers that never read a 50 MB answer": readers_that_never_read,
    "30 readers that never read 50 MB of a version each": readers_of_many_versions,
    "1,000 pipelined requests": pipelined_requests,
    "2,000 connections at once": connections_at_once,
}


def measured(poller, server, work):
    """The poller's latencies while the work goes on, what the work said, and the highest memory."""
    poller.latencies()
    highest, going = memory(server.process.pid)[0], True

    def watch():
        nonlocal highest
        while going:
            highest = max(highest, memory(server.process.pid)[0])
            time.sleep(0.05)
    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        said = work()
    finally:
        going = False
        watcher.join()
    return poller.latencies(), said, highest


def latency_cells(latencies):
    if not latencies:
        return ["-", "-", "-", 0]
    return [milliseconds(quantile(latencies, 0.5)), milliseconds(quantile(latencies, 0.99)),
            milliseconds(max(latencies)), f"{len(latencies):,}"]


def main():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    chosen = sys.argv[1:]
    rows, quiet = [], []
    with fresh_store() as store, serving(store, "--idle-timeout", "10") as server:
        cursor = cursor_of(put(f"{server.url}/v1/lists/parks", [park(n) for n in range(100)]))
        poller = Poller(server, cursor)
        for name, abuse in ABUSES.items():
            if chosen and not any(part in name for part in chosen):
                continue
            latencies, _, _ = measured(poller, server, lambda: time.sleep(QUIET_SECONDS))
            quiet += latencies
            try:
                latencies, said, highest = measured(poller, server, lambda: abuse(server))
            except Failure as failure:
                latencies, said, highest = poller.latencies(), f"**{failure}**", 0
            rows.append([name, *latency_cells(latencies), megabytes(highest), said])
        poller.stop()
        _, most = memory(server.process.pid)
    table("A poller's own requests while others behave badly",
          ["meanwhile", "median", "99 %", "longest", "requests", "resident memory",
           "what came of it"],
          [["nothing", *latency_cells(quiet), "", f"{megabytes(most)} at the most in all"], *rows])


if __name__ == "__main__":
    if sys.argv[1:2] == ["--poller"]:
        poll(int(sys.argv[2]), sys.argv[3])
    else:
        main()
