"""The proof of one item: sound ones of every place, and each lie about item, index, root, version and history."""
import contextlib
import copy
import io
import json
import random
import re
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
from listsync import client  # noqa: E402
from histories import NOTHING, header, proven_state, version  # noqa: E402
from test_roots import item  # noqa: E402


def group(level, number):
    """A group of a level, as a proof has it."""
    start, hashes = level.ends[number - 1] if number else 0, level.elements[number].hex()
    return {"count": level.ends[number] - start, "hashes": [hashes[at:at + 64] for at in range(0, len(hashes), 64)]}


def prove(items, index, *headers, side=None):
    """The document that proves an item; `side` is the side of the groups beside the path, or the shorter one."""
    tree, path, at = client.HashTree.of(items), [], index
    for number, level in enumerate(tree.levels):
        below = tree.levels[number - 1] if number else None
        own, first = level.find(index)
        first = below.ends.index(first) + 1 if below and first else first
        one = {**group(level, own), "position": at - first}
        if below:
            last = first + len(one["hashes"])
            name = side or ("before" if at - first <= last - 1 - at else "after")
            one[name] = [group(below, each) for each in (range(first, at) if name == "before" else range(at + 1, last))]
        path.append(one)
        at = own
    record = {"id": items[index].id, "index": index, "content": items[index].value}
    return {"format": "list-proof/1", "list": "parks", "item": record, "path": path,
            "headers": [proven_state(one) for one in headers]}


def many(count, seed=3):
    """Items of which every other one ends a group, so that a short list has several levels."""
    return [item(f"{seed}-{number}", number % 2 == 1) for number in range(count)]


def changed(document, place, change):
    """A copy of a document with another member, which is found by its names and indexes."""
    document = copy.deepcopy(document)
    record = document
    for name in place[:-1]:
        record = record[name]
    record[place[-1]] = change(record[place[-1]]) if callable(change) else change
    return document


