"""The root of a list: as an oracle has it, the same by every way of changes, and cheap after an update."""
import hashlib
import itertools
import json
import os
import random
import sys
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
from listsync import client  # noqa: E402

ORACLE = HERE.parents[4] / "shared" / "oracle" / "roots.jsonl"
EMPTY = "a536aa3cede6ea3c1f3e0357c3c60e0f216a8c89b853df13b29daa8f85065dfb"


def plain_groups(hashes):
    """The groups of a level, by the words of rule P7."""
    groups, group = [], []
    for digest in hashes:
        group.append(digest)
        if len(group) == 256 or len(group) > 1 and digest[0] % 32 == 0:
            groups.append(group)
            group = []
    return groups + [group] if group or not groups else groups


def plain_root(items):
    """The root by the words of rule P7, without a tree that is kept."""
    def digest(*parts):
        return hashlib.sha256(b"".join(parts)).digest()
    elements = [(digest(b"\0", len(item.id.encode()).to_bytes(4, "little"), item.id.encode(), item.content.encode()), 1)
                for item in items]
    for level in itertools.count(1):
        counts, above = iter([count for _, count in elements]), []
        for group in plain_groups([element for element, _ in elements]):
            count = sum(itertools.islice(counts, len(group)))
            above.append((digest(bytes([level]), count.to_bytes(8, "little"), *group), count))
        if len(above) == 1:
            return above[0][0].hex()
        elements = above


def item(id, ends=None, version=0):
    """An item whose hash ends a group, or does not. None leaves it to chance."""
    for number in itertools.count():
        found = client.Item(id, f"[{version},{number}]")
        if ends is None or (client.item_hash(found)[0] & 31 == 0) == ends:
            return found


def copied(items):
    return client.Copy("parks", client.State(f"1-{1:032}", len(items), client.root(items)), items)


def edited(items, chance, new_item):
    """The list after one to five edits. Some edits take many items in a row."""
    items = [*items]
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        at, length = chance.randrange(len(items) + 1), chance.choice((1, 1, 1, 2, 300))
        kind = chance.choice("insert append remove move update".split())
        taken = items[at:at + length]
        if kind == "insert":
            items[at:at] = [new_item() for _ in range(length)]
        elif kind == "append":
            items += [new_item() for _ in range(length)]
        elif kind == "update":
            items[at:at + length] = [new_item(one.id) for one in taken]
        else:
            del items[at:at + length]
            to = chance.choice((0, len(items), chance.randrange(len(items) + 1)))
            items[to:to] = taken if kind == "move" else []
    return items


