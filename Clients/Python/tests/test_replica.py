"""The replica with answers that a script gives: commits, storage, stopping, and limits that scenarios do not reach."""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
import histories  # noqa: E402
from listsync import client  # noqa: E402
from histories import NOTHING, PARKS, answer, bundle, changes, header, log, version, versions, whole  # noqa: E402


class Scripted(unittest.TestCase):
    def replica(self, *answers, **options):
        """A replica that gets these answers; it does not wait."""
        replica = client.Replica("http://lists.example/", "parks", **options)
        self.waits, self.requests = [], []
        replica.sleep = self.waits.append
        left = [one if isinstance(one, (client.Response, Exception)) else answer(one) for one in answers]

        def send(method, url, headers, body=None, *limits):
            if url.endswith("/head.json"):
                return client.Response(404, {}, b"")  # There is no publication.
            self.requests.append((method, url, headers, body))
            if isinstance(left[0], Exception):
                raise left.pop(0)
            return left.pop(0)
        patch = mock.patch.object(client, "send", send)
        patch.start()
        self.addCleanup(patch.stop)
        return replica


class ReplicaTests(Scripted):
    def test_an_address_and_a_name_that_cannot_be_are_refused(self):
        for address in ["", "lists.example", "localhost:8080", "ftp://h", "https://", "file:///etc/passwd", "http://a b/",
                        "http://h:0", "http://h:65536", "http://[::1]:70000/a", "http://[::1", "http://h:80:80",
                        "http://u:secret@h", "http://h?token=secret", "http://h/#x", "http://h\n", "http://h/\n"]:
            with self.assertRaisesRegex(ValueError, "^the address of a server is http://HOST:PORT", msg=address):
                client.Replica(address, "parks")
        for name in ["", ".parks", "-parks", "a/b", "../parks", "parks?wait=9", "pärks", "a" * 101, "parks\n", None, 7]:
            with self.assertRaisesRegex(ValueError, "^a list's name is", msg=name):
                client.Replica("http://lists.example", name)
        for address in ["https://lists.example//", "http://[::1]:8080/a/b", "http://h:65535/"]:
            client.Replica(address, "parks")

    def test_an_update_has_the_lists_and_the_changes_between_them(self):
        one = version(*PARKS)
        two = version(PARKS[1], client.Item.of("zion", {"id": "zion"}), after=one)
        replica = self.replica(changes(NOTHING, one, more=True), changes(one, two))
        first, second = replica.updates(watch=False)
        self.assertEqual((first.reason, second.reason), ("first", "changes"))
        self.assertEqual((second.before, second.after, replica.copy), (one, two, two))
        self.assertEqual(second.changes.moved, [client.Change("zion", 0, 1)])
        self.assertEqual(second.after.items[1].value, {"id": "zion"})
        self.assertEqual(self.waits, [])

    def test_a_copy_in_a_file_is_continued(self):
        one = version(*PARKS)
        two = version(PARKS[0], after=one)
        with tempfile.TemporaryDirectory() as folder:
            storage = client.FileStorage(os.path.join(folder, "copy"))
            self.replica(changes(NOTHING, one), storage=storage).catch_up()
            replica = self.replica(changes(one, two), storage=storage)
            self.assertEqual(replica.start().state, one.state)
            self.assertEqual(replica.catch_up().state, two.state)
            self.assertIn(f"since={one.state.cursor}&", self.requests[0][1])
            self.assertEqual(storage.load("parks"), client.Copy("parks", two.state, [PARKS[0]]))
            self.assertRaises(client.ListSyncError, storage.load, "films")

    def test_a_damaged_copy_counts_as_none_and_is_replaced(self):
        one = version(*PARKS)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "copy")
            client.FileStorage(str(path)).save(one)
            sound = path.read_bytes()
            for damaged in [b"", sound[:-1], sound[:100], sound + b"]", sound.replace(b"147242", b"147243"), sound.replace(b'"1-', b'"x-'),
                            sound.replace(b'"1-', b'7,"1-'), sound.replace(b"zion", b"\xff"), sound.replace(b", 2,", b", null,"),
                            sound[:-1] + b", 7]", b'["parks", {}, []]', b'["parks", ' + b"[" * 50_000]:
                path.write_bytes(damaged)
                replica = self.replica(changes(NOTHING, one), storage=client.FileStorage(str(path)))
                self.assertEqual(replica.start(), NOTHING, damaged)
                self.assertEqual(replica.catch_up().state, one.state)
                self.assertEqual(path.read_bytes(), sound)

    def test_a_file_that_never_was_a_copy_is_refused_and_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "notes")
            for text in ["notes", "{}", '[["parks"]]', " "]:
                path.write_text(text, "utf-8")
                replica = self.replica(changes(NOTHING, version(*PARKS)), storage=client.FileStorage(str(path)))
                with self.assertRaisesRegex(client.ListSyncError, "is not a copy of a list"):
                    replica.catch_up()
                self.assertEqual(path.read_text("utf-8"), text)

    def test_two_programs_that_save_at_the_same_time_leave_one_whole_copy(self):
        one, other = version(*PARKS), version(PARKS[0], message="other")
        for slow_copy, is_saved in [(one, False), (other, True)]:
            with tempfile.TemporaryDirectory() as folder:
                slow, fast = (client.FileStorage(os.path.join(folder, "copy")) for _ in range(2))
                self.assertEqual((slow.load("parks"), fast.load("parks")), (NOTHING, NOTHING))

                def sync(_):
                    with mock.patch.object(os, "fsync"):
                        fast.save(other)
                with mock.patch.object(os, "fsync", sync):
                    if is_saved:
                        slow.save(slow_copy)
                    else:
                        with self.assertRaisesRegex(client.ListSyncError, "another program has written"):
                            slow.save(slow_copy)
                self.assertEqual(slow.load("parks"), other)
                self.assertEqual(os.listdir(folder), ["copy"])

    @unittest.skipUnless(client.fcntl, "this system has no locks of files")
    def test_what_killed_saves_have_left_is_removed_at_the_next_start(self):
        one, = versions(1)
        script = ("import os, sys; sys.path.insert(0, sys.argv[1]); from listsync import client; "
                  "os.fsync = lambda _: os.kill(os.getpid(), 9); "
                  "client.FileStorage('copy').save(client.Copy('parks', client.State(), [client.Item('a', '1')]))")
        with tempfile.TemporaryDirectory() as folder:
            kept = ["copy", "copy.new", "copy.0123456789abcdeg.new", "other.0123456789abcdef.new"]
            for name in kept[1:]:
                Path(folder, name).touch()
            client.FileStorage(os.path.join(folder, "copy")).save(one)
            for _ in range(3):
                subprocess.run([sys.executable, "-c", script, str(HERE.parents[1])], cwd=folder)
            self.assertEqual(len(os.listdir(folder)), len(kept) + 3)

            def sync(_):  # Another program starts during a save.
                self.assertEqual(client.FileStorage(os.path.join(folder, "copy")).load("parks"), one)
                self.assertEqual(len(os.listdir(folder)), len(kept) + 1)
            with mock.patch.object(os, "fsync", sync):
                client.FileStorage(os.path.join(folder, "copy")).save(one)
            self.assertEqual(sorted(os.listdir(folder)), sorted(kept))

    @unittest.skipUnless(client.fcntl, "this system has no locks of files")
    def test_a_start_before_a_save_has_its_lock_does_not_disturb_the_save(self):
        one, two = versions(2)
        with tempfile.TemporaryDirectory() as folder:
            storage = client.FileStorage(os.path.join(folder, "copy"))
            storage.save(one)
            has_lock, starts = client._has_lock, [True]

            def start_first(descriptor):
                if starts and starts.pop():
                    client.FileStorage(storage.path).load("parks")
                return has_lock(descriptor)
            with mock.patch.object(client, "_has_lock", start_first):
                storage.save(two)
            self.assertEqual(storage.load("parks"), two)
            self.assertEqual(os.listdir(folder), ["copy"])

    def test_a_slower_program_does_not_put_an_older_copy_over_a_newer_one(self):
        one, two, three = versions(3)
        with tempfile.TemporaryDirectory() as folder:
            slow, fast = (client.FileStorage(os.path.join(folder, "copy")) for _ in range(2))
            fast.save(one)
            replica = self.replica(changes(one, two), storage=slow)
            self.assertEqual(replica.start(), one)
            fast.save(three)
            self.assertRaises(client.ListSyncError, replica.catch_up)
            self.assertEqual((replica.copy, fast.load("parks")), (one, three))
            replica = self.replica(client.Response(304, {}, b""), storage=slow)
            self.assertEqual(replica.catch_up(), three)

    def test_a_save_keeps_the_permissions_of_the_file(self):
        one, two = versions(2)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "copy")
            storage = client.FileStorage(str(path))
            storage.save(one)
            path.chmod(0o600)
            storage.save(two)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_a_lock_that_somebody_else_holds_for_long_does_not_stop_a_save(self):
        one, two = versions(2)
        with tempfile.TemporaryDirectory() as folder, client._locked(folder):
            storage = client.FileStorage(os.path.join(folder, "copy"))
            with mock.patch.object(client, "LOCK_SECONDS", 0.05), mock.patch.object(client.time, "sleep") as sleep:
                storage.save(one)
            self.assertEqual(sleep.called, client.fcntl is not None)
            with mock.patch.object(client, "fcntl", None):  # as on Windows
                storage.save(two)
            self.assertEqual(storage.load("parks"), two)

    def test_a_saved_copy_without_a_root_counts_as_none_as_a_damaged_one_does(self):
        for items in [[], [["a", "1"]]]:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "copy")
                saved = ["parks", [f"{len(items)}-000000000000", len(items), "0" * 32], items]
                path.write_text(json.dumps(saved), "utf-8")
                self.assertEqual(client.FileStorage(str(path)).load("parks"), NOTHING)
                with mock.patch.object(sys, "stderr"):
                    self.assertEqual(client.main(["http://127.0.0.1:1", "parks", "--copy", str(path)]), 1)
                self.assertEqual(json.loads(path.read_text("utf-8")), saved)

    def test_a_copy_that_cannot_be_saved_is_not_shown(self):
        storage = client.FileStorage("/nowhere/copy")
        replica = self.replica(changes(NOTHING, version(*PARKS)), storage=storage)
        self.assertRaises(OSError, replica.catch_up)
        self.assertEqual(replica.copy, NOTHING)

    def test_a_stopped_replica_asks_no_more(self):
        replica = self.replica(changes(NOTHING, version(*PARKS)))
        for _ in replica.updates():
            replica.stop()
        self.assertEqual(len(self.requests), 1)

    def test_a_stop_ends_a_waiting_request_at_once(self):
        one = version(*PARKS)
        for wait in ("answer", "name"):
            replica, asked, over = self.replica(changes(NOTHING, one)), threading.Event(), threading.Event()
            self.addCleanup(over.set)
            send = client.send

            def hold(method, url, *rest):
                if replica.copy.state.version or wait == "name":
                    asked.set()
                    over.wait()
                return send(method, url, *rest)
            with mock.patch.object(client, "send", hold):
                found = []
                thread = threading.Thread(target=lambda: found.extend(replica.updates()))
                thread.start()
                self.assertTrue(asked.wait(30))
                replica.stop()
                thread.join(30)
                self.assertFalse(thread.is_alive(), "it waits for the answer")
                over.set()
            self.assertEqual([update.after for update in found], [one] if wait == "answer" else [])

    def test_after_a_stop_nothing_claims_to_be_the_newest_version(self):
        replica = self.replica(changes(NOTHING, version(*PARKS)), client.Response(304, {}, b""), try_limit=1)
        replica.stop()
        with self.assertRaisesRegex(client.Stopped, "its copy may be behind: make a new one"):
            replica.catch_up()
        self.assertEqual(([*replica.updates()], [*client.follow([replica])], self.requests), ([], [], []))

    def test_failures_in_a_row_have_longer_waits_up_to_the_limit(self):
        replica = self.replica(*[client.Unavailable("lost")] * 4, try_limit=4)
        self.assertRaises(client.Unavailable, replica.catch_up)
        for number, wait in enumerate(self.waits):
            self.assertTrue(0.25 * 2**number <= wait <= 0.5 * 2**number)

    def test_empty_pages_do_not_go_on_for_ever(self):
        copies = [NOTHING]
        for _ in range(150):
            copies.append(version(after=copies[-1]))
        pages = [changes(a, b, more=True) for a, b in zip(copies, copies[1:102])]
        replica = self.replica(*pages, changes(copies[0], copies[120]))
        self.assertEqual(replica.catch_up().state.version, 120)
        self.assertIn(f"since={client.State().cursor}&", self.requests[101][1])

    def test_a_whole_list_of_the_state_of_the_copy_has_no_more(self):
        one = version(*PARKS)
        same = {**whole(one, "too-old"), "more": True}
        replica = self.replica(changes(NOTHING, one, more=True), same, same, same, client.Response(304, {}, b""))
        self.assertEqual(replica.catch_up().state, one.state)
        self.assertEqual(len(self.requests), 2)
        replica.sleep = lambda seconds: self.waits.append(seconds) or replica.stop()
        self.assertEqual([*replica.updates()], [])
        self.assertEqual((len(self.requests), len(self.waits)), (4, 1))

    def test_arrays_of_the_other_kind_of_document_are_checked_as_unknown_members_are(self):
        one = version(*PARKS)
        odd = ["1e1234567890123456", "[" * 513 + "]" * 513]
        for document, names in [(changes(NOTHING, one), ["items"]), (whole(one, "first"), client.Changes._fields)]:
            for name in [*names, "unknown"]:
                text = json.dumps({**document, name: "HERE"})
                self.assertEqual(client.read_delta(text.replace('"HERE"', "[7]")).end, one.state)
                for value in odd:
                    self.assertRaises(client.Mismatch, client.read_delta, text.replace('"HERE"', f"[{value}]"))

    def test_a_second_damaged_answer_before_correct_changes_ends_also_in_the_next_call(self):
        one, two, three = versions(3)
        damaged = client.Response(200, {}, b"{")
        replica = self.replica(changes(NOTHING, one), damaged, whole(two, "first"), changes(two, three), damaged,
                               whole(three, "first"), damaged)
        for state in (one, two, three, three):
            self.assertEqual(replica.catch_up().state, state.state)
        self.assertRaises(client.Mismatch, replica.catch_up)

    def test_after_an_error_the_next_call_may_start_over(self):
        one, two = versions(2)
        too_old = client.Response(410, {}, b'{"type":"urn:listsync:problem:too-old"}')
        replica = self.replica(too_old, client.Unavailable("lost"), too_old, whole(two, "first"), try_limit=1)
        replica.copy = one
        self.assertRaises(client.Unavailable, replica.catch_up)
        self.assertEqual(replica.catch_up().state, two.state)

    def test_two_histories_in_turn_are_not_asked_without_a_pause(self):
        replica = self.replica(*[whole(version(*PARKS, message=str(number % 2)), "diverged") for number in range(9)])
        for number, _ in enumerate(replica.updates(), 1):
            if number == 9:
                replica.stop()
        self.assertGreaterEqual(len([wait for wait in self.waits if wait > 0.2]), 7)

    def test_a_commit_names_the_version_that_it_replaces(self):
        one = version(*PARKS)
        two = version(PARKS[0], after=one)
        third = version(after=two).state.cursor
        accepted = json.dumps(
            {"outcome": "committed", "head": {"cursor": two.state.cursor, "count": 1, "root": two.state.root}})
        refused = client.Response(412, {}, json.dumps({"head": third}).encode())
        login = client.Response(200, {"content-type": "text/html"}, b"<p>Log in</p>")
        replica = self.replica(
            client.Response(201, {}, accepted.encode()), refused, login, client.Response(304, {}, b""), token="secret")
        replica.copy = one
        self.assertEqual(replica.commit([PARKS[0]], message="Æ&"), ("committed", two.state))
        method, url, headers, body = self.requests[0]
        self.assertEqual((method, url), ("PATCH", "http://lists.example/v1/lists/parks?message=%C3%86%26"))
        self.assertEqual((headers["If-Match"], headers["Authorization"]), (f'"{one.state.cursor}"', "Bearer secret"))
        self.assertEqual(one.applying(client.read_delta(body)).items, [PARKS[0]])
        with self.assertRaises(client.Refused) as caught:
            replica.commit([])
        self.assertEqual((caught.exception.status, caught.exception.problem["head"]), (412, third))
        for _ in ("a network's page", "an answer to another request"):
            self.assertRaises(client.Unavailable, replica.commit, [])

    def test_a_commit_with_a_base_is_merged_or_carries_the_conflicts(self):
        one = version(*PARKS)
        two = version(PARKS[0], after=one)
        merged = {"outcome": "merged", "head": {"cursor": two.state.cursor, "count": 1, "root": two.state.root}}
        problem = {"type": "urn:listsync:problem:conflicts", "detail": "2 conflicts", "head": two.state.cursor,
                   "conflict_count": 2, "conflicts": [{"id": "zion", "kind": "changed", "path": "/n", "base": 1, "mine": 2}]}
        replica = self.replica(client.Response(201, {}, json.dumps(merged).encode()),
                               client.Response(409, {}, json.dumps(problem).encode()), client.Response(409, {}, b"{}"),
                               client.Response(409, {}, b'{"type":"urn:listsync:problem:conflicts","conflicts":7}'))
        replica.copy = two
        self.assertEqual(replica.commit([PARKS[0]], base=one, prefer="mine"), ("merged", two.state))
        method, url, headers, body = self.requests[0]
        self.assertEqual((method, url), ("PATCH", f"http://lists.example/v1/lists/parks?base={one.state.cursor}&prefer=mine"))
        self.assertNotIn("If-Match", headers)
        self.assertEqual(one.applying(client.read_delta(body)).items, [PARKS[0]])
        with self.assertRaises(client.Conflicts) as caught:
            replica.commit([], base=one)
        found = caught.exception
        self.assertEqual((found.status, found.count, found.head), (409, 2, two.state.cursor))
        self.assertEqual(found.conflicts, (client.Conflict("zion", "changed", "/n", "1", "2", None),))
        self.assertRaises(client.Refused, replica.commit, [], base=one)
        self.assertRaises(client.Conflicts, replica.commit, [], base=one)
        self.assertRaises(ValueError, replica.commit, [], prefer="mine")

    def test_a_commit_that_cannot_be_tells_its_author_what_to_mend(self):
        replica, good = self.replica(), client.Item("a", "1")
        replica.copy = version(good)
        wrong = {
            "items 1 and 3 have the id 'zion'": [good, client.Item("zion", "1"), client.Item("b", "1"), client.Item("zion", "2")],
            "items 0 and 1 have the id 'a'": [good, good],
            r"item 1 is \{'id': 'b'\}: make it with Item.of": [good, {"id": "b"}],
            r"item 0 is \('a', '1'\): make it with Item.of": [("a", "1")],
            "item 0 is Item.*of a text that is not empty": [client.Item("", "1")],
            "item 1 is .*make it with Item.of": [good, client.Item("b", {"id": "b"})],
            "item 0 is .*Item.id=7": [client.Item(7, "1")],
            "the content of 'b' is not in canonical form": [good, client.Item("b", '{ "id": "b" }')],
            r"item 0 \('a'\): not JSON": [client.Item("a", "{")],
            "item 1 .*surrogate": [good, client.Item("\ud800", "1")],
            "item 0 .*surrogate": [client.Item("a", '"\ud800"')]}
        for reason, items in wrong.items():
            with self.assertRaisesRegex(ValueError, reason):
                replica.commit(items)
        self.assertEqual(self.requests, [])

    def test_an_answer_without_a_header_or_with_another_one_is_damaged(self):
        one = version(*PARKS)
        sound = changes(NOTHING, one)
        for name, value in [("previous", "1" * 64), ("author", "Ben"), ("author", 7), ("message", ""), ("version", 2),
                            ("committed_at", "2026-11-21T11:37:00Z"), ("cursor", f"1-{1:032}"),
                            ("cursor", f"0-{0:032}"), ("root", "0" * 64),
                            *((name, None) for name in ("previous", "committed_at", "version"))]:
            end = {**sound["to"], name: value}
            documents = [{**sound, "to": end}]
            if value is None:
                del end[name]
            for document in [*documents, {**whole(one, "first"), "to": end}]:
                self.assertRaises(client.Mismatch, client.read_delta, json.dumps(document))
        for name, value in [("count", 1), ("root", "0" * 64), ("cursor", f"0-{1:032}")]:
            document = whole(NOTHING, "first")
            document["to"][name] = value
            self.assertRaises(client.Mismatch, client.read_delta, json.dumps(document))
        end = {name: value for name, value in sound["to"].items() if name != "message"}
        self.assertEqual(client.read_delta(json.dumps({**sound, "to": end})).header, header(one))
        compared = {**sound, "to": {"count": 2, "root": one.state.root}}
        self.assertIsNone(client.read_delta(json.dumps(compared)).header)


