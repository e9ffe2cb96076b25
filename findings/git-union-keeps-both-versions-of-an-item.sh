#!/usr/bin/env bash
# git 2.39.5 (Debian 12), merge driver `union`: an item that both sides changed is in the list twice, and the merge succeeds.
#
# Guessed: for a list with an item in each line, `*.ndjson merge=union` keeps the insertions of both sides; a line that both
# changed is a conflict, as without the driver.
# Seen: the merged file has both lines of the item, mine first; the exit code is 0. A line that one side removed and the other
# changed is there, too.
# Why it matters: the driver is recommended for files of lines that are only appended. A list is not one: the next program
# finds an id twice, keeps the first or the last, and one edit is gone without a trace. Use a merge by ids.
set -euo pipefail
git --version
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git init -q -b main .
git config user.name Ann
git config user.email ann@example.org
printf '{"id":"alien","n":1}\n{"id":"heat","n":1}\n{"id":"jaws","n":1}\n' > films.ndjson
echo '*.ndjson merge=union' > .gitattributes
git add -A && git commit -qm base
git switch -qc theirs
sed -i '/heat/s/1/2/; /jaws/d' films.ndjson && git commit -qam theirs
git switch -q main
sed -i '/heat/s/1/3/; /jaws/s/1/9/' films.ndjson && git commit -qam mine
git merge -q theirs -m merged
cat films.ndjson
[ "$(cat films.ndjson)" = '{"id":"alien","n":1}
{"id":"heat","n":3}
{"id":"jaws","n":9}
{"id":"heat","n":2}' ]