class RootTests(unittest.TestCase):
    def updated(self, copy, items):
        """The copy after an update to the items, whose tree must be the one that they have from nothing."""
        end = client.State(f"2-{2:032}", len(items), plain_root(items))
        delta = client.Delta("parks", copy.state, end, client.diff(copy.items, items), None)
        after = copy.applying(delta)
        self.assertEqual(after._tree.levels, client.HashTree.of(items).levels)
        return after

    def hashes(self, copy, items):
        """How many items and groups an update hashes."""
        delta = client.Delta("parks", copy.state, copied(items).state, client.diff(copy.items, items), None)
        copy._tree
        with mock.patch.object(client, "item_hash", side_effect=client.item_hash) as item_hash, \
                mock.patch.object(client, "group_hash", side_effect=client.group_hash) as group_hash:
            copy.applying(delta)
        return item_hash.call_count, group_hash.call_count

    def test_the_empty_list_has_the_root_of_a_group_without_elements(self):
        self.assertEqual([client.root([]), client.State().root, plain_root([])], [EMPTY] * 3)

    @unittest.skipUnless(ORACLE.exists(), "there is no oracle beside the checkout")
    def test_roots_chains_and_cursors_are_those_of_the_oracle(self):
        for line in ORACLE.read_text("utf-8").splitlines():
            link, copy = "0" * 64, client.Copy("parks")
            for version in json.loads(line)["versions"]:
                items = [client.Item(*pair) for pair in version["items"]]
                self.assertEqual(client.root(items), version["root"])
                copy = self.updated(copy, items)
                self.assertEqual(copy.state.root, version["root"])
                link = client.chain(link, *(version[name] for name in "version time author message root".split()))
                self.assertEqual((link, f"{version['version']}-{link[:32]}"), (version["chain"], version["cursor"]))

    def test_a_group_ends_after_256_elements_or_after_an_ending_one_that_is_not_its_first(self):
        for kinds, ends in [([False] * 255, [255]), ([False] * 256, [256]), ([False] * 257, [256, 257]),
                            ([False] * 255 + [True, False], [256, 257]), ([False] * 256 + [True, False], [256, 258]),
                            ([True] * 5, [2, 4, 5]), ([True, False, False, True], [4]), ([True], [1]),
                            ([False, True, True, False, True], [2, 5])]:
            items = [item(str(number), kind) for number, kind in enumerate(kinds)]
            self.assertEqual(client.HashTree.of(items).levels[0].ends, ends)
            self.assertEqual(client.root(items), plain_root(items))

    def test_every_way_between_small_lists_leads_to_the_root_computed_from_nothing(self):
        pool = {id: [item(id, False), item(id, True)] for id in "abc"}
        lists = [[*one] for count in range(4) for ids in itertools.permutations("abc", count)
                 for one in itertools.product(*(pool[id] for id in ids))]
        fixed = [item("a", False), item("b", False), item("c", True), item("d", True)]
        longer = [[*one] for count in range(5) for one in itertools.permutations(fixed, count)]
        self.assertEqual((len(lists), len(longer)), (79, 65))
        for group in lists, longer:
            trees = [(copied(items), items) for items in group]
            for (before, _), (after, items) in itertools.product(trees, trees):
                found, runs = client._apply(before.items, client.diff(before.items, items), None)
                self.assertEqual((found, before._tree.after(found, runs).levels), (items, after._tree.levels))

    def test_every_edit_of_every_pattern_of_ending_items_leads_to_the_root_computed_from_nothing(self):
        size = 6
        pool = [[item(str(number), ends) for ends in (False, True)] for number in range(size + 1)]
        for pattern in itertools.product((0, 1), repeat=size):
            items = [pool[number][kind] for number, kind in enumerate(pattern)]
            copy = copied(items)
            for at in range(size + 1):
                self.updated(copy, items[:at])
                self.updated(copy, items[at:])
                for kind in pool[size]:
                    self.updated(copy, [*items[:at], kind, *items[at:]])
            for at in range(size):
                rest = items[:at] + items[at + 1:]
                self.updated(copy, rest)
                self.updated(copy, [*items[:at], pool[at][1 - pattern[at]], *items[at + 1:]])
                for to in range(size):
                    self.updated(copy, [*rest[:to], items[at], *rest[to:]])

    def test_random_ways_lead_to_the_root_computed_from_nothing(self):
        seed = int(os.environ.get("LISTSYNC_SEED") or random.randrange(2**32))
        chance, numbers = random.Random(seed), itertools.count()
        # The hash of no item, of almost all, of one of 32, or of some at the ends of groups ends a group.
        kinds = {"none": lambda: False, "almost all": lambda: chance.random() < 0.98, "by chance": lambda: None,
                 "few": lambda: chance.random() < 0.004}
        for name, kind in kinds.items():
            def new_item(id=None):
                number = next(numbers)
                return item(id or f"item {number}", kind(), number)
            for size in (0, 3, 256, 600, 2500):
                with self.subTest(f"seed {seed}, {name}, {size} items"):
                    copy = copied([new_item() for _ in range(size)])
                    for _ in range(12):
                        copy = self.updated(copy, edited(copy.items, chance, new_item))

    def test_an_update_hashes_few_groups_and_no_item_that_stays(self):
        items = [client.Item(f"item {number}", "1") for number in range(20_000)]
        copy, new = copied(items), client.Item("new", "1")
        for at in (0, 10_000, 19_999):
            changed = client.Item(items[at].id, "2")
            for result, count in [([*items[:at], changed, *items[at + 1:]], 1), ([*items[:at], new, *items[at:]], 1),
                                  (items[:at] + items[at + 1:], 0), ([items[at], *items[:at], *items[at + 1:]], 0)]:
                item_count, group_count = self.hashes(copy, result)
                self.assertEqual(item_count, count)
                self.assertLess(group_count, 40)
        chance = random.Random(5)
        places = {*chance.sample(range(20_000), 100)}
        many = [client.Item(one.id, "2") if at in places else one for at, one in enumerate(items)]
        item_count, group_count = self.hashes(copy, many)
        self.assertEqual(item_count, 100)
        self.assertLess(group_count, 500)
        self.assertEqual(self.hashes(copy, items), (0, 0))

    def test_a_copy_shares_the_groups_that_stay_with_the_copy_before(self):
        items = [client.Item(f"item {number}", "1") for number in range(5_000)]
        copy = copied(items)
        after = self.updated(copy, [client.Item("new", "1"), *items])
        old, new = ({id(group) for group in one._tree.levels[0].elements} for one in (copy, after))
        self.assertLess(len(new - old), 3)

    def test_the_tree_takes_no_part_in_what_a_copy_is(self):
        items = [client.Item("a", "1")]
        copy, other = copied(items), copied(items)
        before = repr(copy)
        after = self.updated(copy, [*items, client.Item("b", "2")])
        self.assertEqual((copy, repr(copy)), (other, before))
        self.assertEqual(after, client.Copy("parks", after.state, after.items))

    def test_a_copy_whose_items_have_another_root_is_not_updated(self):
        items, others = [client.Item("a", "1")], [client.Item("a", "2")]
        result = [*items, client.Item("b", "1")]
        delta = client.Delta("parks", copied(items).state, copied(result).state, client.diff(items, result), None)
        self.assertEqual(copied(items).applying(delta).items, result)
        self.assertRaises(client.Mismatch, client.Copy("parks", copied(items).state, others).applying, delta)


if __name__ == "__main__":
    unittest.main()
