#!/usr/bin/env bash
# Loro 1.17.1 (a CRDT; its Python package): an item that one person removes and another moves at the same time is there again.
#
# Guessed: a removal ends an item for all, whatever others did with it.
# Seen: from a, b, c one side deletes b from a movable list, the other moves it to the end. After the exchange both have
# a, c, b. If the other side gives b another value instead (`set`), or edits inside b, which is a map, the removal wins.
# Why it matters: in a list that is sorted on one device, removals made on another one at that time come back. Keep removed
# ids in a map of their own, and leave them out when the list is shown.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install loro==1.17.1
"$folder/v/bin/python" - <<'PYTHON'
from loro import ExportMode, LoroDoc, LoroMap


def merged(mine, theirs, fill):
    one, two = LoroDoc(), LoroDoc()
    one.peer_id, two.peer_id = 1, 2
    fill(one.get_movable_list("parks"))
    one.commit()
    two.import_(one.export(ExportMode.Snapshot()))
    mine(one.get_movable_list("parks"))
    theirs(two.get_movable_list("parks"))
    for document in (one, two):
        document.commit()
    edits = one.export(ExportMode.Snapshot())
    one.import_(two.export(ExportMode.Snapshot()))
    two.import_(edits)
    results = [document.get_movable_list("parks").get_deep_value() for document in (one, two)]
    assert results[0] == results[1]
    print(results[0])
    return results[0]


def texts(parks):
    for index, id in enumerate("abc"):
        parks.insert(index, id)


def maps(parks):
    for index, id in enumerate("abc"):
        parks.insert_container(index, LoroMap()).insert("id", id)


def remove(parks):
    parks.delete(1, 1)


assert merged(remove, lambda parks: parks.mov(1, 2), texts) == ["a", "c", "b"]
assert merged(remove, lambda parks: parks.set(1, "B"), texts) == ["a", "c"]
edited = merged(remove, lambda parks: parks.get(1).container.insert("open", True), maps)
assert [item["id"] for item in edited] == ["a", "c"]
PYTHON
