#!/usr/bin/env python3
"""Libraries that read JSON Patch (RFC 6902) apply patches of random lists exactly, and refuse guarded ones for another list.

Compares the results with the table in Documentation/DataTools.md; with --update it writes the table.
"""

import copy
import json
import random
from importlib import metadata

import jsonpatch
import jsonpath
import pyjsonpatch

from interop import ROOT, check, check_equal, check_table, fresh_store, run, say

PAGE = ROOT / "Documentation/DataTools.md"
READERS = {
    "jsonpatch": jsonpatch.apply_patch,
    "python-jsonpath": lambda document, patch: jsonpath.JSONPatch(patch).apply(document),
    "pyjsonpatch": lambda document, patch: pyjsonpatch.apply_patch(document, patch).obj,
}
COUNT = 17
SEED = random.randrange(1 << 32)


def versions(seed):
    """A list and its next versions, each with some of all changes; the last is the empty list."""
    source = random.Random(seed)
    items = [item(source, number) for number in range(8)]
    for number in range(8, 8 + COUNT):
        yield copy.deepcopy(items)
        items.insert(source.randrange(len(items) + 1), item(source, number))
        items.append(items.pop(source.randrange(len(items))))
        items[source.randrange(len(items))]["note"] = f"edit {number}"
        if len(items) > 6:
            items.pop(source.randrange(len(items)))
    yield []


def item(source, number):
    value = source.choice([None, True, 1.5, "~/ä\n", {"a/b": [1, {}]}, 10**15, ""])
    return {"id": f"i{number}", "value": value}


def patches():
    """The list and patch of each pair of adjacent versions, and of the first and the last one."""
    with fresh_store() as store:
        lists = list(versions(SEED))
        for items in lists:
            store.commit("l", items)
        for old, new in [*((n, n + 1) for n in range(1, len(lists))), (len(lists), 1)]:
            options = ("delta", "l", "--since", str(old), "--to", str(new), "--as", "json-patch")
            if new < old:
                options = ("delta", "l", "--since", "0", "--to", "1", "--as", "json-patch")
            plain, guarded = (json.loads(store.listsync(*options, *more)) for more in ((), ("--guarded",)))
            yield ([] if new < old else lists[old - 1]), lists[new - 1], plain, guarded


def is_refused(apply, document, patch):
    try:
        apply(copy.deepcopy(document), copy.deepcopy(patch))
    except Exception:
        return True
    return False


def body():
    say(f"seed {SEED}")
    pairs = list(patches())
    check_equal(len(pairs), COUNT + 1, "the number of patches")
    rows = []
    for name, apply in READERS.items():
        exact = refused = accepted = 0
        for old, new, plain, guarded in pairs:
            for patch in (plain, guarded):
                got = apply(copy.deepcopy(old), copy.deepcopy(patch))
                exact += json.dumps(got, sort_keys=True) == json.dumps(new, sort_keys=True)
            other = old + [{"id": "other"}]
            refused += is_refused(apply, other, guarded)
            accepted += not is_refused(apply, other, plain)
        check_equal((exact, refused), (2 * len(pairs), len(pairs)), name)
        check(accepted > 0, f"{name} refuses patches without a test")
        rows.append(f"| {name} {metadata.version(name)} | all | all |")
    check_table(PAGE, ["| Reader of JSON Patch | Patches that it applies exactly | Guarded patches that it refuses for another list |",
                       "|---|---|---|", *rows])
    say(f"{len(pairs)} patches of random lists, plain and guarded")


run("readers of JSON Patch", body)