class BundleTests(unittest.TestCase):
    def setUp(self):
        self.made = versions(4)

    def read(self, lines, start=None):
        return [copy.state for copy, _ in client.read_bundle(lines, start)]

    def test_a_bundle_proves_each_version_by_its_cursor(self):
        states, made = [one.state for one in self.made], self.made
        self.assertEqual(self.read(bundle(*made)), states)
        self.assertEqual(self.read(bundle(*made[2:], base=made[1])), states[2:])
        self.assertEqual(self.read(bundle(base=made[1])), [])
        self.assertEqual(self.read(bundle(*made[1:], since=made[0]), made[0]), states[1:])
        self.assertEqual(self.read(bundle(*made, since=NOTHING)), states)
        self.assertEqual(self.read(bundle(since=made[0]), made[0]), [])
        [last] = client.read_bundle(bundle(made[1], since=made[0]), made[0])
        self.assertEqual(last, (made[1], client.read_delta(json.dumps(changes(*made[:2])))))

    def test_a_step_whose_cursor_does_not_follow_is_refused(self):
        for name, value in [("cursor", f"2-{1:032}"), ("cursor", None), ("cursor", header(self.made[2]).cursor),
                            ("author", "Ben"), ("message", 7), ("committed_at", "2026-11-21T11:37:00Z"),
                            ("version", 3), ("count", 7), ("previous", "1" * 64)]:
            lines = bundle(*self.made, spoil=lambda records: records[2]["to"].update({name: value}))
            self.assertRaises(client.Mismatch, self.read, lines)

    def test_a_step_from_another_state_is_refused(self):
        sound = self.made[0].state
        for start in [sound._replace(cursor=None), sound._replace(cursor=self.made[2].state.cursor),
                      sound._replace(count=7), self.made[1].state]:
            lines = bundle(*self.made, spoil=lambda records: records[2].update({"from": start._asdict()}))
            self.assertRaises(client.Mismatch, self.read, lines)
        twice = bundle(*self.made, spoil=lambda records: records.insert(2, records[1]))
        gap = bundle(*self.made, spoil=lambda records: records.pop(2))
        whole_list = bundle(*self.made, spoil=lambda records: records.__setitem__(1, whole(self.made[0], "first")))
        for lines in (twice, gap, whole_list):
            self.assertRaises(client.Mismatch, self.read, lines)

    def test_a_header_of_the_first_line_must_have_its_cursor(self):
        made, incremental = self.made, {"since": self.made[1]}
        for place, start, options in [("to", None, {"base": made[1]}), ("from", None, {"base": made[1]}),
                                      ("from", made[1], incremental), ("to", made[1], incremental)]:
            self.read(bundle(*made[2:], **options), start)
            for name, value in [("cursor", f"2-{1:032}"), ("previous", "1" * 64), ("previous", None), ("author", "Ben"),
                                ("committed_at", None), ("version", 1), ("version", 0), ("count", 7),
                                ("root", "0" * 64)]:
                lines = bundle(*made[2:], **options, spoil=lambda records: records[0][place].update({name: value}))
                self.assertRaises(client.Mismatch, self.read, lines, start)

    def test_a_bundle_ends_at_its_target(self):
        other = histories.proven_state(header(versions(4, message="other")[3]))
        lines = bundle(*self.made, spoil=lambda records: records[0].update(to=other))
        self.assertRaises(client.Mismatch, self.read, lines)
        lines = bundle(*self.made[1:], since=self.made[0])
        self.assertRaises(client.Mismatch, self.read, lines, versions(1, message="other")[0])


