#!/usr/bin/env bash
# The shell of SQLite 3.40.1 (Debian 12's package sqlite3): `.clone` makes an empty copy of a table that has a generated
# column, says "done", and exits 0.
#
# Guessed: `.clone NEWDB` copies the database, as .backup and .dump do; a table that cannot be copied makes it fail.
# Seen: the table is made, and none of its rows. One line on standard error, "table parks has 2 columns but 3 values were
# supplied", is all: the line for the table ends with "done", the other tables are copied, and the exit code is 0.
# Why it matters: lists are kept as JSON in a column, with generated columns for the members that are searched. A nightly
# script with .clone makes copies without these lists, and nobody sees it before a copy is needed. .backup, VACUUM INTO and
# .dump copy all rows.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $(sqlite3 --version 2>/dev/null || true) in
  "3.40.1 "*) ;;
  *)
    (cd "$folder" && apt-get download -q sqlite3=3.40.1-2+deb12u2 >/dev/null && dpkg-deb -x sqlite3_*.deb .)
    PATH=$folder/usr/bin:$PATH
    ;;
esac
cd "$folder"
sqlite3 lists.db <<'SQL'
CREATE TABLE parks (
  id TEXT PRIMARY KEY, content TEXT,
  name TEXT GENERATED ALWAYS AS (json_extract(content, '$.name')) VIRTUAL);
INSERT INTO parks (id, content) VALUES ('zion', '{"name":"Zion"}'), ('arches', '{"name":"Arches"}');
CREATE TABLE others (id INTEGER);
INSERT INTO others VALUES (1);
SQL
sqlite3 lists.db '.clone copy.db' >out 2>err
cat out err
grep -q 'parks... done' out
grep -q 'has 2 columns but 3 values' err
rows() { sqlite3 "$1" 'SELECT (SELECT count(*) FROM parks), (SELECT count(*) FROM others)'; }
echo "rows of the tables: $(rows lists.db), in the copy $(rows copy.db)"
[ "$(rows lists.db)" = '2|1' ]
[ "$(rows copy.db)" = '0|1' ]
sqlite3 lists.db '.backup backup.db'
[ "$(rows backup.db)" = '2|1' ]
