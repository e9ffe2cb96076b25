#!/usr/bin/env bash
# Shows the main verbs with the lists in this folder. `make demo` runs it; LISTSYNC names the binary.
set -euo pipefail
cd "$(dirname "$0")/.."

listsync=${LISTSYNC:-.build/release/listsync}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LISTSYNC_STORE=$folder/demo.db

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\033[1m' plain=$'\033[0m'
fi
say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
# Shows a command and runs it.
run() {
  printf '$ listsync %s\n' "$*"
  "$listsync" "$@"
}

say "1. Each snapshot of a list becomes a version."
echo "Examples/national-parks has the national parks of the United States, with a file for each year of a"
echo "change. Every file is committed with the date and the reason of its change."
while IFS=$'\t' read -r year date message; do
  "$listsync" commit parks "Examples/national-parks/$year.json" --at "$date" -m "$message"
done <Examples/national-parks/history.tsv | tail -n 3
run lists

say "2. The log shows the versions, newest first."
run log parks -n 4

say "3. A diff shows the changes between two versions or dates: + inserted, - removed, > moved, ~ updated."
run diff parks 1979-12-31 1980-12-31

say "4. An old list is still there, exactly."
run show parks@1890-12-31

say "5. Each item has a history: when Mount McKinley was renamed Denali, it moved in the alphabet."
run log parks --item denali

say "6. A client with version 49 asks for the changes since then, and gets indexes, contents and a root."
run delta parks --since 49

say "7. Another list: films for the evening. A diff has the fewest possible moves."
for day in monday tuesday wednesday; do
  run commit movies "Examples/movies/$day.json" -m "$day"
done
run diff movies 1 2
run diff movies 2 3

say "8. All steps can be replayed, and each result is checked."
echo '$ listsync replay parks --check > steps.ndjson'
"$listsync" replay parks --check >"$folder/steps.ndjson"
run verify
