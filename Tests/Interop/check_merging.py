#!/usr/bin/env python3
"""Ten situations of two people who edit one list, merged by git, Yjs, Loro and listsync.

Compares the results with the table in Documentation/Merging.md; with --update it writes the table.
"""

import json
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path

import loro
import pycrdt

from interop import BUILD, ROOT, check, check_equal, check_table, run

PAGE = ROOT / "Documentation/Merging.md"
VERSIONS = {"loro": "1.17.1", "pycrdt": "0.14.13"}
BASE = [{"id": id, "rating": 5, "seen": 0} for id in "abcd"]
CONFLICT = "conflict"


# What a person does, one edit after the other.

def put(id, member, value):
    return ("put", id, member, value)


def move(id, index):
    """The index is that of the item in the list afterwards."""
    return ("move", id, index)


def insert(id, index, rating=5):
    return ("insert", {"id": id, "rating": rating, "seen": 0}, index)


def remove(id):
    return ("remove", id)


# The title, the edits of mine and of theirs, and each result that both can have meant: ids with
# ratings and views that differ from the base's, or a conflict that a person has to decide.
SITUATIONS = [
    ("Mine rates an item, theirs has seen it", [put("b", "rating", 9)], [put("b", "seen", 1)],
     ["a, b rating 9 seen 1, c, d"]),
    ("Both rate one item", [put("b", "rating", 9)], [put("b", "rating", 7)], [CONFLICT]),
    ("Mine moves an item, theirs rates it", [move("d", 0)], [put("d", "rating", 9)],
     ["d rating 9, a, b, c"]),
    ("Both move one item, to two places", [move("d", 0)], [move("d", 2)],
     ["d, a, b, c", "a, b, d, c", CONFLICT]),
    ("Both make the same order, by other moves",
     [move("b", 0), move("d", 2)], [move("c", 3), move("a", 1)], ["b, a, d, c"]),
    ("Mine removes an item, theirs rates it", [remove("b")], [put("b", "rating", 9)], [CONFLICT]),
    ("Mine removes an item, theirs moves it", [remove("b")], [move("b", 3)],
     ["a, c, d", "a, c, d, b", CONFLICT]),
    ("Both insert at one place", [insert("x", 2)], [insert("y", 2)],
     ["a, b, x, y, c, d", "a, b, y, x, c, d"]),
    ("Both insert the same item, at two places", [insert("x", 1)], [insert("x", 3)],
     ["a, x, b, c, d", "a, b, c, x, d"]),
    ("Mine turns the list round, theirs appends an item",
     [move("d", 0), move("c", 1), move("b", 2)], [insert("x", 4)],
     ["d, c, b, a, x", "d, x, c, b, a"]),
]


def text(items):
    """A list for people: what an item has beyond its id where it differs from the base's items."""
    return ", ".join(
        " ".join([item["id"]] + [f"{member} {item[member]:g}"
                                 for member, usual in [("rating", 5), ("seen", 0)]
                                 if item[member] != usual]) for item in items)


def edited(items, edits):
    """The list after the edits."""
    items = [dict(item) for item in items]
    for kind, *arguments in edits:
        if kind == "insert":
            item, index = arguments
            items.insert(index, item)
            continue
        place = [item["id"] for item in items].index(arguments[0])
        if kind == "put":
            items[place][arguments[1]] = arguments[2]
        elif kind == "move":
            items.insert(arguments[1], items.pop(place))
        else:
            del items[place]
    return items