class HistoryTests(Scripted):
    """A server that rewrote what a replica has."""

    def test_a_redirection_is_not_followed_and_names_the_new_address(self):
        moved = client.Response(301, {"location": "https://b.example/v1/lists/parks/delta"}, b"")
        text = self.refused(client.Refused, version(*PARKS), moved)
        self.assertEqual(text, "status 301: it has moved to https://b.example/v1/lists/parks/delta")

    def refused(self, kind, copy, *answers, requests=None, **options):
        """The text of the error with which a replica at a version ends. It keeps its copy, and asks no more."""
        replica = self.replica(*answers, **options)
        replica.copy = copy
        with self.assertRaises(client.ListSyncError) as caught:
            replica.catch_up()
        self.assertIs(type(caught.exception), kind)
        self.assertEqual(replica.copy, copy)
        self.assertEqual(len(self.requests), len(answers) if requests is None else requests)
        return str(caught.exception)

    def accepted(self, copy, *answers, **options):
        """The paths that a replica at a version asks for, up to the one that ends with nothing new."""
        replica = self.replica(*answers, **options)
        replica.copy = copy
        [update] = replica.updates(watch=False)
        self.assertIs(replica.copy, update.after)
        self.assertEqual(len(self.requests), len(answers))
        return [url.partition("/parks/")[2] for _, url, _, _ in self.requests]

    def test_a_next_version_that_does_not_name_the_copy_is_refused_with_and_without_prove(self):
        one = version(*PARKS)
        forged = version(PARKS[0], after=version(*PARKS, message="another past"))
        for prove in (False, True):
            text = self.refused(client.Rewritten, one, changes(one, forged), prove=prove)
            self.assertIn(forged.state.cursor, text)
            self.assertEqual(len(self.accepted(one, changes(one, version(PARKS[0], after=one)), prove=prove)), 1)

    def test_a_whole_list_that_is_sent_for_being_smaller_must_continue_the_copy_too(self):
        one = version(*PARKS)
        forged = version(PARKS[0], after=version(*PARKS, message="another past"))
        for prove in (False, True):
            self.refused(client.Rewritten, one, whole(forged, "smaller", one), prove=prove)
            self.accepted(one, whole(version(PARKS[0], after=one), "smaller", one), prove=prove)
        self.accepted(one, whole(forged, "diverged"))  # as after a restored backup

    def test_later_versions_are_proven_by_their_headers_page_by_page(self):
        made = versions(7)
        delta = changes(made[0], made[6])
        self.assertEqual(len(self.accepted(made[0], delta)), 1, "without prove, headers are not asked for")
        paths = self.accepted(made[0], delta, log(*made[1:]), prove=True)
        self.assertEqual(paths[1:], ["versions?before=8&limit=6"])
        with mock.patch.object(client, "HEADER_LIMIT", 4):
            paths = self.accepted(made[0], delta, log(*made[3:]), log(*made[1:3]), prove=True)
        self.assertEqual(paths[1:], ["versions?before=8&limit=4", "versions?before=4&limit=2"])
        # A server may give fewer than asked for.
        pages = [log(one) for one in reversed(made[1:])]
        self.assertEqual(len(self.accepted(made[0], delta, *pages, prove=True)), 7)

    def test_a_history_of_many_versions_that_was_rewritten_is_refused(self):
        made = versions(7)
        forged = versions(7, message="forged")
        # The forger knows the copy's cursor, and invents what leads from it.
        delta = changes(made[0], forged[6])
        self.assertEqual(len(self.accepted(made[0], delta)), 1, "without prove, nothing is noticed")
        others = [log(*forged[1:]), log(*made[1:]), log(*made[1:6], forged[6]), log(*forged[2:]), log(*forged[1:6]),
                  log(*reversed(forged[1:])), log(*forged[1:3], *forged[4:]), log(*forged), log(NOTHING, *forged)]
        for number, page in enumerate(others):
            with self.subTest(number):
                answers = [delta, page, log(*made[1:2])]
                self.refused(client.Rewritten, made[0], *answers, requests=3 if number == 3 else 2, prove=True)
        self.refused(client.Unproven, made[0], delta, log(), prove=True)
        self.refused(client.Unproven, made[0], delta, log(*forged[3:]), log(), prove=True)
        # Two forged histories do not prove each other.
        delta = changes(made[0], made[6])
        self.refused(client.Rewritten, made[0], delta, log(*forged[1:]), prove=True)
        with mock.patch.object(client, "HEADER_LIMIT", 3):
            self.refused(client.Rewritten, made[0], delta, log(*made[4:]), log(*forged[1:4]), prove=True)

    def test_a_damaged_header_is_damage(self):
        made = versions(4)
        page = log(*made[1:])
        page[1]["previous"] = "0" * 64
        for damaged in (page, {}, [7]):
            answers = [changes(made[0], made[3]), damaged, whole(made[3], "first"), damaged]
            self.refused(client.Mismatch, made[0], *answers, prove=True)
        replica = self.replica(changes(made[0], made[3]), page, whole(made[3], "first"), log(*made[1:]), prove=True)
        replica.copy = made[0]
        self.assertEqual([update.reason for update in replica.updates(watch=False)], ["mismatch"])

    def test_with_prove_a_whole_list_must_continue_the_copy(self):
        made, forged = versions(4), versions(4, message="forged")
        smaller = whole(made[3], "smaller", made[0])
        self.accepted(made[0], smaller)
        self.accepted(made[0], smaller, log(*made[1:]), prove=True)
        self.accepted(made[1], whole(made[3], "smaller", made[1]), log(*made[2:]), prove=True)
        self.refused(client.Rewritten, made[0], whole(forged[3], "smaller", made[0]), log(*forged[1:]), prove=True)
        self.refused(client.Rewritten, made[3], whole(made[1], "smaller", made[3]), prove=True)
        for reason, kind in [("diverged", client.Rewritten), ("too-old", client.Unproven)]:
            self.accepted(made[0], whole(forged[3], reason))
            text = self.refused(kind, made[0], whole(made[3], reason), prove=True)
            self.assertIn(made[0].state.cursor, text)
            self.accepted(NOTHING, whole(made[3], "first"), prove=True)
        self.assertIn("pruned", text)

    def test_with_prove_a_problem_does_not_lead_to_another_history(self):
        made, forged = versions(3), versions(3, message="forged")
        for status, name, kind in [(409, "diverged", client.Rewritten), (410, "too-old", client.Unproven),
                                   (404, "no-such-version", client.Rewritten)]:
            problem = client.Response(status, {}, json.dumps({"type": f"urn:listsync:problem:{name}"}).encode())
            self.refused(kind, made[0], problem, prove=True)
            self.accepted(made[0], problem, whole(forged[2], "first"))

    def test_with_prove_starting_over_does_not_lead_to_another_history(self):
        made, forged = versions(3), versions(3, message="forged")
        damaged = client.Response(200, {}, b"{")
        self.accepted(made[0], damaged, whole(forged[2], "first"))
        self.refused(client.Rewritten, made[0], damaged, whole(forged[2], "first"), log(*forged[1:]), prove=True)
        self.refused(client.Rewritten, made[2], damaged, whole(forged[2], "first"), prove=True)
        self.refused(client.Rewritten, made[1], damaged, whole(NOTHING, "first"), prove=True)
        self.accepted(made[0], damaged, whole(made[2], "first"), log(*made[1:]), prove=True)
        self.accepted(made[0], damaged, whole(made[0], "first"), prove=True)

    def test_headers_that_do_not_come_are_asked_for_again(self):
        made = versions(3)
        delta = changes(made[0], made[2])
        self.accepted(made[0], delta, client.Unavailable("lost"), delta, log(*made[1:]), prove=True)
        self.accepted(made[0], delta, client.Response(304, {}, b""), delta, log(*made[1:]), prove=True)
        self.refused(client.Refused, made[0], delta, client.Response(403, {}, b""), prove=True)

    def test_a_replica_that_is_stopped_asks_for_no_more_headers(self):
        made = versions(3)
        replica = self.replica(changes(made[0], made[2]), log(made[2]), prove=True)
        replica.copy, sent = made[0], client.send

        def send(*request, **options):
            if "/versions" in request[1]:
                replica.stop()
            return sent(*request, **options)
        with mock.patch.object(client, "send", send):
            self.assertEqual(list(replica.updates()), [])
        self.assertEqual((replica.copy, len(self.requests)), (made[0], 2))

    def test_prove_is_an_option_of_the_command_line(self):
        made = versions(3)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "copy")
            client.FileStorage(path).save(made[0])
            saved = Path(path).read_text("utf-8")
            for options, code in [(["--prove"], 1), ([], 0)]:
                self.replica(whole(made[2], "diverged"), client.Response(304, {}, b""))
                with mock.patch.object(sys, "stderr"), mock.patch.object(sys, "stdout"):
                    self.assertEqual(client.main(["http://127.0.0.1:1", "parks", "--copy", path, *options]), code)
                self.assertEqual(Path(path).read_text("utf-8") == saved, code == 1)


