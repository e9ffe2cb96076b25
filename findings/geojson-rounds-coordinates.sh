#!/usr/bin/env bash
# geojson 3.3.0 (Python): reading and writing a feature rounds its coordinates to six decimals, heights too.
#
# Guessed: `geojson.dumps(geojson.loads(text))` has the numbers of the text, as with Python's own json.
# Seen: -113.0262843 becomes -113.026284, and 1200.1234567 becomes 1200.123457; properties keep their digits. The rounding
# happens when the text is read (`geojson.geometry.DEFAULT_PRECISION = 6`).
# Why it matters: a list of places that went through it once has other coordinates in nearly every item that has more digits, which no
# person has edited: each of them is an update in the history. Set `geojson.geometry.DEFAULT_PRECISION = 15` before reading, or use json.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install geojson==3.3.0
"$folder/v/bin/python" - <<'PYTHON'
import json

import geojson

place = {"type": "Feature", "id": "zion", "properties": {"width": 1.123456789},
         "geometry": {"type": "Point", "coordinates": [-113.0262843, 37.29820221, 1200.1234567]}}


def written():
    feature = json.loads(geojson.dumps(geojson.loads(json.dumps(place))))
    print(feature["geometry"]["coordinates"], feature["properties"])
    return feature


feature = written()
assert feature["geometry"]["coordinates"] == [-113.026284, 37.298202, 1200.123457]
assert feature["properties"] == place["properties"]
geojson.geometry.DEFAULT_PRECISION = 15
assert written() == place
PYTHON
