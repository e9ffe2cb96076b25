#!/usr/bin/env python3
"""Commits a second through a store on one PostgreSQL server, and through one that is distributed over a cluster of a
coordinator and two workers, in turn in the same run. All servers share this machine."""

import multiprocessing
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import postgresql
from measuring import check, table
from postgresql import Database

from interop import BUILD, Server  # noqa: E402: measuring says where it is

LISTS = (1, 8, 50)
ROUNDS = 3
postgresql.SECONDS = 5
SETTINGS = ("-c shared_preload_libraries=citus -c max_prepared_transactions=200 -c max_worker_processes=40 "
            "-c citus.node_conninfo=sslmode=disable -c citus.local_hostname=127.0.0.1 -c wal_level=logical")


def cluster(servers):
    """Distributes the store of the first server over the others."""
    for server in servers:
        server.sql("CREATE EXTENSION citus")
    first = servers[0]
    first.sql(f"SELECT citus_set_coordinator_host('127.0.0.1', {first.port})")
    for worker in servers[1:]:
        first.sql(f"SELECT citus_add_node('127.0.0.1', {worker.port})")
    done = subprocess.run([BUILD / "listsync", "store", "distribute", "--store", first.file], capture_output=True,
                          text=True)
    check(done.returncode == 0, done.stderr)
    print(done.stdout.strip())


def rate(url, count, name):
    """Commits a second of as many clients as lists, each to a list of its own."""
    results = multiprocessing.Queue()
    writers = [multiprocessing.Process(target=postgresql.write, args=(url, f"{name}-{number}", results))
               for number in range(count)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return sum(results.get() for _ in writers) / postgresql.SECONDS


def main():
    if not list(Path("/usr/share/postgresql").glob("*/extension/citus.control")):
        sys.exit("citus.py: PostgreSQL has no extension Citus here, so nothing was measured")
    with ExitStack() as stack:
        databases = []
        for number in range(4):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="listsync-benchmark-"))
            databases.append(Database(folder))
            databases[-1].start(SETTINGS if number else "")
            stack.callback(databases[-1].stop)
        plain, coordinator, worker = databases[:3]
        cluster(databases[1:])
        places = {"one server": plain, "through the coordinator": coordinator, "through a worker": worker}
        servers = {name: Server(database) for name, database in places.items()}
        for server in servers.values():
            server.start()
            stack.callback(server.process.kill)
        rows = []
        for count in LISTS:
            found = {name: [] for name in servers}
            for number in range(ROUNDS):
                for name, server in servers.items():
                    found[name].append(rate(server.url, count, f"{name.replace(' ', '-')}-{count}-{number}"))
            medians = {name: statistics.median(rates) for name, rates in found.items()}
            ratios = [medians[name] / medians["one server"] for name in medians]
            rows.append([f"{count} lists, {count} clients"] + [f"{rate:.0f}" for rate in medians.values()]
                        + [f"{ratio:.2f} ×" for ratio in ratios[1:]])
        table("Commits a second, medians of three rounds of five seconds",
              ["work", *servers, "coordinator / one server", "worker / one server"], rows)


if __name__ == "__main__":
    main()
