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
import listsync_client as client  # noqa: E402

PARKS = [client.Item.of("zion", {"id": "zion", "acres": 147_242}), client.Item.of("acadia", {"id": "acadia"})]


def copy(version, *items):
    state = client.State(f"{version}-{version:032}", len(items), client.root(items))
    return client.Copy("parks", state, [*items])


def answer(document, **members):
    return client.Response(200, {}, json.dumps({**json.loads(document), "list": "parks", **members}).encode())


def changes(before, after, more=False):
    """The answer that leads from a copy to another."""
    return answer(client.write_delta(before.state, after.state, client.diff(before.items, after.items)), more=more)


def whole(copy, reason):
    """The answer with the whole list."""
    items = [{"id": item.id, "content": item.value} for item in copy.items]
    document = client.write_delta(copy.state, copy.state, client.Changes())
    document = {**json.loads(document), "kind": "snapshot", "items": items, "oldest": 1, "reason": reason}
    del document["from"]
    return answer(json.dumps(document))


class ReplicaTests(unittest.TestCase):
    def replica(self, *answers, **options):
        """A replica that gets these answers; it does not wait."""
        replica = client.Replica("http://lists.example/", "parks", **options)
        self.waits, self.requests = [], []
        replica.sleep = self.waits.append
        left = list(answers)

        def send(method, url, headers, body=None, *limits):
            self.requests.append((method, url, headers, body))
            if isinstance(left[0], Exception):
                raise left.pop(0)
            return left.pop(0)
        patch = mock.patch.object(client, "send", send)
        patch.start()
        self.addCleanup(patch.stop)
        return replica

    def test_an_update_has_the_lists_and_the_changes_between_them(self):
        one, two = copy(1, *PARKS), copy(2, PARKS[1], client.Item.of("zion", {"id": "zion"}))
        replica = self.replica(changes(client.Copy("parks"), one, more=True), changes(one, two))
        first, second = replica.updates(watch=False)
        self.assertEqual((first.reason, second.reason), ("first", "changes"))
        self.assertEqual((second.before, second.after, replica.copy), (one, two, two))
        self.assertEqual(second.changes.moved, [client.Change("zion", 0, 1)])
        self.assertEqual(second.after.items[1].value, {"id": "zion"})
        self.assertEqual(self.waits, [])

    def test_a_copy_in_a_file_is_continued(self):
        one, two = copy(1, *PARKS), copy(2, PARKS[0])
        with tempfile.TemporaryDirectory() as folder:
            storage = client.FileStorage(os.path.join(folder, "copy"))
            self.replica(changes(client.Copy("parks"), one), storage=storage).catch_up()
            replica = self.replica(changes(one, two), storage=storage)
            self.assertEqual(replica.start().state, one.state)
            self.assertEqual(replica.catch_up().state, two.state)
            self.assertIn(f"since={one.state.cursor}&", self.requests[0][1])
            self.assertEqual(storage.load("parks"), client.Copy("parks", two.state, [PARKS[0]]))
            self.assertRaises(client.ListSyncError, storage.load, "films")
            text = Path(storage.path).read_text("utf-8")
            Path(storage.path).write_text(text.replace("147242", "147243"), "utf-8")
            self.assertRaises(client.Mismatch, storage.load, "parks")

    def test_a_saved_copy_without_a_root_is_refused_as_a_damaged_one_is(self):
        for items in [[], [["a", "1"]]]:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "copy")
                saved = ["parks", [f"{len(items)}-000000000000", len(items), "0" * 32], items]
                path.write_text(json.dumps(saved), "utf-8")
                self.assertRaises(client.Mismatch, client.FileStorage(str(path)).load, "parks")
                with mock.patch.object(sys, "stderr"):
                    self.assertEqual(client.main(["http://127.0.0.1:1", "parks", "--copy", str(path)]), 1)
                self.assertEqual(json.loads(path.read_text("utf-8")), saved)

    def test_a_copy_that_cannot_be_saved_is_not_shown(self):
        storage = client.FileStorage("/nowhere/copy")
        replica = self.replica(changes(client.Copy("parks"), copy(1, *PARKS)), storage=storage)
        self.assertRaises(OSError, replica.catch_up)
        self.assertEqual(replica.copy, client.Copy("parks"))

    def test_a_stopped_replica_asks_no_more(self):
        one = copy(1, *PARKS)
        replica = self.replica(changes(client.Copy("parks"), one))
        for _ in replica.updates():
            replica.stop()
        self.assertEqual(len(self.requests), 1)

    def test_failures_in_a_row_have_longer_waits_up_to_the_limit(self):
        replica = self.replica(*[client.Unavailable("lost")] * 4, try_limit=4)
        self.assertRaises(client.Unavailable, replica.catch_up)
        for number, wait in enumerate(self.waits):
            self.assertTrue(0.25 * 2**number <= wait <= 0.5 * 2**number)

    def test_empty_pages_do_not_go_on_for_ever(self):
        copies = [client.Copy("parks", client.State(f"{number}-{number:032}")) for number in range(150)]
        pages = [changes(a, b, more=True) for a, b in zip(copies, copies[1:102])]
        replica = self.replica(*pages, changes(copies[0], copies[120]))
        self.assertEqual(replica.catch_up().state.version, 120)
        self.assertIn(f"since={client.State().cursor}&", self.requests[101][1])

    def test_two_histories_in_turn_are_not_asked_without_a_pause(self):
        replica = self.replica(*[whole(copy(number % 2 + 1, *PARKS), "diverged") for number in range(9)])
        for number, _ in enumerate(replica.updates(), 1):
            if number == 9:
                replica.stop()
        self.assertGreaterEqual(len([wait for wait in self.waits if wait > 0.2]), 7)

    def test_a_commit_names_the_version_that_it_replaces(self):
        one, two = copy(1, *PARKS), copy(2, PARKS[0])
        third = copy(3).state.cursor
        accepted = json.dumps({"head": {"cursor": two.state.cursor, "count": 1, "root": two.state.root}})
        refused = client.Response(412, {}, json.dumps({"head": third}).encode())
        replica = self.replica(client.Response(201, {}, accepted.encode()), refused, token="secret")
        replica.copy = one
        self.assertEqual(replica.commit([PARKS[0]], message="Æ&"), two.state)
        method, url, headers, body = self.requests[0]
        self.assertEqual((method, url), ("PATCH", "http://lists.example/v1/lists/parks?message=%C3%86%26"))
        self.assertEqual((headers["If-Match"], headers["Authorization"]), (f'"{one.state.cursor}"', "Bearer secret"))
        self.assertEqual(one.applying(client.read_delta(body)).items, [PARKS[0]])
        with self.assertRaises(client.Refused) as caught:
            replica.commit([])
        self.assertEqual((caught.exception.status, caught.exception.problem["head"]), (412, third))


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
            first = ann.commit(PARKS, "Ann", "First")
            self.assertEqual(ann.commit(PARKS), first, "an answer that was lost")
            self.assertEqual(ann.catch_up().state, first)
            ben.catch_up()
            second = ben.commit([*PARKS[::-1], client.Item.of("cafe\u0301", {"n": 1.50, "id": "x"})])
            with self.assertRaises(client.Refused) as caught:
                ann.commit(PARKS[:1])
            self.assertEqual(caught.exception.status, 412)
            self.assertEqual(ann.catch_up().state, second)
            self.assertEqual(ann.commit(PARKS[:1]).version, 3)
            answer = client.send("GET", f"{address}/v1/lists/parks/bundle", {})
            versions = list(client.read_bundle(answer.body.splitlines(keepends=True)))
            self.assertEqual([version.copy.state for version in versions[:2]], [first, second])
            self.assertEqual((versions[0].author, versions[0].message), ("Ann", "First"))
            self.assert_events_bring(ann, client.Replica(address, "parks", events=True))
            late = client.Replica("http://127.0.0.1:1", "parks", try_limit=1)
            self.assertRaises(client.Unavailable, late.catch_up)

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
                body = changes(client.Copy("parks"), copy(1, *PARKS)).body if "since=0" in self.path else b""
                self.send_response(404 if "events" in self.path else 200 if body else 304)
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
        self.assertEqual([path.partition("?")[0] for path in Handler.paths], ["delta", "events", "delta"])


if __name__ == "__main__":
    unittest.main()
