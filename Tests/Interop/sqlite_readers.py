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
ROWS_BY_LIST = "SELECT list, count(*) AS n FROM change_log GROUP BY list ORDER BY list"


def rows_by_list(told):
    """The number of rows of each list in `change_log`: one for each change of each version."""
    return {name: sum(sum(version["changes"].values()) for version in one["log"])
            for name, one in told.items()}


def head_items(lists):
    return sorted((name, item["id"], json.dumps(item, sort_keys=True))
                  for name, items in lists.items.items() for item in items)


def as_head_items(rows):
    return sorted((row["list"], row["id"], json.dumps(json.loads(row["content"]), sort_keys=True))
                  for row in rows)


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


def at_rest(store, lists):
    told = history(store)
    rows = rows_by_list(told)
    total = sum(rows.values())
    check_equal(len(sqlite_utils("rows", store.file, "change_log")), total,
                "sqlite-utils rows: rows of change_log")
    check_equal({row["list"]: row["n"] for row in sqlite_utils("query", store.file, ROWS_BY_LIST)},
                rows, "sqlite-utils query: rows of change_log by list")
    check_equal(as_head_items(sqlite_utils("rows", store.file, "head_items")), head_items(lists),
                "sqlite-utils rows: head_items")
    say(f"sqlite-utils: {total} rows of change_log, {len(head_items(lists))} head items")
    with datasette(store, "-i") as server:
        check_equal(len(server.rows("change_log")), total, "Datasette -i: rows of change_log")
        check_equal(as_head_items(server.rows("head_items")), head_items(lists),
                    "Datasette -i: head_items")
    say(f"Datasette -i: {total} rows of change_log, {len(head_items(lists))} head items as JSON")


def while_commits_go_on(store, lists):
    """Each answer has all commits that returned before it; the last has exactly all of them."""
    before = lists.commits
    counts = []
    end = time.monotonic() + LIVE_SECONDS
    with datasette(store) as server:
        with lists.changing():
            while time.monotonic() < end:
                returned = lists.rows
                counts.append(len(server.rows("change_log")))
                check(counts[-1] >= returned, f"Datasette beside commits: expected at least "
                      f"{returned} rows of change_log, which had been committed, got {counts[-1]}")
                items = server.rows("head_items")
                check(items, "Datasette beside commits: expected head items, got none")
                by_list = sqlite_utils("query", store.file, ROWS_BY_LIST)
                asked = sum(row["n"] for row in by_list)
                check(asked >= counts[-1], f"sqlite-utils beside commits: expected at least the "
                      f"{counts[-1]} rows of change_log that Datasette saw, got {asked}")
        lists.check_no_failure("beside Datasette and sqlite-utils")
        total = sum(rows_by_list(history(store)).values())
        check_equal(lists.rows, total, "rows that the commits made")
        check_equal(len(server.rows("change_log")), total, "Datasette: rows of change_log")
        check_equal(as_head_items(server.rows("head_items")), head_items(lists),
                    "Datasette: head_items")
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
        at_rest(store, lists)
        while_commits_go_on(store, lists)
        check_whole(store, history(store), "the store that was read")
