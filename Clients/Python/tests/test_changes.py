"""Many lists of a server, whose changes one request asks for (P54)."""
import json
import sys
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
from listsync import client  # noqa: E402
from histories import NOTHING, PARKS, answer, changes, version  # noqa: E402

NAMES = [f"list{number}" for number in range(5)]


class Server:
    """A server of some lists. Its answers to requests for changes are given in `answers` until it has none; then it knows."""

    def __init__(self):
        self.versions = {name: [NOTHING] for name in NAMES}
        self.log, self.run, self.requests, self.answers, self.on_wait = [], 1, [], [], lambda: None
        self.answer = lambda name, cursor: None  # another answer to a replica

    def commit(self, name):
        last = self.versions[name][-1]
        number = len(self.versions[name])
        self.versions[name].append(version(client.Item.of("a", {"id": "a", "n": number}), after=last))
        self.log.append(name)

    def send(self, method, url, headers, body=None, *limits):
        path = url.removeprefix("http://lists.example")
        if path.endswith("/head.json"):
            return client.Response(404, {}, b"")  # There is no publication.
        self.requests.append(path)
        assert len(self.requests) < 200, "the client asks for ever"
        if path.startswith("/v1/changes"):
            return self.changed(path)
        name, cursor = path.split("/")[3], path.split("since=")[1].split("&")[0]
        other = self.answer(name, cursor)
        if other is not None:
            return other
        known = {one.state.cursor: one for one in self.versions[name]}
        head = self.versions[name][-1]
        if cursor == head.state.cursor:
            return client.Response(304, {"etag": f'"{cursor}"'}, b"")
        return self.named(name, changes(known[cursor], head))

    def named(self, name, document):
        return answer({**document, "list": name})

    def changed(self, path):
        if self.answers:
            given = self.answers.pop(0)
            if isinstance(given, Exception):
                raise given
            return given
        if "wait=" in path:
            self.on_wait()
        mark = path.split("since=")[1].split("&")[0] if "since=" in path else ""
        known = mark.startswith(f"run{self.run}-")
        start = int(mark.split("-")[1]) if known else 0 if mark else len(self.log)
        lists = [{"list": name, "head": self.state(name)} for name in set(self.log[start:])]
        record = {"mark": f"run{self.run}-{len(self.log)}", "all": bool(mark) and not known, "more": False, "lists": lists, "gone": []}
        return client.Response(200, {"content-type": "application/json"}, json.dumps(record).encode())

    def state(self, name):
        state = self.versions[name][-1].state
        return {"cursor": state.cursor, "count": state.count, "root": state.root}