class ProofTests(unittest.TestCase):
    def setUp(self):
        self.items = many(150)
        self.levels = len(client.HashTree.of(self.items).levels)
        self.copies = [version(*self.items)]
        for number in range(3):
            before = self.copies[-1]
            self.copies.append(version(*before.items, client.Item(f"new-{number}", "1"), after=before))
        self.headers = [header(one) for one in self.copies]
        self.cursor, self.last = self.headers[0].cursor, self.headers[-1].cursor

    def prove(self, index=77, **options):
        return prove(self.items, index, *self.headers, **options)

    def refused(self, document, words="", cursor=None):
        with self.assertRaises(client.Mismatch) as caught:
            client.check_proof(json.dumps(document), cursor or self.last)
        self.assertIn(words, str(caught.exception))

    def test_every_item_of_a_list_is_proven_by_the_groups_of_either_side(self):
        self.assertGreater(self.levels, 2)
        for items in [many(1), many(2), many(5), self.items, [client.Item(f"{n}", f"{n}") for n in range(257)]]:
            state = header(version(*items))
            for index, one in enumerate(items):
                for side in (None, "before", "after"):
                    proof = client.check_proof(json.dumps(prove(items, index, state, side=side)), state.cursor)
                    self.assertEqual(proof, ("parks", one, index, len(items), state))

    def test_items_of_a_long_list_are_proven(self):
        items = [client.Item(f"item {number}", '{"n":1.50}') for number in range(20_000)]
        items = [client.Item.of(one.id, one.value) for one in items]
        state = header(version(*items))
        for index in (0, 1, 9_999, 19_998, 19_999):
            document = prove(items, index, state)
            self.assertGreater(len(document["path"]), 2)
            self.assertEqual(client.check_proof(json.dumps(document), state.cursor)[1:4], (items[index], index, 20_000))

    def test_the_cursor_of_the_reader_has_8_to_32_digits_in_any_spelling(self):
        text = json.dumps(self.prove())
        for cursor in (self.last, self.last[:10], self.last[:14], self.last.upper(), "00" + self.last):
            self.assertEqual(client.check_proof(text, cursor).header, self.headers[0])
        wrong = f"{int(self.last[2:10], 16) ^ 1:08x}"
        for cursor in ("", "4", "4-", self.last[:9], self.last + "0", f"4-{wrong}", f"3{self.last[1:]}",
                       f"44{self.last[1:]}", f"4{self.cursor[1:]}", self.cursor, self.last[1:], f" {self.last}",
                       "4-zzzzzzzz", None):
            self.assertRaises(client.Mismatch, client.check_proof, text, cursor)

    def test_a_proof_is_read_in_any_spelling(self):
        document = self.prove()
        text = json.dumps({"unknown": [1], **document}, indent=1)
        hashes = re.compile(r'"[0-9a-f]{64}"')
        capital = hashes.sub(lambda match: match[0].upper(), text)
        for spelled in (text, text.encode(), "\ufeff" + text, capital, text.replace('"index": 77', '"index": 7.7e1')):
            self.assertEqual(client.check_proof(spelled, self.last).index, 77)

    def test_each_changed_hex_digit_is_refused(self):
        """Every seventh digit, so that each place of a hash has its turn."""
        for side in ("before", "after"):
            text = json.dumps(prove(self.items, 77, *self.headers[:2], side=side))
            hashes = re.finditer(r'"(?:\d+-)?([0-9a-f]{32,64})"', text)
            digits = [at for found in hashes for at in range(*found.span(1))]
            self.assertGreater(len(digits), 2000)
            for at in digits[::7]:
                spoiled = f"{text[:at]}{int(text[at], 16) ^ 1 + at % 15:x}{text[at + 1:]}"
                self.assertRaises(client.Mismatch, client.check_proof, spoiled, self.headers[1].cursor)

    def test_another_item_is_refused(self):
        sound = self.prove()
        for name, value in [("id", "x"), ("id", self.items[78].id), ("content", {}), ("content", [1]),
                            ("content", None)]:
            self.refused(changed(sound, ["item", name], value), "the item is not at the position")
        self.refused(changed(sound, ["item"], {**prove(self.items, 78)["item"], "index": 77}))

    def test_another_index_is_refused(self):
        for index in (0, 77, 149):
            for side in ("before", "after"):
                sound = self.prove(index, side=side)
                for lie in {*range(160)} - {index}:
                    self.refused(changed(sound, ["item", "index"], lie), f"the item is at {index} of 150, not at {lie}")

    def test_counts_beside_the_path_cannot_be_lied_about(self):
        """The index that follows from each lie is stated, so that nothing but the hashes can refuse it."""
        for side, sign in (("before", 1), ("after", -1)):
            sound = self.prove(side=side)
            for level in range(1, self.levels):
                beside = sound["path"][level][side]
                place = ["path", level, side]
                for number in range(len(beside)):
                    for more in (1, -1):
                        lie = changed(sound, [*place, number, "count"], lambda count: count + more)
                        self.refused(changed(lie, ["item", "index"], 77 + sign * more))
                    count = beside[number]["count"]
                    lie = changed(sound, place, beside[:number] + beside[number + 1:])
                    self.refused(changed(lie, ["item", "index"], 77 - sign * count), "are not those beside the path")
                    lie = changed(sound, place, [*beside, beside[number]])
                    self.refused(changed(lie, ["item", "index"], 77 + sign * count), "are not those beside the path")
                    # Another group with the same number of items, or one of another level.
                    self.refused(changed(sound, [*place, number, "hashes", 0], "0" * 64))
                    self.refused(changed(sound, [*place, number], sound["path"][0]))
                if len(beside) > 1:
                    self.refused(changed(sound, place, beside[::-1]), "are not those beside the path")

    def test_a_group_of_a_forged_tree_has_no_more_items_before_than_in_all(self):
        one, two, three = (client.item_hash(client.Item(name, "1")) for name in "abc")
        below = [client.group_hash(1, 2, two + three), client.group_hash(1, 1, one)]
        level = client.group_hash(2, 1, b"".join(below))
        end = client.Header(1, 0, count=9, root=client.group_hash(3, 9, level).hex())
        path = [{"count": 1, "position": 0, "hashes": [one.hex()]},
                {"count": 1, "position": 1, "hashes": [hash.hex() for hash in below],
                 "before": [{"count": 2, "hashes": [two.hex(), three.hex()]}]},
                {"count": 9, "position": 0, "hashes": [level.hex()], "before": []}]
        proof = {"format": "list-proof/1", "list": "parks", "item": {"id": "a", "index": 2, "content": 1}, "path": path,
                 "headers": [proven_state(end)]}
        self.refused(proof, "level 2 have more items than the group above", cursor=end.cursor)

    def test_counts_on_the_path_cannot_be_lied_about(self):
        sound = self.prove(side="after")
        for level in range(self.levels):
            for more in (1, -1, 1000, 2**40, 2**63, 2**64):
                count = sound["path"][level]["count"] + more
                lie = changed(sound, ["path", level, "count"], abs(count))
                self.refused(changed(lie, ["item", "index"], 77 + more))
        self.refused(changed(sound, ["path", 1, "count"], 0), "more items than the group above")
        self.refused(changed(sound, ["path", 0, "count"], 9), "does not count its hashes")

    def test_a_position_is_that_of_the_element_on_the_path(self):
        sound = self.prove()
        for level in range(self.levels):
            for position in {*range(300)} - {sound["path"][level]["position"]}:
                self.refused(changed(sound, ["path", level, "position"], position), "is not at the position")

    def test_a_level_from_2_on_has_the_groups_of_one_side(self):
        both = {**self.prove(side="before")["path"][1], **self.prove(side="after")["path"][1]}
        neither = {name: value for name, value in both.items() if name not in ("before", "after")}
        for one in (both, neither):
            self.refused(changed(self.prove(), ["path", 1], one), "must have 'before' or 'after'")

    def test_a_path_leads_to_the_root_of_its_version(self):
        sound = self.prove()
        self.refused(changed(sound, ["path"], sound["path"][:-1]), "the path does not lead to the root")
        self.refused(changed(sound, ["path"], [*sound["path"], sound["path"][-1]]), "is not at the position")
        self.refused(changed(sound, ["path"], []), "1 to 64 levels")
        self.refused(changed(sound, ["path"], sound["path"] * 30), "1 to 64 levels")
        for hashes in ([], sound["path"][0]["hashes"] * 200, [7], None):
            self.refused(changed(sound, ["path", 0, "hashes"], hashes), "'hashes' is missing or not of the format")
        self.refused(changed(sound, ["headers", 0, "count"], 151), "the path does not lead to the root")
        # A later version, whose list has the item at the same index, needs a path of its own.
        self.refused(changed(sound, ["headers"], sound["headers"][1:]), "the path does not lead to the root")

    def test_later_headers_lead_to_the_cursor_of_the_reader(self):
        for count in range(1, 5):
            document = prove(self.items, 3, *self.headers[:count])
            proof = client.check_proof(json.dumps(document), self.headers[count - 1].cursor)
            self.assertEqual((proof.index, proof.header), (3, self.headers[0]))
            for other in {*self.headers} - {self.headers[count - 1]}:
                self.refused(document, "the headers lead to", cursor=other.cursor)

    def test_headers_that_do_not_follow_are_refused(self):
        sound = self.prove()
        first, second, third, last = sound["headers"]
        forged = proven_state(header(version(*self.copies[2].items, after=version(*self.items, message="forged"))))
        for headers in ([first, third, last], [first, third, second, last], [first, second, second, third, last],
                        [first, last], [first, forged, third, last], [first, *sound["headers"]]):
            self.refused(changed(sound, ["headers"], headers), "the headers do not follow")
        self.refused(changed(sound, ["headers"], []), "at least one header")
        self.refused(changed(sound, ["headers"], [first, second, third]), "the headers lead to")
        self.refused(changed(sound, ["headers", 0], proven_state(header(NOTHING))))

    def test_each_member_of_a_header_is_covered_by_its_cursor(self):
        sound = self.prove()
        for number in range(4):
            for name, value in [("version", 9), ("version", 0), ("author", None), ("author", "Ben"), ("message", ""),
                                ("committed_at", "2026-11-21T11:37:00Z"), ("root", "0" * 64), ("previous", "1" * 64),
                                ("cursor", f"{number + 1}-{1:032}")]:
                self.refused(changed(sound, ["headers", number, name], value), " is not the ")
            for name in proven_state(self.headers[number]).keys() - {"author", "message"}:
                self.refused(changed(sound, ["headers", number, name], None))

    def test_a_forger_who_makes_a_root_still_lacks_the_cursor(self):
        items = [*self.items[:77], client.Item(self.items[77].id, '"forged"'), *self.items[78:]]
        document = prove(items, 77, header(version(*items)))
        self.refused(document, "the headers lead to", cursor=self.cursor)
        self.assertRaises(client.Mismatch, client.check_proof, json.dumps(document), self.last)

    def test_what_is_no_proof_is_refused_with_an_error_of_the_client(self):
        chance, sound = random.Random(5), self.prove()
        for document in (None, 7, [], {}, {**sound, "format": "list-proof/2"}, {**sound, "item": None},
                         {**sound, "path": {}}, {**sound, "path": [None]}, {**sound, "headers": [None]}):
            self.refused(document)
        text = json.dumps(sound)
        pieces = ["null", "{}", "[]", "-1", "1e400", "9" * 30, '"x"', "{", "[" * 2000, "\x00", "18446744073709551616",
                  ""]
        for _ in range(3000):
            at = chance.choice([chance.randrange(400), chance.randrange(len(text))])
            spoiled = text[:at] + chance.choice(pieces) + text[at + chance.choice((0, 1, 5, chance.randrange(200))):]
            with contextlib.suppress(client.ListSyncError):
                client.check_proof(spoiled, self.last)
        for number in ("18446744073709551616", "9223372036854775808", "1e20", "-1", "1.5", '"3"'):
            for place in ("count", "position"):
                spoiled = re.sub(rf'"{place}": \d+', f'"{place}": {number}', text)
                self.assertRaises(client.Mismatch, client.check_proof, spoiled, self.last)

    def run_check(self, document, *options):
        """The exit code and the texts of the command line."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()) as errors:
            path = Path(folder, "item.proof")
            path.write_text(json.dumps(document), "utf-8")
            return client.main(["--check-proof", str(path), *options]), out.getvalue(), errors.getvalue()

    def test_the_command_line_prints_what_is_proven(self):
        code, out, errors = self.run_check(self.prove(), "--cursor", self.last[:14])
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(json.loads(out), {
            "list": "parks", "id": self.items[77].id, "index": 77, "count": 150, "content": self.items[77].value,
            "cursor": self.cursor, "committed_at": "2026-11-21T11:37:00.250Z", "author": "Ann", "message": None})

    def test_the_command_line_refuses_with_a_reason(self):
        code, out, errors = self.run_check(self.prove(), "--cursor", self.cursor)
        self.assertEqual((code, out), (1, ""))
        self.assertRegex(errors, "^listsync-client: not proven: the headers lead to 4-[0-9a-f]{32}, not to 1-")
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertEqual(client.main(["--check-proof", "/nowhere/item.proof", "--cursor", self.cursor]), 1)
            for arguments in (["--check-proof", "x"], ["--cursor", "x"], [], ["http://127.0.0.1:1"],
                              ["http://127.0.0.1:1", "parks", "--check-proof", "x", "--cursor", "y"]):
                self.assertRaises(SystemExit, client.main, arguments)


class FollowTests(unittest.TestCase):
    def test_headers_follow_a_cursor_of_the_same_history(self):
        made, one = [], NOTHING
        for number in range(5):
            one = version(client.Item("a", f"{number}"), after=one)
            made.append(header(one))
        for start in range(4):
            for end in range(start + 1, 5):
                for digits in (8, 12, 32):
                    cursor = made[start].cursor[:2 + digits]
                    self.assertTrue(client.follows(cursor, made[start + 1:end + 1]))
                    for other in range(5):
                        self.assertEqual(client.follows(cursor, made[other:end + 1]), other == start + 1 <= end)
        self.assertTrue(client.follows(client.State().cursor, made))
        for cursor in ("", "1", "1-", made[0].cursor[:9], f"1-{'0' * 32}", f"2{made[0].cursor[1:]}", None):
            self.assertFalse(client.follows(cursor, made[1:]))
        # Another chain before it with the same cursor, and a version that is left out.
        tail = made[1].chain[:63] + f"{int(made[1].chain[63], 16) ^ 1:x}"
        for second in (made[2]._replace(previous=tail), made[2]._replace(version=5)):
            self.assertFalse(client.follows(made[0].cursor, [made[1], second]))
        for headers in ([], [made[2]], [made[1], made[3]], [made[1], made[2]._replace(message="forged"), made[3]],
                        [made[1], made[2]._replace(previous="0" * 64)], [made[1], made[1]]):
            self.assertFalse(client.follows(made[0].cursor, headers))

    def test_times_are_written_as_they_are_read(self):
        for text in ("2026-11-21T11:37:00Z", "2026-11-21T11:37:00.250Z", "1969-12-31T23:59:59.999Z",
                     "0001-01-01T00:00:00Z"):
            self.assertEqual(client.write_time(client.read_time(text)), text)


if __name__ == "__main__":
    unittest.main()
