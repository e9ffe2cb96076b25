#!/usr/bin/env python3
"""A store in PostgreSQL, against PostgreSQL's own work on the same server and in the same run."""

import http.client
import json
import multiprocessing
import os
import pwd
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from events import COMMITS, Listeners
from measuring import (
    check, cursor_of, free_port, fresh_store, interleaved, milliseconds, park, put, quantile, serving, table)
from rates import fill, requests

from interop import BUILD, Server  # noqa: E402: measuring says where it is

COUNT = int(os.environ.get("ITEMS", "1000000"))
CLIENTS = int(os.environ.get("CLIENTS", "1000"))
WRITERS = 8
SECONDS = 10


class Database:
    """A fresh server on a port of 127.0.0.1, with its usual guarantees: every commit is on the disk."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.port = free_port()
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.own = {}
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self.own = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self.file = f"postgresql://store@127.0.0.1:{self.port}/postgres"

    def program(self, name, *arguments):
        subprocess.run([self.programs / name, "-D", self.folder / "data", *arguments], check=True, cwd=self.folder,
                       stdout=subprocess.DEVNULL, **self.own)

    def start(self, further=""):
        self.program("initdb", "-U", "store", "-A", "trust", "--locale=C", "-E", "UTF8")
        settings = (f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder} "
                    f"-c max_connections=200 -c shared_buffers=1GB -c max_wal_size=8GB {further}")
        self.program("pg_ctl", "-w", "-o", settings, "-l", str(self.folder / "log"), "start")

    def stop(self):
        self.program("pg_ctl", "-m", "immediate", "stop")

    def sql(self, text):
        done = subprocess.run(["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.file, "-c", text],
                              capture_output=True, text=True, cwd=self.folder)
        check(done.returncode == 0, done.stderr)
        return done.stdout.strip()

    def bench(self, *arguments, script=None):
        """The figures of pgbench: transactions a second, and the latency in seconds."""
        words = [self.programs / "pgbench", "-n", "-h", "127.0.0.1", "-p", str(self.port), "-U", "store", *arguments]
        if script:
            file = self.folder / "script.sql"
            file.write_text(script)
            words += ["-f", file]
        done = subprocess.run([*words, "postgres"], capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        return (float(re.search(r"tps = ([\d.]+)", done.stdout).group(1)),
                float(re.search(r"latency average = ([\d.]+) ms", done.stdout).group(1)) / 1000)

    def listsync(self, *arguments):
        start = time.monotonic()
        done = subprocess.run([BUILD / "listsync", *arguments, "--store", self.file], capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        return time.monotonic() - start


@contextmanager
def database():
    with tempfile.TemporaryDirectory(prefix="listsync-benchmark-") as folder:
        server = Database(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def row(work, found, floor, goal, note=""):
    ratio = found / floor
    reached = ratio <= goal if goal >= 0 else ratio >= -goal
    sign = "≤" if goal >= 0 else "≥"
    return [work, f"{sign} {abs(goal)} ×", f"{ratio:.2f} ×", "reached" if reached else "**missed**", note]


def large_list(server):
    """Rows 1 to 4: a list of a million items."""
    folder, rows = server.folder, []
    generate = [BUILD / "StoreBenchmarks", "generate", "--count", str(COUNT)]
    files = [folder / "first.json", folder / "second.json"]
    for edits, file in enumerate(files):
        subprocess.run([*generate, file, "--edits", str(edits)], check=True, stdout=subprocess.DEVNULL)
    first = server.listsync("commit", "parks", files[0])
    second = server.listsync("commit", "parks", files[1])
    # The floor: a plain row for each change, with its place and the whole item.
    copied = folder / "rows.copy"
    with open(copied, "w", encoding="utf-8") as file:
        for index, item in enumerate(json.loads(files[0].read_text())):
            content = json.dumps(item, ensure_ascii=False, separators=(",", ":")).replace("\\", "\\\\")
            file.write(f"1\t{index + 1}\t{index}\t{item['id']}\t{content}\n")
    os.chmod(copied, 0o644)
    server.sql("CREATE TABLE floor (list_id bigint, change bigint, new_index bigint, id text, content text, "
               "PRIMARY KEY (list_id, change))")
    floors = []
    for _ in range(3):
        server.sql("TRUNCATE floor")
        start = time.monotonic()
        server.sql(f"COPY floor FROM '{copied}'")
        floors.append(time.monotonic() - start)
    floor = statistics.median(floors)
    note = f"{{:.2f}} s; the floor {floor:.2f} s: COPY of a plain row for each item, with a primary key"
    rows.append(row(f"first commit of {COUNT:,} items", first, floor, 1, note.format(first)))
    rows.append(row("the same list with 100 changes", second, floor, 0.4, note.format(second)))

    item = json.loads(files[1].read_text())[COUNT // 2]["id"]
    update = server.bench("-c", "1", "-t", "200", script=(
        "UPDATE floor SET new_index = 7 WHERE list_id = 1 AND change = 7;\n"))[1]
    read = server.bench("-c", "1", "-t", "500", "-M", "prepared", script=(
        "SELECT * FROM floor WHERE list_id = 1 AND change >= 500 AND change < 600;\n"))[1]
    done = subprocess.run([BUILD / "StoreBenchmarks", "measure-database", server.file, str(item), "--version", "2"],
                          capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    found = json.loads(done.stdout)
    rows.append(row("edit of one item, in process", found["edit"], update, 6,
                    f"{milliseconds(found['edit'])}; an UPDATE of one row {milliseconds(update)}"))
    rows.append(row("delta of 100 changes, in process", found["delta"], read, 2.5,
                    f"{milliseconds(found['delta'])}; the rows by a prepared statement {milliseconds(read)}"))
    return rows


def write(url, name, results):
    """Commits to a list of its own for some seconds, one item at a time."""
    etag, count = put(f"{url}/v1/lists/{name}", [park(n) for n in range(100)]), 0
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        item = park(count % 100, edit=count)
        headers = {"If-Match": etag, "Content-Type": "application/json"}
        connection.request("PUT", f"/v1/lists/{name}/items/{item['id']}", json.dumps(item), headers)
        answer = connection.getresponse()
        body = answer.read()
        check(answer.status in (200, 201), f"{answer.status} {body[:300]!r}")
        etag, count = answer.headers["ETag"], count + 1
    results.put(count)


def rates(server, url):
    subprocess.run([server.programs / "pgbench", "-i", "-q", "-h", "127.0.0.1", "-p", str(server.port), "-U", "store",
                    "postgres"], check=True, capture_output=True)
    floor = server.bench("-N", "-c", str(WRITERS), "-T", str(SECONDS))[0]
    results = multiprocessing.Queue()
    writers = [multiprocessing.Process(target=write, args=(url, f"list-{number}", results)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    rate = sum(results.get() for _ in writers) / SECONDS
    return row(f"commits a second to {WRITERS} lists, {WRITERS} clients", rate, floor, -0.5,
               f"{rate:.0f} a second through one server; pgbench's simple update {floor:.0f}")


def events(servers):
    address = f"{servers[0].url}/v1/lists/parks-live"
    etag = put(address, [park(n) for n in range(100)])
    time.sleep(1)
    listeners = [Listeners(server.port, CLIENTS, "parks-live") for server in servers]
    delays = []
    for number in range(COMMITS):
        etag = put(address, [park(n, edit=number) for n in range(100)], etag)
        answered = time.monotonic()
        for listener in listeners:
            delays += listener.delays(cursor_of(etag), answered)
        time.sleep(0.05)
    for listener in listeners:
        listener.stop()
    median = statistics.median(delays)
    return [f"{len(servers)} servers, {CLIENTS:,} clients each: commit to event, median", "< 100 ms", milliseconds(median),
            "reached" if median < 0.1 else "**missed**",
            f"99 % {milliseconds(quantile(delays, 0.99))}; {len(delays):,} events"]


def against_file(database):
    """The rows of rates.py: a server with the database, and one with a file."""
    subjects, processes = {}, {}
    with fresh_store() as store, serving(store) as file:
        for name, server in (("file", file), ("database", database)):
            processes[name] = server.process.pid
            for row, request in requests(server.url, fill(server.url, "measured"), "measured").items():
                subjects[row, name] = request
        found = interleaved(subjects, lambda key: processes[key[1]])
    rows = []
    for row in dict.fromkeys(row for row, _ in subjects):
        file, database = found[row, "file"], found[row, "database"]
        ratio = database.median / file.median
        rows.append([row, "≥ 0.9 ×", f"{ratio:.2f} ×", "reached" if ratio >= 0.9 else "**missed**", database, file])
    table("Requests a second, against the same with a file",
          ["request", "goal", "found", "", "database", "file"], rows)


def main():
    check(shutil.which("psql"), "install PostgreSQL: bash .ci/setup postgresql")
    with database() as server:
        rows = large_list(server)
        servers = [Server(server) for _ in range(3)]
        try:
            for one in servers:
                one.start()
            rows.append(rates(server, servers[0].url))
            rows.append(events(servers))
            against_file(servers[0])
        finally:
            for one in servers:
                if one.process:
                    one.process.kill()
        table("PostgreSQL", ["work", "goal", "found", "", "figures"], rows)


if __name__ == "__main__":
    main()
