"""Other programs copy a store in five ways, while another process keeps its WAL open."""

import shutil
import sqlite3
from contextlib import closing

from interop import Failure, Store, check, check_equal, eventually, fresh_store, say
from sqlite_store import (
    ChangingLists, check_same, check_takes_a_commit, check_whole, figures, held_open, history,
    shell)

COMMITS = 60


def by_backup(store, file):
    shell(store.file, f".backup '{file}'")


def by_vacuum_into(store, file):
    shell(store.file, f"VACUUM INTO '{file}'")


def by_connection_backup(store, file):
    with closing(sqlite3.connect(store.file)) as source, closing(sqlite3.connect(file)) as copy:
        source.backup(copy)


def by_plain_copy(store, file):
    """After a WAL checkpoint the main file has everything, until the next commit."""
    answer = shell(store.file, "PRAGMA wal_checkpoint(TRUNCATE)")
    check(answer.startswith("0|"), f"wal_checkpoint(TRUNCATE): expected 0|…, got {answer!r}")
    shutil.copyfile(store.file, file)


def by_dump(store, file):
    dump = store.folder / "store.sql"
    dump.write_text(shell(store.file, ".dump"))
    shell(file, f".read '{dump}'")


WAYS = {
    ".backup": by_backup,
    "VACUUM INTO": by_vacuum_into,
    "Python's Connection.backup": by_connection_backup,
    "a plain copy after wal_checkpoint(TRUNCATE)": by_plain_copy,
    ".dump into a new file": by_dump,
}


def fill(store):
    """Lists with tags, a pruning, and ids and texts that need escaping in SQL."""
    lists = ChangingLists(store, "parks", "movies", size=200)
    odd = ["it's", 'say "hi"', "a\nb", "part\u001fpart", "tab\tend", "日本 🏔", "');--", "back\\slash"]
    lists.commit("odd", [{"id": id, "text": f"{id}\u0000\u2028"} for id in odd])
    for _ in range(COMMITS):
        lists.change()
    store.listsync("tag", "parks", "spring", "head~3")
    store.listsync("tag", "odd", "first", "1")
    store.listsync("prune", "movies", "--keep-last", 10)
    lists.check_no_failure("before any copy")


def copies():
    with fresh_store() as store:
        fill(store)
        failures = []
        with held_open(store):
            for number, (way, make) in enumerate(WAYS.items()):
                copy = Store(store.folder, f"copy-{number}.db")
                # Its version is in the WAL, and not yet in the file.
                store.listsync("edit", "parks", "--put", "-", stdin=f'{{"id":"{number}"}}'.encode())
                expected = history(store)
                try:
                    make(store, copy.file)
                    check_whole(copy, expected, way)
                    check_takes_a_commit(copy, way)
                except Failure as failure:
                    failures.append(str(failure))
                else:
                    say(f"{way}: the copy is the store: {figures(expected)}")
            check_whole(store, expected, "the copied store")
        check(not failures, "; ".join(failures))


def copies_beside_commits():
    """A plain copy needs a store without writers; the other ways show the store at one moment."""
    with fresh_store() as store:
        lists = ChangingLists(store, "parks", "movies", size=500)
        copies = {way: Store(store.folder, f"copy-{number}.db")
                  for number, way in enumerate(WAYS) if WAYS[way] is not by_plain_copy}
        before = lists.commits
        with lists.changing():
            for way, copy in copies.items():
                WAYS[way](store, copy.file)
                passed = lists.commits
                eventually("further commits", lambda: lists.commits > passed + 5, 60)
        lists.check_no_failure("beside programs that copy")
        told = history(store)
        failures = []
        for way, copy in copies.items():
            try:
                check_is_a_moment_of(told, copy, way)
            except Failure as failure:
                failures.append(f"{way} beside commits: {failure}")
        say(f"{len(copies) - len(failures)} of {len(copies)} copies made beside "
            f"{lists.commits - before} commits are whole; {len(lists.failures)} commits failed, "
            f"the slowest took {lists.slowest:.2f} s")
        check(not failures, "; ".join(failures))


def check_is_a_moment_of(told, copy, what):
    """The copy is sound, and its versions are the first ones of its source now."""
    copied = history(copy)
    check_whole(copy, copied, what)
    check_equal(sorted(copied), sorted(told), f"{what}: names of lists")
    for name, one in copied.items():
        versions = told[name]["log"][-len(one["log"]):]
        check_same(one["log"], versions, f"{what}: the log of {name}")
