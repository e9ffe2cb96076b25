#!/usr/bin/env bash
# Miller 6.6.0 (Debian 12): a CSV cell such as 0o7 or 0x1F becomes a number in JSON, with these digits, which no JSON has.
#
# Guessed: what is no JSON number is written as a text.
# Seen: `mlr --icsv --ojsonl cat` writes {"id": "a", "code": 0o7} and {"id": "b", "code": 0x1F}. jq and Python refuse the
# lines. With -S (no inference) the cells are texts.
# Why it matters: product codes, MAC prefixes and house numbers look like this. One such cell makes the whole export
# unreadable for the next program, or is found months later. Write `mlr --icsv --ojson -S`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q miller >/dev/null 2>&1
dpkg-deb -x miller_*.deb miller
mlr=$folder/miller/usr/bin/mlr
"$mlr" --version
[ "$("$mlr" --version)" = "mlr 6.6.0" ]
printf 'id,code\na,0o7\nb,0x1F\n' > list.csv
"$mlr" --icsv --ojsonl cat list.csv | tee list.ndjson
[ "$(cat list.ndjson)" = '{"id": "a", "code": 0o7}
{"id": "b", "code": 0x1F}' ]
while read -r line; do
  if python3 -c 'import json, sys; json.loads(sys.argv[1])' "$line" 2>/dev/null; then exit 1; fi
done < list.ndjson
"$mlr" --icsv --ojsonl -S cat list.csv
[ "$("$mlr" --icsv --ojsonl -S cat list.csv | head -n 1)" = '{"id": "a", "code": "0o7"}' ]
