#!/usr/bin/env bash
# csv-diff 1.2 (Python): of rows that share a key, all but the last are left out, without a word.
#
# Guessed: a key that is there twice is an error, or both rows are compared.
# Seen: the table a 1, b 2, a 3 "has no changes" to the table b 2, a 3. Its order is not compared either.
# Why it matters: a list whose key is not unique (a film with two ratings, a channel with two addresses) loses rows in the
# comparison, and nobody learns that the key was the wrong one. Check the key first, or use several columns as one.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install csv-diff==1.2
printf 'id,n\na,1\nb,2\na,3\n' > "$folder/old.csv"
printf 'id,n\nb,2\na,3\n' > "$folder/new.csv"
printf 'id,n\na,3\nb,2\n' > "$folder/moved.csv"
for new in new moved; do
  output=$("$folder/v/bin/csv-diff" "$folder/old.csv" "$folder/$new.csv" --key=id --json | tr -d ' \n')
  echo "old.csv to $new.csv: $output"
  [ "$output" = '{"added":[],"removed":[],"changed":[],"columns_added":[],"columns_removed":[]}' ]
done
