#!/usr/bin/env bash
# Loro 1.17.1 (a CRDT; its Python package): two people bring one list into the same new order, and the merged list has a third
# order.
#
# Guessed: what both sides have made of the list is also the merged list, as for equal edits of a text line in git.
# Seen: from a, b, c, d both make b, a, d, c in a movable list, one with moves from the front, the other with moves from the
# back (each needs two). After the exchange both have b, d, a, c, which nobody made. It happens for 5 of the 23 other orders
# of four items. Loro merges moves of single items, not the order that they lead to; with the same moves on both sides, the
# order stays.
# Why it matters: an app that sorts a shared list "by name" on two devices may show an order that is not sorted. Sort when
# the list is shown, or send the order as one value. A merge that compares lists with their base instead of moves does not
# have this problem.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install loro==1.17.1
"$folder/v/bin/python" - <<'PYTHON'
import itertools
from loro import ExportMode, LoroDoc


def values(document):
    return document.get_movable_list("parks").get_deep_value()


def bring(document, order, indexes):
    """Brings the list into an order, by moves of single items."""
    for index in indexes:
        place = values(document).index(order[index])
        if place != index:
            document.get_movable_list("parks").mov(place, index)
    document.commit()


def merged(first, order):
    mine, theirs = LoroDoc(), LoroDoc()
    mine.peer_id, theirs.peer_id = 1, 2
    for index, value in enumerate(first):
        mine.get_movable_list("parks").insert(index, value)
    mine.commit()
    theirs.import_(mine.export(ExportMode.Snapshot()))
    count = len(order)
    bring(mine, order, range(count))
    bring(theirs, order, reversed(range(count)))
    assert values(mine) == values(theirs) == list(order)
    edits = theirs.export(ExportMode.Snapshot())
    theirs.import_(mine.export(ExportMode.Snapshot()))
    mine.import_(edits)
    assert values(mine) == values(theirs)
    return values(mine)


result = merged("abcd", "badc")
print("both made b, a, d, c; merged:", ", ".join(result))
assert result == ["b", "d", "a", "c"]
others = [order for order in itertools.permutations("abcd") if order != tuple("abcd")]
wrong = sum(merged("abcd", order) != list(order) for order in others)
print(f"{wrong} of {len(others)} orders became another one")
assert wrong == 5
PYTHON
