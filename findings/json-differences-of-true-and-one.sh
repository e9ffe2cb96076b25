#!/usr/bin/env bash
# dictdiffer 0.10.0, jsondiff 2.2.1 and json-delta 2.0.2 (Python): a value that changes from 1 to true, or from 0 to false, is no
# difference.
#
# Guessed: libraries that compare JSON documents tell numbers from booleans, which JSON does; jsonpatch does.
# Seen: their differences of [{"id": "zion", "open": 1}] and [{"id": "zion", "open": true}] are empty, and the old list with
# this difference is the old list. The reason is Python's own `1 == True`. jsonpatch 1.48 gives a replacement.
# Why it matters: a scraper or a database (SQLite has no booleans) often turns true into 1. A history kept with these
# libraries never has the change, so that a client that began before it, and one that began after it, have different lists
# for ever. Compare the canonical JSON texts of both lists beside the difference.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install \
  dictdiffer==0.10.0 jsondiff==2.2.1 json-delta==2.0.2 jsonpatch==1.48
"$folder/v/bin/python" - <<'PYTHON'
import copy
import json

import dictdiffer
import json_delta
import jsondiff
import jsonpatch

old, new = [json.loads('[{"id": "zion", "open": %s}]' % value) for value in ("1", "true")]
rebuilt = {
    "dictdiffer": dictdiffer.patch(list(dictdiffer.diff(old, new)), copy.deepcopy(old)),
    "jsondiff": jsondiff.patch(copy.deepcopy(old), jsondiff.diff(old, new)),
    "json-delta": json_delta.patch(copy.deepcopy(old), json_delta.diff(old, new, verbose=False)),
    "jsonpatch": jsonpatch.make_patch(old, new).apply(copy.deepcopy(old)),
}
for name, value in rebuilt.items():
    text = json.dumps(value)
    print(f"{name}: {text}")
    assert (text == json.dumps(new)) == (name == "jsonpatch"), name
PYTHON