def merged_by_files(mine, theirs, command):
    """The three lists as files, an item in a line; a command merges them."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name, items in [("base", BASE), ("mine", edited(BASE, mine)),
                            ("theirs", edited(BASE, theirs))]:
            file = Path(folder) / f"{name}.ndjson"
            file.write_text("".join(json.dumps(item) + "\n" for item in items))
            files.append(file)
        done = subprocess.run(command(*files), capture_output=True, text=True)
        if done.returncode:
            check(done.returncode == 1, f"{done.args}: {done.stderr}")
            return CONFLICT
        return text(json.loads(line) for line in done.stdout.splitlines())


def merged_by_git(mine, theirs):
    return merged_by_files(mine, theirs, lambda base, mine, theirs: [
        "git", "merge-file", "-p", mine, base, theirs])


def merged_by_listsync(mine, theirs):
    return merged_by_files(mine, theirs, lambda base, mine, theirs: [
        BUILD / "listsync", "merge", base, mine, theirs])


class YjsSide:
    """An array of maps. An array has no moves: an item is removed, and inserted again."""

    def __init__(self, number, update=None):
        self.document = pycrdt.Doc(client_id=number)
        self.list = self.document.get("list", type=pycrdt.Array)
        if update:
            self.document.apply_update(update)

    def items(self):
        return [item.to_py() for item in self.list]

    def fill(self, items):
        for item in items:
            self.list.append(pycrdt.Map(item))

    def edit(self, kind, *arguments):
        if kind == "insert":
            self.list.insert(arguments[1], pycrdt.Map(arguments[0]))
            return
        place = [item["id"] for item in self.items()].index(arguments[0])
        if kind == "put":
            self.list[place][arguments[1]] = arguments[2]
            return
        item = self.items()[place]
        del self.list[place]
        if kind == "move":
            self.list.insert(arguments[1], pycrdt.Map(item))

    def update(self):
        return self.document.get_update()

    def receive(self, update):
        self.document.apply_update(update)


class LoroSide:
    """A movable list of maps."""

    def __init__(self, number, update=None):
        self.document = loro.LoroDoc()
        self.document.peer_id = number
        self.list = self.document.get_movable_list("list")
        if update:
            self.document.import_(update)

    def items(self):
        return self.list.get_deep_value()

    def fill(self, items):
        for item in items:
            self.edit("insert", item, len(self.items()))

    def edit(self, kind, *arguments):
        if kind == "insert":
            item = self.list.insert_container(arguments[1], loro.LoroMap())
            for member, value in arguments[0].items():
                item.insert(member, value)
        else:
            place = [item["id"] for item in self.items()].index(arguments[0])
            if kind == "put":
                self.list.get(place).container.insert(arguments[1], arguments[2])
            elif kind == "move":
                self.list.mov(place, arguments[1])
            else:
                self.list.delete(place, 1)
        self.document.commit()

    def update(self):
        return self.document.export(loro.ExportMode.Snapshot())

    def receive(self, update):
        self.document.import_(update)


def merged_by_replicas(side, mine, theirs):
    """Two replicas of one document edit it, and exchange their edits."""
    base = side(1)
    base.fill(BASE)
    two = [side(2, base.update()), side(3, base.update())]
    for replica, edits in zip(two, [mine, theirs]):
        for edit in edits:
            replica.edit(*edit)
    updates = [replica.update() for replica in two]
    for replica, update in zip(two, reversed(updates)):
        replica.receive(update)
        replica.receive(update)
    results = [text(replica.items()) for replica in two]
    check_equal(results[0], results[1], "the list of both replicas")
    return results[0]


SYSTEMS = [
    ("git", merged_by_git),
    ("Yjs", lambda mine, theirs: merged_by_replicas(YjsSide, mine, theirs)),
    ("Loro", lambda mine, theirs: merged_by_replicas(LoroSide, mine, theirs)),
    ("ListSync", merged_by_listsync),
]


def cell(result, wanted):
    return f"**{result}**" if result in wanted else result


def table():
    lines = ["| Situation | " + " | ".join(name for name, _ in SYSTEMS) + " |",
             "|---" * (len(SYSTEMS) + 1) + "|"]
    counts = [0] * len(SYSTEMS)
    for number, (title, mine, theirs, wanted) in enumerate(SITUATIONS, 1):
        results = [merge(mine, theirs) for _, merge in SYSTEMS]
        check(results[-1] in wanted, f"situation {number}, listsync: {results[-1]}")
        counts = [count + (result in wanted) for count, result in zip(counts, results)]
        lines.append(f"| {number}. {title} | "
                     + " | ".join(cell(result, wanted) for result in results) + " |")
    lines.append("| as both meant it | " + " | ".join(f"{count} of 10" for count in counts) + " |")
    return lines


def body():
    for package, version in VERSIONS.items():
        check_equal(metadata.version(package), version, f"the version of {package}")
    check_table(PAGE, table())


run("merging: git, Yjs (pycrdt), Loro and listsync in ten situations", body)
