#!/usr/bin/env python3
"""Commits a second through a store on one PostgreSQL server, and through one that is distributed over a cluster of a
coordinator and two workers, in turn in the same run. The floor is pgbench, which sends as many statements for each
transaction as a commit of one item does, without a server of lists. All servers share this machine."""

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


def floor_table(server, is_distributed):
    """A table with 16 rows for each list."""
    server.sql("CREATE TABLE floor (list_id bigint, number bigint, text text, PRIMARY KEY (list_id, number))")
    if is_distributed:
        server.sql("SELECT create_distributed_table('floor', 'list_id', shard_count => 8)")
    server.sql("INSERT INTO floor SELECT list, number, repeat('x', 100) FROM generate_series(0, 99) AS list, "
               "generate_series(0, 15) AS number")


def floor(server, count):
    """Transactions a second of as many clients, each with a list of its own: ten readings in three round trips, then five
    writings in one."""
    def read(numbers):
        return [f"SELECT text FROM floor WHERE list_id = :client_id AND number = {number};" for number in numbers]
    trips = [["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;", *read(range(4))], read(range(4, 7)),
             [*read(range(7, 10)), "ROLLBACK;"],
             ["BEGIN;", "SET LOCAL lock_timeout = 5000;",
              *(f"UPDATE floor SET text = text WHERE list_id = :client_id AND number = {number};"
                for number in range(10, 15)), "COMMIT;"]]
    script = "\n".join(line for trip in trips for line in ["\\startpipeline", *trip, "\\endpipeline"])
    return server.bench("-M", "prepared", "-c", str(count), "-j", "2", "-T", str(postgresql.SECONDS), script=script)[0]


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
        rows, floors = [], []
        for name, server in places.items():
            if server is not worker:
                floor_table(server, server is coordinator)
        for count in LISTS:
            found = {name: [] for name in servers}
            for number in range(ROUNDS):
                for name, server in servers.items():
                    found[name].append(rate(server.url, count, f"{name.replace(' ', '-')}-{count}-{number}"))
            medians = {name: statistics.median(rates) for name, rates in found.items()}
            ratios = [medians[name] / medians["one server"] for name in medians]
            rows.append([f"{count} lists, {count} clients"] + [f"{rate:.0f}" for rate in medians.values()]
                        + [f"{ratio:.2f} ×" for ratio in ratios[1:]])
            found = {name: [] for name in places}
            for _ in range(ROUNDS):
                for name, server in places.items():
                    found[name].append(floor(server, count))
            medians = {name: statistics.median(rates) for name, rates in found.items()}
            ratios = [medians[name] / medians["one server"] for name in medians]
            floors.append([f"{count} lists, {count} clients"] + [f"{rate:.0f}" for rate in medians.values()]
                          + [f"{ratio:.2f} ×" for ratio in ratios[1:]])
        table("Commits a second, medians of three rounds of five seconds",
              ["work", *servers, "coordinator / one server", "worker / one server"], rows)
        table("The floor: transactions a second of pgbench, with as many statements",
              ["work", *servers, "coordinator / one server", "worker / one server"], floors)


if __name__ == "__main__":
    main()
