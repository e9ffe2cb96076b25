"""SQLiteStorage: copies in a database, of which a save writes what has changed."""
import os
import random
import sqlite3
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
from listsync import client  # noqa: E402
from histories import NOTHING, PARKS, version, versions  # noqa: E402


def items(count):
    return [client.Item(f"item-{number}", f'{{"name":"Ä {number}"}}') for number in range(count)]


class SQLiteStorageTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "copies")

    def storage(self):
        storage = client.SQLiteStorage(self.path)
        self.addCleanup(storage.close)
        return storage

    def rows(self):
        database = sqlite3.connect(self.path)
        self.addCleanup(database.close)
        return database.execute("SELECT place, items FROM items ORDER BY place").fetchall()

    def test_copies_of_many_lists_are_there_after_a_restart(self):
        one, two = versions(2)
        films = client.Copy("films", one.state, one.items, client.Signed("a note", "given", "key"))
        storage = self.storage()
        self.assertEqual((storage.load("parks"), storage.load("films")), (NOTHING, client.Copy("films")))
        for copy in (one, films, two):
            storage.save(copy)
        for again in (storage, self.storage()):
            self.assertEqual((again.load("parks"), again.load("films")), (two, films))
            self.assertEqual(again.load("Parks"), client.Copy("Parks"))
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["copies"])

    def test_a_save_writes_the_groups_that_have_changed(self):
        """A group has 32 items on average and 256 at most, whatever the length of the list."""
        storage, many = self.storage(), items(20_000)
        copy = version(*many)
        storage.save(copy)
        whole = len(self.rows())
        self.assertTrue(20_000 / 64 < whole < 20_000 / 16, whole)
        new = client.Item("new", "1")
        edits = {
            "an update": lambda some: [*some[:9_999], client.Item(some[9_999].id, "7"), *some[10_000:]],
            "an item more at the beginning": lambda some: [new, *some], "an item less there": lambda some: some[1:],
            "an item more within": lambda some: [*some[:5_000], new, *some[5_000:]],
            "an item more at the end": lambda some: [*some, client.Item("last", "1")],
            "an item that moves": lambda some: [*some[1:7_000], some[0], *some[7_000:]]}
        for name, edit in edits.items():
            before, count = dict(self.rows()), storage._database.total_changes
            copy = version(*edit(copy.items), after=copy)
            storage.save(copy)
            written = storage._database.total_changes - count
            self.assertLessEqual(written, 9, name)  # the head, and the groups on both sides of two places
            after = dict(self.rows())
            changed = [text for place, text in after.items() if before.get(place) != text]
            self.assertLess(sum(map(len, changed)), 9 * 256 * 40, name)
            self.assertEqual(self.storage().load("parks"), copy, name)
        # A part that moves to the other end is written, and the longer part stays.
        count = storage._database.total_changes
        copy = version(*copy.items[2_000:], *copy.items[:2_000], after=copy)
        storage.save(copy)
        self.assertLess(storage._database.total_changes - count, whole / 3)
        self.assertEqual(self.storage().load("parks"), copy)

    def test_each_save_of_random_lists_is_what_a_new_start_finds(self):
        seed = int(os.environ.get("LISTSYNC_SEED", random.randrange(2**32)))
        rnd, copy, storage = random.Random(seed), version(*items(900)), self.storage()
        for number in range(60):
            new = list(copy.items)
            for _ in range(rnd.choice([1, 1, 5, 50])):
                kind, place = rnd.randrange(4), rnd.randrange(len(new) + 1)
                if kind == 0 or not new:
                    new.insert(place, client.Item(f"new-{number}-{rnd.random()}", "0"))
                elif kind == 1:
                    new.insert(place, new.pop(rnd.randrange(len(new))))
                elif kind == 2:
                    del new[place:place + rnd.choice([1, 100])]
                else:
                    new[-1] = client.Item(new[-1].id, str(number))
            copy = version(*new, after=copy)
            storage.save(copy)
            if rnd.randrange(3) == 0:
                storage = self.storage()
            self.assertEqual(storage.load("parks"), copy, f"LISTSYNC_SEED={seed}")

    def test_places_ascend_also_where_there_is_no_room(self):
        seed = int(os.environ.get("LISTSYNC_SEED", random.randrange(2**32)))
        rnd, hashes, places = random.Random(seed), [], {}
        for number in range(400):
            for _ in range(rnd.choice([1, 3])):
                hashes.insert(rnd.randrange(len(hashes) + 1), os.urandom(32))
            if rnd.randrange(9) == 0:
                hashes = hashes[::-1] if rnd.randrange(2) else hashes[40:]
            places = client._places(places, hashes, 3)
            self.assertEqual(list(places), hashes)
            found = list(places.values())
            self.assertEqual(found, sorted(set(found)), f"LISTSYNC_SEED={seed}")

    def test_a_slower_program_does_not_put_an_older_copy_over_a_newer_one(self):
        one, two, three = versions(3)
        slow, fast = self.storage(), self.storage()
        slow.save(one)
        self.assertEqual(fast.load("parks"), one)
        fast.save(three)
        with self.assertRaisesRegex(client.ListSyncError, "another program has written parks to .*copies"):
            slow.save(two)
        self.assertEqual(slow.load("parks"), three)
        other = client.Copy("films", one.state, one.items)
        slow.save(other)
        fast.save(versions(4)[3])

    def test_two_programs_that_save_the_same_copies_in_turn_both_go_on(self):
        one, two, three = versions(3)
        left, right = self.storage(), self.storage()
        left.save(one)
        right.load("parks")
        for copy in (two, three):
            for storage in (left, right):
                storage.save(copy)
                self.assertEqual(self.storage().load("parks"), copy)

    def test_a_damaged_copy_counts_as_none_and_is_replaced(self):
        one = version(*items(300))
        for damage in ["DELETE FROM items WHERE place = (SELECT min(place) FROM items)", "UPDATE items SET items = '[]'",
                       "UPDATE items SET items = x'00'", "UPDATE items SET items = '[1]'", "UPDATE copies SET state = '[]'",
                       "UPDATE copies SET state = replace(state, '300', '301')", "DELETE FROM items"]:
            self.storage().save(one)
            database = sqlite3.connect(self.path)
            with database:
                database.execute(damage)
            database.close()
            storage = self.storage()
            self.assertEqual(storage.load("parks"), NOTHING, damage)
            for copy in (version(*PARKS), one):
                storage.save(copy)
                self.assertEqual(self.storage().load("parks"), copy, damage)
                storage = self.storage()

    def test_rows_that_are_no_groups_are_replaced(self):
        one = version(*items(300))
        self.storage().save(one)
        rows = self.rows()
        database = sqlite3.connect(self.path)
        with database:  # The list is the same.
            database.execute("DELETE FROM items WHERE place = ?", [rows[0][0]])
            database.execute("UPDATE items SET items = ? WHERE place = ?", [rows[0][1][:-1] + "," + rows[1][1][1:], rows[1][0]])
        database.close()
        storage = self.storage()
        self.assertEqual(storage.load("parks"), one)
        two = version(*one.items[1:], after=one)
        storage.save(two)
        self.assertEqual(self.storage().load("parks"), two)

    def test_a_file_of_something_else_is_refused_and_kept(self):
        for make in (lambda: Path(self.path).write_text("notes " * 1000, "utf-8"), self.other_database):
            make()
            before = Path(self.path).read_bytes()
            for use in (lambda: self.storage().load("parks"), lambda: self.storage().save(version(*PARKS))):
                with self.assertRaisesRegex(client.ListSyncError, "name another file"):
                    use()
            self.assertEqual(Path(self.path).read_bytes(), before)
            os.remove(self.path)
        with self.assertRaisesRegex(client.ListSyncError, "/nowhere/copies: unable to open"):
            client.SQLiteStorage("/nowhere/copies").load("parks")

    def other_database(self):
        database = sqlite3.connect(self.path)
        with database:
            database.execute("CREATE TABLE copies (note TEXT)")
        database.close()

    def test_a_save_that_fails_leaves_the_copy_before(self):
        one, two = versions(2)
        storage = self.storage()
        storage.save(one)
        storage.close()
        with mock.patch.object(os, "urandom", return_value=[1]):  # no value of a database
            self.assertRaises(client.ListSyncError, storage.save, two)
        self.assertEqual(self.storage().load("parks"), one)
        storage.save(two)
        self.assertEqual(self.storage().load("parks"), two)

    def test_a_thread_may_use_the_storage_of_another_one(self):
        storage, (one,) = self.storage(), versions(1)
        storage.save(one)
        found = []
        thread = threading.Thread(target=lambda: found.append(storage.load("parks")))
        thread.start()
        thread.join()
        self.assertEqual(found, [one])


if __name__ == "__main__":
    unittest.main()
