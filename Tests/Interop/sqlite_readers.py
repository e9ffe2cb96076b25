"""sqlite-utils and Datasette serve a store, at rest and during commits."""

import json
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from interop import Failure, check, check_equal, eventually, fresh_store, free_port, say
from sqlite_store import ChangingLists, check_whole, history, running

PROGRAMS = Path(sys.executable).parent
LIVE_SECONDS = 12
ROWS_BY_LIST = ("SELECT name AS list, count(*) AS n FROM versions JOIN names USING (list_id) "
                "GROUP BY name ORDER BY name")


def rows_by_list(told):
    """The number of rows of each list in `versions`."""
    return {name: len(one["log"]) for name, one in told.items()}


def numbers(rows):
    """The keys in rows of `versions`, and the numbers of items."""
    return sorted((row["version_id"], row["item_count"]) for row in rows)


def sqlite_utils(*arguments):
    done = subprocess.run([PROGRAMS / "sqlite-utils", *arguments], capture_output=True, timeout=60)
    check(done.returncode == 0, f"sqlite-utils {arguments[0]}: {done.stderr.decode()}")
    return json.loads(done.stdout)


class Datasette:
    """`datasette` on a store, on a free port of 127.0.0.1."""

    def __init__(self, port):
        self.url = f"http://127.0.0.1:{port}"

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=30) as answer:
                return json.loads(answer.read())
        except OSError as error:
            raise Failure(f"Datasette: expected an answer to {path}, got {error}")

    def rows(self, view):
        """All rows of a view; Datasette runs without a row limit."""
        return self.get(f"/interop/{view}.json?_shape=array&_size=max")

    def is_ready(self):
        try:
            return bool(self.get("/-/versions.json"))
        except Failure:
            return False


@contextmanager
def datasette(store, *options):
    port = free_port()
    with open(store.folder / "datasette.log", "ab") as log, running(
        [PROGRAMS / "datasette", "serve", *options, store.file, "--port", str(port),
         "--setting", "max_returned_rows", "100000", "--setting", "sql_time_limit_ms", "20000"],
        stdin=subprocess.DEVNULL, stdout=log, stderr=log,
    ) as process:
        server = Datasette(port)
        eventually("Datasette answers", lambda: server.is_ready() or process.poll() is not None)
        check(process.poll() is None, f"Datasette ended at its start: {Path(log.name).read_text()}")
        yield server


def at_rest(store):
    rows = rows_by_list(history(store))
    total = sum(rows.values())
    own = sqlite_utils("rows", store.file, "versions")
    check_equal(len(own), total, "sqlite-utils rows: rows of versions")
    check_equal({row["list"]: row["n"] for row in sqlite_utils("query", store.file, ROWS_BY_LIST)},
                rows, "sqlite-utils query: rows of versions by list")
    with datasette(store, "-i") as server:
        check_equal(numbers(server.rows("versions")), numbers(own),
                    "Datasette -i: rows of versions")
    say(f"sqlite-utils and Datasette -i: {total} rows of versions")


def while_commits_go_on(store, lists):
    """Each answer has all commits that returned before it; the last has exactly all of them."""
    before = lists.commits
    counts = []
    end = time.monotonic() + LIVE_SECONDS
    with datasette(store) as server:
        with lists.changing():
            while time.monotonic() < end:
                returned = lists.commits
                counts.append(len(server.rows("versions")))
                check(counts[-1] >= returned, f"Datasette beside commits: expected at least "
                      f"{returned} rows of versions, which had been committed, got {counts[-1]}")
                by_list = sqlite_utils("query", store.file, ROWS_BY_LIST)
                asked = sum(row["n"] for row in by_list)
                check(asked >= counts[-1], f"sqlite-utils beside commits: expected at least the "
                      f"{counts[-1]} rows of versions that Datasette saw, got {asked}")
        lists.check_no_failure("beside Datasette and sqlite-utils")
        total = sum(rows_by_list(history(store)).values())
        check_equal(lists.commits, total, "versions that the commits made")
        check_equal(len(server.rows("versions")), total, "Datasette: rows of versions")
    check_equal(counts, sorted(counts), "the numbers of rows that Datasette saw, which grow")
    check(len(set(counts)) > 3, f"Datasette: expected changing numbers of rows, got {counts}")
    say(f"Datasette and sqlite-utils beside {lists.commits - before} commits, "
        f"{len(lists.failures)} failed: {len(counts)} answers each, "
        f"from {counts[0]} to {counts[-1]} rows, {total} in the end; "
        f"the slowest commit took {lists.slowest:.2f} s")


def readers():
    with fresh_store() as store:
        lists = ChangingLists(store, "parks", "movies", "channels")
        for _ in range(30):
            lists.change()
        lists.check_no_failure("before any reader")
        at_rest(store)
        while_commits_go_on(store, lists)
        check_whole(store, history(store), "the store that was read")
