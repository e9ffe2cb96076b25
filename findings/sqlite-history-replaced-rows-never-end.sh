#!/usr/bin/env bash
# sqlite-history 0.1 (Python; history of a SQLite table by triggers): a row that INSERT OR REPLACE replaces never ends.
#
# Guessed: the history says that the row was updated, or removed and inserted.
# Seen: after "arches" with n = 5 is replaced by n = 6, the history has both as first versions of two rows, and no deletion:
# who asks for the rows that are there now finds arches twice. SQLite runs no delete triggers for REPLACE unless
# `PRAGMA recursive_triggers` is on, and the new row has another rowid, by which the history is kept.
# Why it matters: `INSERT OR REPLACE` is how most scrapers write a list into SQLite. Use `INSERT … ON CONFLICT DO UPDATE`,
# which runs the update triggers, or switch on recursive triggers in each connection that writes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install sqlite-history==0.1
"$folder/v/bin/python" - <<'PYTHON'
import sqlite3

import sqlite_history

NOW = """SELECT id, n FROM _parks_history AS h WHERE _mask <> -1 AND _version =
         (SELECT max(_version) FROM _parks_history WHERE _rowid = h._rowid) ORDER BY _rowid"""


def history(statement, *pragmas):
    database = sqlite3.connect(":memory:")
    for pragma in pragmas:
        database.execute(pragma)
    database.execute("CREATE TABLE parks (id TEXT PRIMARY KEY, n INTEGER)")
    database.execute("INSERT INTO parks VALUES ('arches', 5), ('zion', 1)")
    sqlite_history.configure_history(database, "parks")
    database.execute(statement)
    rows = database.execute("SELECT _rowid, id, n, _version, _mask FROM _parks_history").fetchall()
    print(statement, *pragmas, rows, sep="\n  ")
    return rows, database.execute(NOW).fetchall()


replace = "INSERT OR REPLACE INTO parks VALUES ('arches', 6)"
rows, now = history(replace)
assert rows == [(1, "arches", 5, 1, 3), (2, "zion", 1, 1, 3), (3, "arches", 6, 1, 3)]
assert now == [("arches", 5), ("zion", 1), ("arches", 6)]
_, now = history(replace, "PRAGMA recursive_triggers = on")
assert now == [("zion", 1), ("arches", 6)]
# An update has the changed columns alone.
rows, _ = history("INSERT INTO parks VALUES ('arches', 6) ON CONFLICT (id) DO UPDATE SET n = excluded.n")
assert rows[2:] == [(1, None, 6, 2, 2)]
PYTHON
