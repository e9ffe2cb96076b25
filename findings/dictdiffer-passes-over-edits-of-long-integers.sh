#!/usr/bin/env bash
# dictdiffer 0.10.0 (Python): two integers from about 10^16 on that differ by little are no difference, also with tolerance=0.
#
# Guessed: integers are compared exactly, since the documentation says of `tolerance` that it is for "two float numbers".
# Seen: the difference of an owner 1234567890123456789 and 1234567890123456790 is empty, and the patched list keeps the old owner.
# The tolerance (2.2e-16 of the larger value by default) is applied to integers too, and both become floats before: this owner
# equals all up to 363 more. With tolerance=0 alone, it still equals those up to 106 more.
# Why it matters: ids of messages and posts (snowflakes) and database keys have 16 to 19 digits. An item that is given to another
# owner, or replaced by the next post, is "unchanged", and a stored patch loses the edit. Keep such numbers as texts, or compare
# with == first.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install dictdiffer==0.10.0
"$folder/v/bin/python" - <<'PYTHON'
import copy
import dictdiffer

OWNER = 1234567890123456789


def changes(old, new, **options):
    return list(dictdiffer.diff({"owner": old}, {"owner": new}, **options))


old = [{"id": "a", "owner": OWNER}, {"id": "b", "owner": 7}]
new = [{"id": "a", "owner": OWNER + 1}, {"id": "b", "owner": 7}]
patch = list(dictdiffer.diff(old, new))
patched = dictdiffer.patch(patch, copy.deepcopy(old))
print("new list:    ", new)
print("patch:       ", patch)
print("patched list:", patched)
assert old != new and patch == [] and patched == old
assert changes(OWNER, OWNER + 363) == [] and changes(OWNER, OWNER + 364)
assert changes(OWNER, OWNER + 106, tolerance=0) == [] and changes(OWNER, OWNER + 107, tolerance=0)
# 15 digits are compared exactly, and so are texts.
assert changes(10**15, 10**15 + 1) and changes(str(OWNER), str(OWNER + 1))
PYTHON
