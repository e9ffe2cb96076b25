"""What the scripts of this folder share: a list of 10,000 items, wrk, and figures."""

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

# The scripts of Tests/Interop start the programs; these measure them.
sys.path.append(str(Path(__file__).resolve().parents[3] / "Tests/Interop"))

from interop import (
    Failure, Store, check, free_port, fresh_store, park, processor_seconds, serving)

ITEM_COUNT = 10_000
CHANGE_COUNT = 20
VERSION_COUNT = 20
ROUNDS = int(os.environ.get("ROUNDS", "5"))
SECONDS = int(os.environ.get("SECONDS_A_ROUND", "3"))
CONNECTIONS = int(os.environ.get("CONNECTIONS", "32"))
THREADS = int(os.environ.get("THREADS", "1"))


def item(number, edit=0):
    """About 120 bytes of JSON, as an item of a list of parks has."""
    return {"id": f"park-{number:07}", "name": f"National Park of Example {number}",
            "state": "AK", "area": 1000.5 + number, "edit": edit, "visited": False}


def versions():
    """A list of 10,000 items and what follows: versions with 20 changes each, half of them updates,
    the others insertions and removals in pairs; no moves, which Kinto has no word for."""
    items = {n: item(n) for n in range(ITEM_COUNT)}
    yield list(items.values())
    fresh = ITEM_COUNT
    for version in range(1, VERSION_COUNT + 1):
        for place in range(CHANGE_COUNT // 2):
            number = sorted(items)[(version * 37 + place * 911) % len(items)]
            items[number] = item(number, edit=version)
        for place in range(CHANGE_COUNT // 4):
            del items[sorted(items)[(version * 53 + place * 1373 + 400) % len(items)]]
            items[fresh] = item(fresh)
            fresh += 1
        yield list(items.values())


@dataclass
class Rate:
    """Answers a second, and processor seconds of the server for each answer, by rounds."""
    rounds: list
    costs: list

    @property
    def median(self):
        return statistics.median(self.rounds)

    @property
    def cost(self):
        return statistics.median(self.costs)

    def __str__(self):
        return f"{self.median:,.0f} ({min(self.rounds):,.0f} to {max(self.rounds):,.0f})"


@dataclass
class Run:
    rate: float
    count: int


def wrk(url, headers=(), seconds=SECONDS, connections=CONNECTIONS, threads=THREADS):
    """Answers of one run; an answer that is an error ends the benchmark."""
    check(shutil.which("wrk"), "wrk is missing: apt-get install wrk")
    options = [part for header in headers for part in ("-H", header)]
    done = subprocess.run(
        ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "60s", *options,
         url],
        capture_output=True, check=True)
    told = done.stdout.decode()
    check("Non-2xx" not in told, f"{url} answered with errors: {told}")
    check("Socket errors" not in told, f"{url}: {told}")
    return Run(rate=float(re.search(r"Requests/sec:\s+([\d.]+)", told).group(1)),
               count=int(re.search(r"(\d+) requests in", told).group(1)))


def interleaved(rows, pid_of, rounds=ROUNDS):
    """Measures every row (an address and header fields) in turn, round after round, so that what
    disturbs one disturbs all; `pid_of` names the process that answers a row.

    The first round warms up and does not count."""
    found = {name: Rate([], []) for name in rows}
    for number in range(rounds + 1):
        for name, row in rows.items():
            before = processor_seconds(pid_of(name))
            run = wrk(*row, 1 if number == 0 else SECONDS)
            if number > 0:
                found[name].rounds.append(run.rate)
                used = processor_seconds(pid_of(name)) - before
                found[name].costs.append(used / max(run.count, 1))
    return found


@dataclass
class Got:
    status: int
    headers: dict
    body: bytes


def fetch(url, headers=(), method="GET", body=None):
    """One answer of a connection of its own, whatever its status; header names in lower case."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
    try:
        address = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, address, body, dict(h.split(": ", 1) for h in headers))
        answer = connection.getresponse()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        return Got(answer.status, fields, answer.read())
    finally:
        connection.close()


def put(url, items, etag=None):
    """Commits a list over HTTP and gives the new ETag."""
    condition = f"If-Match: {etag}" if etag else "If-None-Match: *"
    answer = fetch(url, [condition, "Content-Type: application/json"], "PUT",
                   json.dumps(items).encode())
    check(answer.status in (200, 201), f"PUT {url}: {answer.status} {answer.body[:500]!r}")
    return answer.headers["etag"]


def cursor_of(etag):
    return etag.strip('"').removesuffix("+gzip")


def memory(pid):
    """Resident bytes of a process now, and at the most so far."""
    status = Path(f"/proc/{pid}/status").read_text()
    return tuple(int(re.search(rf"{field}:\s+(\d+) kB", status).group(1)) * 1024
                 for field in ("VmRSS", "VmHWM"))


def megabytes(count):
    return f"{count / 1e6:.1f} MB"


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms"


def quantile(values, share):
    """The value below which this share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def table(title, columns, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    sys.stdout.flush()