class PublicationTests(unittest.TestCase):
    """A publication of three versions, some of whose files are answered oddly at first."""

    def setUp(self):
        one, two, three = self.made = versions(3)
        head = {"format": "list-publication/1", "list": "parks", "head": histories.proven_state(header(three)), "oldest": 1,
                "base": 2, "levels": [{"count": 2, "bytes": 200}],
                "whole": {**histories.proven_state(header(one)), "file": "whole.json", "bytes": 5000}}
        self.files = {"head.json": head, "whole.json": whole(one, "first"),
                      f"delta/1/{two.state.cursor}.json": changes(one, two),
                      f"delta/1/{three.state.cursor}.json": changes(two, three)}

    def test_a_head_whose_members_are_of_another_form_is_refused(self):
        head = self.files["head.json"]

        def read(**members):
            made = {name: value for name, value in {**head, **members}.items() if value is not absent}
            return client.read_publication_head(json.dumps(made))

        absent, whole = object(), head["whole"]
        self.assertEqual(read(more=[None]).whole.state.version, 1)
        self.assertIsNone(read(whole=absent).whole)
        wrong = {
            "whole": [None, 0, "", False, [], {}, {**whole, "file": "../whole.json"}, {**whole, "bytes": -1}, {**whole, "version": 2}],
            "levels": [absent, None, 0, {}, [None], [{"count": 1}], [{"count": "1", "bytes": 1}]], "oldest": [absent, None, -1, 4, "1"],
            "base": [absent, None, 1, 65_537, 2.5], "list": [absent, None, "", "a b"],
            "head": [absent, None, {}, {**head["head"], "previous": "0"}], "format": [absent, "list-publication/2"]}
        for name, values in wrong.items():
            for value in values:
                with self.subTest(name, value=value), self.assertRaises(client.Mismatch):
                    read(**{name: value})

    def follow(self, odd, *names, count=2, **options):
        """Follows the publication; the first answers for these files are odd ones. Gives the reasons of the updates, the
        number of waits, and the files that were asked for."""
        left, asked, waits = {name: count for name in names}, [], []

        def send(method, url, headers, *limits):
            name = url.partition("/parks/")[2]
            asked.append(f"{name} anew" if headers.get("Cache-Control") and name != "head.json" else name)
            left[name] = left.get(name, 0) - 1
            if name not in self.files:
                return client.Response(404, {"content-type": "text/html"}, b"<html>")
            text = json.dumps(self.files[name], separators=(",", ":"))
            return odd if left[name] >= 0 else client.Response(200, {"content-type": "application/json"}, text.encode())
        replica = client.Replica("http://lists.example", "parks", **options)
        replica.sleep = waits.append
        with mock.patch.object(client, "send", send):
            reasons = [update.reason for update in replica.updates(watch=False)]
        self.assertEqual(replica.copy.state, self.made[2].state)
        return reasons, len(waits), asked

    def test_the_page_of_a_network_in_place_of_a_file_is_asked_for_again_later(self):
        page = client.Response(200, {"content-type": "text/HTML; charset=iso-8859-1"}, "<html>Grüezi".encode("latin-1"))
        for name in self.files:
            self.assertEqual(self.follow(page, name)[:2], (["first", "changes", "changes"], 2), name)
        self.assertEqual(self.follow(page, *self.files)[:2], (["first", "changes", "changes"], 8))

    def test_a_server_is_found_beside_an_app_that_answers_other_paths_with_its_page(self):
        page = client.Response(200, {"content-type": "text/html"}, b"<html>")

        def ask(found):
            replica = client.Replica("http://lists.example", "parks", try_limit=2)
            replica.sleep = lambda _: None
            with mock.patch.object(client, "send", lambda _, url, *rest: page if url.endswith("head.json") else found):
                replica.catch_up()
            return replica.copy.state
        self.assertEqual(ask(answer(whole(self.made[0], "first"))), self.made[0].state)
        problem = {"type": "urn:listsync:problem:no-such-list", "title": "no list"}
        for found, kind in [(client.Response(404, {}, json.dumps(problem).encode()), client.Refused), (client.Response(404, {}, b""), client.PageInstead),
                            (page, client.Unavailable)]:
            with self.assertRaises(kind):
                ask(found)

    def test_a_304_to_a_request_without_a_tag_is_asked_for_again_later(self):
        for name in self.files:
            self.assertEqual(self.follow(client.Response(304, {}, b""), name)[:2], (["first", "changes", "changes"], 2), name)

    def test_after_a_page_in_place_of_a_file_the_head_is_asked_for_again(self):
        page = client.Response(200, {"content-type": "text/html"}, b"<html>")
        first, last = [name for name in self.files if name.startswith("delta")]
        # What has come of the way is not asked for again.
        self.assertEqual(self.follow(page, first)[2][2:], [last, first, "head.json", first, "head.json", first])

    def test_a_file_that_is_not_the_one_of_its_name_is_asked_for_once_past_caches_and_then_the_whole_list_is(self):
        first, last = [name for name in self.files if name.startswith("delta")]
        for wrong in [answer(self.files[first]), client.Response(200, {"content-type": "application/json"}, b"{")]:
            reasons, waits, asked = self.follow(wrong, last, count=1)
            self.assertEqual((reasons, waits), (["first", "changes", "changes"], 0))
            self.assertEqual(asked[2:], [last, f"{last} anew", f"{first} anew"])
            reasons, _, asked = self.follow(wrong, last)
            self.assertEqual(reasons[:2], ["first", "mismatch"])
            self.assertEqual(asked[2:6], [last, f"{last} anew", "head.json", "whole.json anew"])

    def test_the_deltas_of_a_way_may_have_as_many_bytes_together_as_an_answer(self):
        sizes = [len(json.dumps(self.files[name], separators=(",", ":"))) for name in self.files if name.startswith("delta")]
        self.follow(None, byte_limit=sum(sizes))
        with self.assertRaises(client.TooLong):
            self.follow(None, byte_limit=sum(sizes) - 1)


