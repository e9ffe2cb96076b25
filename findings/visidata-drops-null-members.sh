#!/usr/bin/env bash
# VisiData 2.11 (PyPI): a JSON list that is only opened and saved lacks its members with null, and has 2.0 for 2.
#
# Guessed: what is loaded from JSON and saved as JSON has the same members.
# Seen: {"id": "b", "note": null, "size": 2} beside {"id": "a", "note": "red", "size": 1.5} is saved as {"id": "b", "size": 2.0}.
# Why it matters: "known to be nothing" and "not known" become one, and every such item is an update in the history. Select rows
# with jq instead, or keep the member's name in a list of what must be there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install visidata==2.11 setuptools
cd "$folder"
echo '[{"id": "a", "note": "red", "size": 1.5}, {"id": "b", "note": null, "size": 2}]' > list.json
HOME=$folder "$folder/v/bin/vd" -b list.json -o out.json < /dev/null 2>/dev/null
cat out.json
"$folder/v/bin/python" - <<'PYTHON'
import json

items = json.load(open("out.json"))
assert json.dumps(items) == '[{"id": "a", "note": "red", "size": 1.5}, {"id": "b", "size": 2.0}]', items
PYTHON