class ManyListsTests(unittest.TestCase):
    def setUp(self):
        self.server = Server()
        patch = mock.patch.object(client, "send", self.server.send)
        patch.start()
        self.addCleanup(patch.stop)
        self.waits = []
        self.replicas = [client.Replica("http://lists.example", name) for name in NAMES]
        for replica in self.replicas:
            replica.sleep = self.waits.append
            self.server.commit(replica.copy.list)

    def take(self, updates, count):
        return [(replica.copy.list, update.after.state.version) for replica, update in (next(updates) for _ in range(count))]

    def test_each_list_is_asked_for_once_and_then_only_when_it_has_changed(self):
        updates = client.follow(self.replicas)
        self.assertEqual(self.take(updates, 5), [(name, 1) for name in NAMES])
        self.server.on_wait = lambda: self.server.commit("list3")
        before = len(self.server.requests)
        self.assertEqual(self.take(updates, 2), [("list3", 2), ("list3", 3)])
        self.assertTrue(all("/list3/" in path or path.startswith("/v1/changes?since=run1-") for path in self.server.requests[before:]))

    def test_a_commit_between_the_first_mark_and_the_first_questions_is_not_missed(self):
        updates = client.follow(self.replicas)
        self.take(updates, 1)
        self.server.commit("list0")  # already asked for
        self.server.commit("list4")
        self.assertEqual(self.take(updates, 4), [("list1", 1), ("list2", 1), ("list3", 1), ("list4", 2)])
        self.assertEqual(self.take(updates, 1), [("list0", 2)])

    def test_after_a_restart_of_the_server_all_are_asked_for(self):
        updates = client.follow(self.replicas)
        self.take(updates, 5)

        def restart():
            self.server.run, self.server.on_wait = 2, lambda: self.server.commit("list1")
            self.server.commit("list2")
            self.server.log.clear()
        self.server.on_wait = restart
        self.assertEqual(self.take(updates, 2), [("list2", 2), ("list1", 2)])
        self.assertEqual(len(self.waits), 1)

    def test_a_failure_is_tried_again_and_a_refusal_ends(self):
        busy = client.Response(503, {"retry-after": "7"}, b"")
        self.server.answers = [busy, client.Unavailable("lost"), client.Response(200, {"content-type": "application/json"}, b"{}")]
        self.assertEqual(self.take(client.follow(self.replicas), 5), [(name, 1) for name in NAMES])
        self.assertEqual(len(self.waits), 3)
        self.assertGreaterEqual(self.waits[0], 7)
        for status in (401, 404):
            self.server.answers = [client.Response(status, {}, b"{}")]
            self.assertRaises(client.Refused, next, client.follow(self.replicas))

    def test_a_stopped_replica_is_left_out_and_the_last_one_ends_all(self):
        updates = client.follow(self.replicas)
        self.take(updates, 5)
        for replica in self.replicas[1:]:
            replica.stop()
        self.server.on_wait = lambda: [self.server.commit(name) for name in NAMES]
        self.assertEqual(self.take(updates, 1), [("list0", 2)])
        self.replicas[0].stop()
        self.assertEqual([*updates], [])

    def test_a_list_that_is_dropped_ends_alone(self):
        gone = client.Response(410, {}, b'{"type":"urn:listsync:problem:gone","detail":"list2 was dropped"}')
        updates = client.follow(self.replicas)
        self.take(updates, 5)
        self.server.answer = lambda name, cursor: gone if name == "list2" else None
        self.server.on_wait = lambda: [self.server.commit(name) for name in NAMES]
        found = [next(updates) for _ in range(5)]
        ended = [(replica.copy.list, update) for replica, update in found if update.error]
        self.assertEqual([(name, update.reason, update.after.state.version, update.changes.is_empty) for name, update in ended],
                         [("list2", "failed", 1, True)])
        self.assertRegex(str(ended[0][1].error), "410.*list2 was dropped")
        self.assertEqual(ended[0][1].error.list, "list2")
        before = len(self.server.requests)
        self.assertEqual(sorted(self.take(updates, 4)), [(name, 3) for name in NAMES if name != "list2"])
        self.assertFalse([path for path in self.server.requests[before:] if "/list2/" in path])

    def test_the_errors_of_all_lists_end_all(self):
        self.server.answer = lambda name, cursor: client.Response(403, {}, b"{}")
        self.assertEqual([(replica.copy.list, update.reason) for replica, update in client.follow(self.replicas)],
                         [(name, "failed") for name in NAMES])

    def stop_after(self, count):
        """Stops all replicas with a waiting request."""
        left = iter(range(count - 1))
        self.server.on_wait = lambda: next(left, None) is None and [replica.stop() for replica in self.replicas]

    def test_an_answer_at_once_without_news_is_followed_by_a_pause(self):
        self.stop_after(4)
        self.assertEqual(len([*client.follow(self.replicas)]), 5)
        self.assertEqual(len(self.waits), 3)
        self.assertTrue(all(1 <= wait <= 2 for wait in self.waits))

    def test_a_page_with_more_is_followed_by_the_next_one_at_once(self):
        updates = client.follow(self.replicas)
        self.take(updates, 5)
        page = {"mark": "run1-5", "all": False, "more": True, "lists": [], "gone": []}
        self.server.answers = [answer({**page, "mark": "run1-4"}), answer(page), answer(page)]
        self.stop_after(1)
        self.assertEqual([*updates], [])
        self.assertEqual(len(self.waits), 1, "for the page with the mark of the request")

    def test_news_that_come_before_the_version_are_kept_until_the_copy_has_it(self):
        updates = client.follow(self.replicas)
        self.take(updates, 5)
        hidden = ["list1"] * 3
        self.server.answer = lambda name, cursor: client.Response(304, {}, b"") if name in hidden and hidden.pop() else None
        self.server.commit("list1")
        before = len(self.server.requests)
        self.assertEqual(self.take(updates, 1), [("list1", 2)])
        self.stop_after(2)
        self.assertEqual([*updates], [])
        waits = [path.rpartition("wait=")[2] for path in self.server.requests[before:] if path.startswith("/v1/changes")]
        self.assertEqual(waits, ["30", "2", "4", "8", "30", "30"])

    def test_a_head_that_is_older_than_the_copy_is_asked_for_once(self):
        old = self.server.state("list1")
        self.server.commit("list1")
        updates = client.follow(self.replicas)
        self.take(updates, 5)
        self.server.answers = [answer({"mark": "run1-6", "all": False, "more": False, "gone": [],
                                       "lists": [{"list": "list1", "head": old}]})]
        before = len(self.server.requests)
        self.stop_after(2)
        self.assertEqual([*updates], [])
        self.assertEqual([path.partition("?")[0].rpartition("/")[2] for path in self.server.requests[before:]],
                         ["changes", "delta", "changes", "changes"])

    def test_wrong_changes_end_also_after_a_right_whole_list(self):
        def wrong(name, cursor):
            head = self.server.versions[name][-1]
            if cursor in (client.State().cursor, head.state.cursor):
                return None
            return self.server.named(name, {**changes(NOTHING, head), "from": self.server.versions[name][-2].state._asdict()})
        updates = client.follow(self.replicas)
        self.take(updates, 5)
        self.server.answer, self.server.on_wait = wrong, lambda: self.server.commit("list1")
        self.assertEqual(self.take(updates, 1), [("list1", 2)])
        replica, update = next(updates)
        self.assertEqual((replica.copy.list, update.reason, type(update.error)), ("list1", "failed", client.Mismatch))

    def test_lists_of_two_servers_are_refused(self):
        for other in (client.Replica("http://other.example", "a"), client.Replica("http://lists.example", "a", token="x")):
            self.assertRaises(ValueError, next, client.follow([*self.replicas, other]))

    def test_other_documents_are_refused(self):
        good = {"mark": "a-1", "all": False, "more": False, "lists": [], "gone": ["b"]}
        self.assertEqual(client.read_changed_lists(json.dumps(good)).heads, {"b": None})
        for odd in ({"mark": "a b"}, {"mark": "a&b"}, {"mark": 1}, {"all": 1}, {"gone": [1]}, {"gone": "b"}, {"lists": [1]},
                    {"lists": [{"list": "b", "head": {"cursor": "1"}}]}):
            with self.assertRaises(client.Mismatch, msg=odd):
                client.read_changed_lists(json.dumps({**good, **odd}))


if __name__ == "__main__":
    unittest.main()
