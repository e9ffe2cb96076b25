"""A store by its program: the built one, or that of the installed package."""
import contextlib
import datetime
import decimal
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
if not os.environ.get("LISTSYNC_INSTALLED"):
    sys.path.insert(0, str(ROOT / "Clients/Python"))
import listsync  # noqa: E402

BUILT = Path(os.environ.get("LISTSYNC_BUILD", ROOT / ".build/debug")) / "listsync"
PROGRAM = None if os.environ.get("LISTSYNC_INSTALLED") else BUILT
BEFORE = [{"id": "arches", "name": "Arches"}, {"id": "zion", "name": "Zion", "acres": 148732.5}]
AFTER = [{"id": "zion", "name": "Zion", "acres": 149000}, {"id": "denali", "name": "Denali"}, {"id": "arches", "name": "Arches"}]
MAY, JUNE = "2026-05-01", datetime.datetime(2026, 6, 1, 2, 0, 0, 250_000, datetime.timezone(datetime.timedelta(hours=2)))


@unittest.skipUnless(PROGRAM is None or BUILT.exists(), f"{BUILT} is not built")
class StoreTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.store = listsync.Store(self.folder / "lists.db", program=PROGRAM)

    def commit_parks(self):
        self.store.commit("parks", BEFORE, message="-m", author="Ana", at=MAY)
        return self.store.commit("parks", iter(AFTER), at=JUNE)

    def test_each_version_has_its_items_its_header_and_its_counts(self):
        made = self.commit_parks()
        self.assertEqual((made.outcome, made.head.version, made.changes), ("committed", 2, (0, 1, 1, 1)))
        newest, first = self.store.versions("parks")
        self.assertEqual((newest.cursor, newest.count, newest.changes), (made.head.cursor, 3, made.changes))
        self.assertEqual(newest.committed_at, JUNE)
        self.assertEqual((first.version, first.author, first.message), (1, "Ana", "-m"))
        for at, items in [(1, BEFORE), (first.cursor, BEFORE), (datetime.date(2026, 5, 20), BEFORE), (JUNE, AFTER), ("head", AFTER), (0, [])]:
            self.assertEqual(list(self.store.items("parks", at)), items, at)
        self.assertEqual(self.store.commit("parks", AFTER).outcome, "unchanged")

    def test_changes_lead_from_one_version_to_another(self):
        end = self.commit_parks().head
        delta = self.store.changes("parks", since=1)
        self.assertEqual((delta.start.version, delta.end), (1, end))
        before = [listsync.client.Item.of(item["id"], item) for item in BEFORE]
        after = listsync.client.apply(before, delta.changes)
        self.assertEqual([item.value for item in after], AFTER)
        self.assertEqual([(one.id, one.value) for one in delta.changes.updated], [("zion", AFTER[0])])
        self.assertIsNone(delta.changes.moved[0].value)

    def test_the_history_of_an_item_has_each_change_of_it(self):
        self.commit_parks()
        updated, inserted = self.store.history("parks", "zion")
        self.assertEqual((inserted.old_index, inserted.new_index, inserted.content), (None, 1, BEFORE[1]))
        self.assertEqual((updated.old_index, updated.new_index, updated.version.version), (1, 0, 2))
        self.assertEqual(updated.members, (("/acres", 148732.5, 149000),))
        self.store.commit("parks", AFTER[1:])
        removed = next(self.store.history("parks", "zion"))
        self.assertEqual((removed.old_index, removed.new_index, removed.content), (0, None, None))

    def test_a_compound_id_is_named_by_its_fields(self):
        self.store.commit("films", [{"title": "Dune", "year": 1984}, {"title": "Dune", "year": 2021}], id=["title", "year"])
        change, = self.store.history("films", ["Dune", "2021"])
        self.assertEqual(change.content["year"], 2021)

    def test_numbers_and_texts_come_back_as_they_were(self):
        values = [0, -1, 2**63, 10**20 + 1, 0.1, 1e300, 5e-324, decimal.Decimal("0.1234567890123456789"), True, None,
                  "\u2028\0\"\\ é \U0001f600", {"b": [1, {}], "a": decimal.Decimal("1e400")}, []]
        self.store.commit("values", [{"id": str(index), "value": value} for index, value in enumerate(values)])
        found = [item["value"] for item in self.store.items("values")]
        self.assertEqual(found, values)
        self.assertEqual([type(one) for one in found], [type(one) for one in values])
        self.assertEqual(self.store.commit("values", self.store.items("values")).outcome, "unchanged")
        large = [{"id": "a", "value": 10**30 + 1}, {"id": "b", "value": 10**5000 + 1}]
        self.store.commit("values", large)
        self.assertEqual([int(item["value"]) for item in self.store.items("values")][:1], [10**30 + 1])
        self.assertEqual(self.store.commit("values", large).outcome, "unchanged")
        self.assertEqual(self.store.commit("values", self.store.items("values")).outcome, "unchanged")

    def test_what_is_no_json_is_refused_with_its_item_and_nothing_is_stored(self):
        for value in (float("nan"), decimal.Decimal("Infinity"), {1, 2}, b"bytes", datetime.date(2026, 5, 1), "\ud800", {1: decimal.Decimal(1)}):
            with self.assertRaisesRegex(ValueError, "^item 1 cannot be in a list: "):
                self.store.commit("parks", [BEFORE[0], {"id": "b", "value": value}])
        self.assertEqual(self.store.run("lists") if self.store_exists() else [], [])

    def store_exists(self):
        return (self.folder / "lists.db").exists()

    def test_items_that_end_with_an_error_are_no_shorter_list(self):
        self.commit_parks()

        def broken():
            yield AFTER[0]
            raise KeyError("the source failed")
        with self.assertRaises(KeyError):
            self.store.commit("parks", broken())
        self.assertEqual(list(self.store.items("parks")), AFTER)

    def test_a_killed_commit_is_no_shorter_list(self):
        self.commit_parks()
        script = ("import os, sys, listsync\n"
                  "def items():\n"
                  "    yield from ({'id': str(index)} for index in range(100_000))\n"
                  "    os.kill(os.getpid(), 9)\n"
                  "listsync.Store(sys.argv[1], program=sys.argv[2] or None).commit('parks', items())\n")
        done = subprocess.run([sys.executable, "-c", script, self.store.path, PROGRAM or ""],
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, -9)
        # The store's program ends when it has read the rest.
        for _ in range(50):
            self.assertEqual(next(self.store.versions("parks")).version, 2)
            time.sleep(0.02)

    def test_an_error_of_the_program_has_its_kind_its_advice_and_its_exit_code(self):
        self.commit_parks()
        for ask, kind, exit_code in [
                (lambda: list(self.store.items("parks", at=9)), "no-such-version", 3),
                (lambda: list(self.store.versions("films")), "not-found", 3),
                (lambda: list(self.store.history("parks", "acadia")), "no-such-item", 3),
                (lambda: self.store.changes("parks", since="2-00000000"), "diverged", 5),
                (lambda: self.store.commit("parks", [], expect=1), "precondition-failed", 4),
                (lambda: self.store.commit("parks", [{"name": "no id"}]), "unprocessable", 1),
                (lambda: self.store.run("verb"), "invalid-request", 2)]:
            with self.assertRaises(listsync.ProgramError) as raised:
                ask()
            error = raised.exception
            self.assertEqual((error.kind, error.exit_code), (kind, exit_code))
            self.assertEqual(str(error), f"{error.message}\n{error.advice}")
            self.assertTrue(error.message and error.advice)

    def test_a_merge_joins_two_edits_and_raises_their_conflicts(self):
        base = self.store.commit("parks", BEFORE).head.cursor
        self.store.commit("parks", [BEFORE[0], {**BEFORE[1], "acres": 1.5}])
        merged = self.store.merge("parks", [{**BEFORE[0], "name": "Arches NP"}, BEFORE[1]], base, message="Names")
        self.assertEqual((merged.outcome, merged.changes, merged.conflicts), ("merged", (0, 0, 0, 1), ()))
        self.assertEqual(list(self.store.items("parks")), [{**BEFORE[0], "name": "Arches NP"}, {**BEFORE[1], "acres": 1.5}])
        mine = [BEFORE[0], {**BEFORE[1], "acres": 2}]
        with self.assertRaises(listsync.ConflictError) as raised:
            self.store.merge("parks", mine, base)
        conflict, = raised.exception.conflicts
        self.assertEqual((raised.exception.count, raised.exception.head), (1, merged.head.cursor))
        self.assertEqual(conflict, ("zion", "changed", "/acres", 148732.5, 2, 1.5))
        self.assertEqual(self.store.merge("parks", mine, base, prefer="mine").conflicts, (conflict,))

    def test_an_iterator_that_is_left_early_ends_its_program(self):
        self.store.commit("long", [{"id": str(index), "text": "x" * 100} for index in range(20_000)])
        items = self.store.items("long")
        self.assertEqual(next(items)["id"], "0")
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
        if children.exists():
            self.assertEqual(len(children.read_text().split()), 1)
            del items
            self.assertEqual(children.read_text(), "")

    def test_any_verb_answers_and_what_else_it_tells_goes_to_standard_error(self):
        self.commit_parks()
        self.assertEqual(self.store.run("lists")[0]["head"]["version"], 2)
        self.store.run("export", "parks", "-o", self.folder / "history.db")
        self.assertTrue((self.folder / "history.db").exists())
        self.assertEqual(self.store.run("grep", "parks", "nothing"), [])
        (self.folder / "twice.json").write_text(json.dumps(BEFORE + BEFORE))
        told = io.StringIO()
        with contextlib.redirect_stderr(told):
            self.store.run("commit", "parks", self.folder / "twice.json", "--duplicates", "keep-first")
        self.assertIn("left out 2 items", told.getvalue())

    def test_a_program_that_is_killed_or_tells_no_json_is_an_error_too(self):
        for script, exit_code, message in [("kill -9 $$", -9, "listsync ended with -9"), ("echo no >&2; exit 1", 1, "no")]:
            program = self.folder / "program"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            with self.assertRaises(listsync.ProgramError) as raised:
                listsync.Store("lists.db", program=program).run("lists")
            self.assertEqual((raised.exception.exit_code, raised.exception.message, raised.exception.advice), (exit_code, message, ""))


if __name__ == "__main__":
    unittest.main()
