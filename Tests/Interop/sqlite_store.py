"""Shared by the parts of check_sqlite.py: changing lists, a store's history, and processes."""

import json
import os
import random
import subprocess
import threading
import time
from contextlib import contextmanager

from interop import Failure, check, check_equal, park

SEED = int(os.environ.get("SEED", "1"))


class ChangingLists:
    """Lists that a seed changes by `edit` and `commit`, and their expected items."""

    def __init__(self, store, *names, size=20):
        self.store = store
        self.random = random.Random(SEED)
        self.items = {}
        self.numbers = 0
        self.commits = 0
        self.slowest = 0
        self.failures = []
        for name in names:
            self.commit(name, [self.new_item() for _ in range(size)])

    def new_item(self, **more):
        self.numbers += 1
        return park(self.numbers, **more)

    def change(self):
        """Makes one version of one list."""
        name = self.random.choice(list(self.items))
        items = list(self.items[name])
        kind = self.random.choice(["insert", "insert", "update", "update", "remove", "move"])
        if kind == "move":
            items.insert(self.random.randrange(len(items)), items.pop())
            items.append(self.new_item())
            self.commit(name, items)
        elif kind == "remove" and len(items) > 5:
            gone = items.pop(self.random.randrange(len(items)))
            self.run(name, items, "edit", name, "--remove", gone["id"])
        elif kind == "update":
            index = self.random.randrange(len(items))
            items[index] = {**items[index], "changed": self.commits}
            self.run(name, items, "edit", name, "--put", "-", stdin=items[index])
        else:
            index = self.random.randrange(len(items) + 1)
            items.insert(index, self.new_item())
            self.run(name, items, "edit", name, "--put", "-", "--to", index, stdin=items[index])

    def commit(self, name, items):
        self.run(name, items, "commit", name, "-", stdin=items)

    def run(self, name, items, *arguments, stdin=None):
        """A commit that leads to these items."""
        answer = self.attempt(*arguments, "--json", stdin=stdin)
        if answer is None:
            return
        self.items[name] = items
        self.commits += 1

    def attempt(self, *arguments, stdin=None):
        """The output of `listsync`, or None if it failed: failures are counted, not raised."""
        began = time.monotonic()
        try:
            printed = self.store.listsync(*arguments, stdin=json.dumps(stdin).encode())
        except (Failure, subprocess.TimeoutExpired) as failure:
            self.failures.append(str(failure))
            return None
        self.slowest = max(self.slowest, time.monotonic() - began)
        return printed

    def check_items(self, store, what):
        for name, items in self.items.items():
            check_equal(json.loads(store.listsync("show", name)), items, f"{what}: items of {name}")

    def check_no_failure(self, what):
        check(not self.failures, f"{what}: expected no failed call of listsync, got "
              f"{len(self.failures)}; the first: {self.failures[:1]}")

    @contextmanager
    def changing(self):
        """Commits one after the other during the block, from a thread of its own."""
        over = threading.Event()

        def work():
            while not over.is_set():
                self.change()

        thread = threading.Thread(target=work)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def history(store):
    """A store's answers about each list: kept versions with their cursors, tags, and the head."""
    return {
        entry["list"]: {
            "head": entry["head"], "oldest": entry["oldest"],
            "log": json.loads(store.listsync("log", entry["list"], "--json")),
            "tags": json.loads(store.listsync("tag", entry["list"], "--json")),
            "items": store.listsync("show", entry["list"]).splitlines(),
        }
        for entry in json.loads(store.listsync("lists", "--json"))
    }


def figures(told):
    """The number of lists, versions and tags in a history, for people."""
    return (f"{len(told)} lists, {sum(len(one['log']) for one in told.values())} versions, "
            f"{sum(len(one['tags']) for one in told.values())} tags")


def check_same(got, expected, what):
    """Compares lists entry by entry, so a failure names the first difference."""
    if isinstance(expected, list):
        for index, (one, other) in enumerate(zip(got, expected)):
            check_equal(one, other, f"{what}, entry {index}")
        check_equal(len(got), len(expected), f"{what}, number of entries")
    else:
        check_equal(got, expected, what)


def check_whole(store, expected, what):
    """`verify --deep` is clean, and the store has the same history."""
    verified = json.loads(store.listsync("verify", "--deep", "--json"))
    check_equal(verified["faults"], [], f"{what}: faults found by verify --deep")
    got = history(store)
    check_equal(sorted(got), sorted(expected), f"{what}: names of lists")
    for name, parts in expected.items():
        for part in parts:
            check_same(got[name][part], parts[part], f"{what}: the {part} of {name}")


def check_takes_a_commit(store, what):
    """Every list of the store accepts a commit on its head."""
    for name, told in history(store).items():
        answer = store.listsync("edit", name, "--put", "-", "--json", stdin=b'{"id":"one more"}')
        check_equal(json.loads(answer)["head"]["version"], told["head"]["version"] + 1,
                    f"{what}: the version that a further commit of {name} makes")


def shell(file, *commands):
    """The SQLite shell's output; it waits for other writers, and must end without an error."""
    done = subprocess.run(
        ["sqlite3", "-bail", "-cmd", ".timeout 20000", file, *commands],
        capture_output=True, timeout=120)
    check(done.returncode == 0 and not done.stderr,
          f"sqlite3 {commands}: expected no error, got exit code {done.returncode}: "
          f"{done.stderr.decode()}")
    return done.stdout.decode()


@contextmanager
def running(command, **options):
    """A process that always ends with the block."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


@contextmanager
def held_open(store):
    """A SQLite shell that keeps the store open, so its write-ahead log stays."""
    with running(["sqlite3", store.file], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"SELECT 'open' FROM lists LIMIT 1;\n")
        process.stdin.flush()
        check_equal(process.stdout.readline(), b"open\n", "the answer of the shell that stays")
        yield
