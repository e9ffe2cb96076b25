"""The SQLite shell on a store: WALs of killed processes, maintenance, and changed rows."""

import json
import os
import select
import signal
import subprocess
from contextlib import contextmanager
from itertools import count

from interop import Store, check, check_equal, eventually, fresh_store, say
from sqlite_store import (
    ChangingLists, check_takes_a_commit, check_whole, history, running, shell)

COMMITS_BESIDE_CHECKPOINTS = 60


def filled(store):
    """Lists with a history; one of them exceeds a pipe, so a reader can be blocked."""
    lists = ChangingLists(store, "parks", "movies")
    lists.commit("large", [lists.new_item(text="x" * 200) for _ in range(2000)])
    for _ in range(20):
        lists.change()
    store.listsync("tag", "parks", "spring", "1")
    lists.check_no_failure("before any shell")
    return lists


def log_of(store):
    return store.file.with_name(store.file.name + "-wal")


@contextmanager
def held_reader(store):
    """A `listsync` that writes a bundle of the large list into a full pipe."""
    with running(store.command("bundle", "create", "large", "--to", 1, "-o", "-"),
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        readable, _, _ = select.select([process.stdout], [], [], 20)
        check(readable, "bundle create: expected a first byte within 20 s")
        yield process


@contextmanager
def held_writer(store, bundle):
    """A `listsync` that was stopped in its transaction."""
    with running(store.command("bundle", "apply", bundle),
                 stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:

        numbers = count()

        def is_writing():
            process.send_signal(signal.SIGSTOP)
            # An edit that changes nothing waits for no writer.
            item = json.dumps({"id": "busy", "number": next(numbers)})
            done = subprocess.run(
                store.command("edit", "parks", "--put", "-"), input=item.encode(),
                env=os.environ | {"LISTSYNC_WAIT": "0"}, capture_output=True, timeout=60)
            if done.returncode == 7:
                return True
            process.send_signal(signal.SIGCONT)
            check(process.poll() is None, "the writer ended before it was stopped")
            return False

        eventually("a writer keeps others out", is_writing)
        yield process


def log_of_killed_processes():
    with fresh_store() as store:
        lists = filled(store)
        other = Store(store.folder, "other.db")
        other.commit("imported", [lists.new_item(text="y" * 500) for _ in range(20_000)])
        bundle = store.folder / "imported.bundle"
        other.listsync("bundle", "create", "imported", "-o", bundle)
        with held_reader(store) as reader:
            for _ in range(20):
                lists.change()
            with held_writer(store, bundle) as writer:
                expected = history(store)
                writer.kill()
                reader.kill()
        lists.check_no_failure("beside a reader and a writer")
        log = log_of(store)
        size = log.stat().st_size if log.exists() else 0
        check(size > 0, "after SIGKILL: expected a write-ahead log with commits, got none")
        answer = shell(store.file, "PRAGMA wal_checkpoint")
        busy, frames, copied = map(int, answer.split("|"))
        check_equal((busy, copied), (0, frames), f"PRAGMA wal_checkpoint ({answer.strip()})")
        check(frames > 0, f"PRAGMA wal_checkpoint: expected pages of the log, got {answer!r}")
        check(not log.exists(), "the shell closed the store last: expected no log, got one")
        check_whole(store, expected, "after the shell's checkpoint")
        check_takes_a_commit(store, "after the shell's checkpoint")
        say(f"a reader and a writer killed: a log of {size} bytes was left; "
            f"the shell copied {copied} of {frames} pages, and closed last")


def maintenance():
    with fresh_store() as store:
        filled(store)
        expected = history(store)
        for command, answer in [
            ("PRAGMA integrity_check", "ok\n"), ("PRAGMA foreign_key_check", ""), ("ANALYZE", ""),
            ("REINDEX", ""), ("VACUUM", ""),
        ]:
            check_equal(shell(store.file, command), answer, f"sqlite3 {command!r}")
            check_whole(store, expected, f"after {command}")
        check_takes_a_commit(store, "after the shell's maintenance")
        say("integrity_check, foreign_key_check, ANALYZE, REINDEX and VACUUM by the shell: "
            "verify --deep is clean after each")


def vacuum_beside_a_reader():
    with fresh_store() as store:
        filled(store)
        expected = history(store)
        bundle = store.listsync("bundle", "create", "large", "--to", 1, "-o", "-")
        with held_reader(store) as reader:
            shell(store.file, "VACUUM")
            check(reader.poll() is None, "the reader ended before the vacuum: it was not beside it")
            check_whole(store, expected, "after VACUUM beside a reader")
            printed, errors = reader.communicate(timeout=60)
            check_equal(reader.returncode, 0, f"the reader's exit code ({errors.decode()})")
            check(printed == bundle, f"the reader beside VACUUM: expected the {len(bundle)} bytes "
                  f"that it prints alone, got {len(printed)} others")
        check_takes_a_commit(store, "after VACUUM beside a reader")
        say(f"VACUUM beside a reading listsync: it printed the same {len(printed)} bytes")


def checkpoints_beside_commits():
    with fresh_store() as store:
        lists = filled(store)
        start, checkpoints, vacuums = lists.commits, 0, 0
        with lists.changing():
            while lists.commits < start + COMMITS_BESIDE_CHECKPOINTS and not lists.failures:
                mode = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][checkpoints % 4]
                shell(store.file, f"PRAGMA wal_checkpoint({mode})")
                checkpoints += 1
                if checkpoints % 20 == 0:
                    shell(store.file, "ANALYZE", "VACUUM")
                    vacuums += 1
        lists.check_no_failure("beside the shell's checkpoints")
        lists.check_items(store, "beside the shell's checkpoints")
        check_whole(store, history(store), "beside the shell's checkpoints")
        say(f"{checkpoints} checkpoints and {vacuums} ANALYZE and VACUUM of the shell beside "
            f"{lists.commits - start} commits: {len(lists.failures)} failed, "
            f"the slowest took {lists.slowest:.2f} s")


def row_changes(store):
    """Each change by its name: the SQL, the SQL that undoes it, and the refused calls."""
    where = "WHERE segment_id >> 32 = (SELECT list_id FROM names WHERE name = 'parks')"
    last = f"(SELECT max(segment_id) FROM segments {where})"
    data = shell(store.file, f"SELECT hex(data) FROM segments WHERE segment_id = {last}").strip()
    changed = data[:-1] + ("0" if data[-1] != "0" else "1")
    return [
        ("another segment", f"UPDATE segments SET data = x'{changed}' WHERE segment_id = {last}",
         f"UPDATE segments SET data = x'{data}' WHERE segment_id = {last}", "parks"),
        ("a tag that was moved", "UPDATE tags SET version = version + 1",
         "UPDATE tags SET version = version - 1", "parks@spring"),
        ("a row that is gone", f"DELETE FROM segments {where}", None, "parks"),
    ]


def changed_rows():
    with fresh_store() as store:
        filled(store)
        expected = history(store)
        for what, change, undo, shown in row_changes(store):
            shell(store.file, change)
            found = json.loads(store.listsync("verify", "--json", status=6))["faults"]
            check(found, f"verify after {what}: expected faults, got none")
            store.listsync("show", shown, status=6)
            store.listsync("show", "movies")
            if undo:
                shell(store.file, undo)
                check_whole(store, expected, f"after {what} was taken back")
            say(f"{what}: verify and show {shown} end with exit code 6, other lists are shown; "
                f"verify: {found[0]['reason']}")
