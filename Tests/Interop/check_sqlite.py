#!/usr/bin/env python3
"""Other programs read, copy, replicate and vacuum a store, which is an ordinary SQLite file.

    check_sqlite.py [STEP ...]               for example: check_sqlite.py litestream copies
"""

import sys

from interop import Failure, check, run
from sqlite_copies import copies, copies_beside_commits
from sqlite_litestream import litestream
from sqlite_readers import readers
from sqlite_shell import (
    changed_rows, checkpoints_beside_commits, log_of_killed_processes, maintenance,
    vacuum_beside_a_reader)

STEPS = [litestream, copies, copies_beside_commits, readers, log_of_killed_processes, maintenance,
         vacuum_beside_a_reader, checkpoints_beside_commits, changed_rows]


def body():
    """Runs every step with a store of its own, and reports failures at the end."""
    asked = sys.argv[1:]
    names = [step.__name__ for step in STEPS]
    check(set(asked) <= set(names), f"the steps are {' '.join(names)}, got {' '.join(asked)}")
    failures = []
    for step in STEPS:
        if asked and step.__name__ not in asked:
            continue
        try:
            step()
        except Failure as failure:
            failures.append(f"{step.__name__}: {failure}")
    check(not failures, "\n  ".join(failures))


if __name__ == "__main__":
    run("other programs on the store's file", body)
