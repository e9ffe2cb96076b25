#!/usr/bin/env bash
# DeepDiff 9.1.0 (Python): with iterable_compare_func, which matches the items of two lists by their ids, the Delta of a diff
# does not lead from the first list to the second one when an item moves to another index and its own nested list becomes
# shorter or longer.
#
# Guessed: `old + Delta(DeepDiff(old, new, iterable_compare_func=…)) == new`, since the documentation of Delta promises this
# for diffs, and iterable_compare_func for lists of objects with ids.
# Seen: three items in another order with other values. The sum has the ids in the right order, and one nested list has lost
# an element: [1] where the new list has [1, 2]. No error is raised, with raise_errors=True either. In other lists of this
# kind, DeltaError is raised. Of 3,000 random pairs of up to four items, 6 sums were wrong and 126 raised an error. Without
# iterable_compare_func, all sums were right.
# Why it matters: somebody who stores deltas instead of lists, and matches items by id in order to see moves, cannot read
# some versions back, and reads others wrongly. Check a stored delta by applying it before the list is thrown away.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install deepdiff==9.1.0
"$folder/v/bin/python" - <<'PYTHON'
import copy
from deepdiff import DeepDiff, Delta
from deepdiff.helper import CannotCompare


def same_id(one, other, level=None):
    try:
        return one["id"] == other["id"]
    except (KeyError, TypeError):
        raise CannotCompare() from None


def rebuilt(old, new, **options):
    delta = Delta(DeepDiff(old, new, **options), raise_errors=True)
    return copy.deepcopy(old) + delta


old = [{"id": "d", "v": {}}, {"id": "a", "v": [1, 2]}, {"id": "c", "v": "y"}]
new = [{"id": "c", "v": [1, 2]}, {"id": "d", "v": "y"}, {"id": "a", "v": [1]}]
by_id = rebuilt(old, new, iterable_compare_func=same_id)
print("new list:   ", new)
print("by id:      ", by_id)
assert rebuilt(old, new) == new
assert by_id == [{"id": "c", "v": [1]}, {"id": "d", "v": "y"}, {"id": "a", "v": [1]}]
PYTHON