class ServerTests(unittest.TestCase):
    """Against the built listsyncd."""
    build = Path(os.environ.get("LISTSYNC_BUILD", HERE.parents[3] / ".build" / "debug"))

    @unittest.skipUnless((build / "listsyncd").exists(), "listsyncd is not built")
    def test_commits_of_two_replicas(self):
        with tempfile.TemporaryDirectory() as folder:
            server = subprocess.Popen(
                [self.build / "listsyncd", "--store", "listsync.db", "--port", "0"], cwd=folder, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            self.addCleanup(server.stdout.close)
            self.addCleanup(server.wait)
            self.addCleanup(server.terminate)
            address = server.stdout.readline().split()[-1]
            ann, ben = (client.Replica(address, "parks") for _ in range(2))
            strict = client.Replica(address, "parks", prove=True)
            outcome, first = ann.commit(PARKS, "Ann", "First")
            self.assertEqual(outcome, "committed")
            self.assertEqual(ann.commit(PARKS, "Ann", "First"), ("repeated", first), "an answer that was lost")
            self.assertEqual(ann.commit(PARKS, "Ben", "First"), ("unchanged", first), "an equal change of another author")
            self.assertEqual(ann.catch_up().state, first)
            ben.catch_up()
            strict.catch_up()
            second = ben.commit([*PARKS[::-1], client.Item.of("cafe\u0301", {"n": 1.50, "id": "x"})]).head
            with self.assertRaises(client.Refused) as caught:
                ann.commit(PARKS[:1])
            self.assertEqual(caught.exception.status, 412)
            self.assertEqual(ann.catch_up().state, second)
            self.assertEqual(ann.commit(PARKS[:1]).head.version, 3)
            self.assertEqual(strict.catch_up().state.version, 3)
            found = client.send("GET", f"{address}/v1/lists/parks/bundle", {})
            read = list(client.read_bundle(found.body.splitlines(keepends=True)))
            self.assertEqual([copy.state for copy, _ in read[:2]], [first, second])
            self.assertEqual(read[0][1].header[2:4], ("Ann", "First"))
            self.assert_merges(*(client.Replica(address, "merged") for _ in range(2)))
            self.assert_events_bring(ann, client.Replica(address, "parks", events=True))
            late = client.Replica("http://127.0.0.1:1", "parks", try_limit=1)
            self.assertRaises(client.Unavailable, late.catch_up)

    def assert_merges(self, ann, ben):
        """A commit on an older version is merged, once, or carries the conflicts."""
        ann.commit(PARKS)
        base, mine = ann.catch_up(), [client.Item.of("a", {"id": "a"}), *PARKS]
        ben.catch_up()
        ben.commit([*PARKS[1:], client.Item.of("b", {"id": "b"})])
        merged = ann.commit(mine, base=base)
        self.assertEqual((merged.outcome, merged.head.version), ("merged", 3))
        self.assertEqual(ann.commit(mine, base=base), ("repeated", merged.head))
        ids = ["a", *[item.id for item in PARKS[1:]], "b"]
        self.assertEqual([item.id for item in ann.catch_up().items], ids)
        with self.assertRaises(client.Conflicts) as conflicts:
            ann.commit([client.Item.of(PARKS[0].id, {"id": PARKS[0].id, "n": 7}), *PARKS[1:]], base=base)
        self.assertEqual([one.kind for one in conflicts.exception.conflicts], ["removed-by-theirs"])

    def assert_events_bring(self, author, reader):
        """A version comes by an event and one request; no request is held."""
        author.catch_up()
        timer, urls, updates = threading.Timer(0.5, author.commit, [PARKS]), [], []

        def send(method, url, *rest, **options):
            urls.append(url)
            return unpatched(method, url, *rest, **options)
        unpatched = client.send
        with mock.patch.object(client, "send", send):
            for update in reader.updates():
                updates.append(update)
                if update.after.state.version == author.copy.state.version:
                    timer.start()
                else:
                    reader.stop()
        timer.join()
        self.assertEqual([update.after.items for update in updates], [PARKS[:1], PARKS])
        reading = [url for url in urls if "/delta" in url]
        self.assertFalse([url for url in reading if "wait=" in url], "a request was held")

    def test_without_events_requests_are_held(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            paths = []

            def do_GET(self):
                self.paths.append(self.path.partition("/parks/")[2])
                held = "wait=" in self.path
                if held:
                    replica.stop()
                body = answer(changes(NOTHING, version(*PARKS))).body if "since=0" in self.path else b""
                is_there = "events" not in self.path and "head.json" not in self.path
                self.send_response(404 if not is_there else 200 if body else 304)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        replica = client.Replica(f"http://127.0.0.1:{server.server_port}", "parks", events=True)
        self.assertEqual([update.reason for update in replica.updates()], ["first"])
        self.assertEqual([path.partition("?")[0] for path in Handler.paths],
                         ["head.json", "delta", "events", "delta"])


if __name__ == "__main__":
    unittest.main()
