"""What a server may send: bodies without an end, slow ones, damaged ones, events that are none; and numbers of any length."""
import decimal
import json
import random
import socket
import sys
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
import histories  # noqa: E402
from listsync import client  # noqa: E402
from test_proofs import prove  # noqa: E402

NOTHING = json.dumps(histories.changes(histories.NOTHING, histories.NOTHING))


class Server:
    """Calls `answer(connection, path)` for each request in a thread of its own, and ends the connection after it."""

    def __init__(self, test, answer):
        self.answer, self.paths = answer, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        test.addCleanup(self.socket.close)
        test.addCleanup(self.socket.shutdown, socket.SHUT_RDWR)
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                path = connection.recv(65_536).split()[1].decode()
                self.paths.append(path)
                self.answer(connection, path)
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65_536)
            except (OSError, IndexError):
                pass


def head(status, *headers):
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


def respond(connection, body, status="200 OK", kind="application/json"):
    body = body.encode("utf-8", "surrogatepass")
    connection.sendall(head(status, f"Content-Type: {kind}", f"Content-Length: {len(body)}") + body)


def forever(connection, piece, seconds=0.0):
    for _ in range(1_000_000):
        connection.sendall(piece)
        time.sleep(seconds)


ODD_EVENTS = [
    "null", "7", "[]", "{", "", "{}", '{"cursor":7}', '{"cursor":null}', '{"cursor":"x"}', "[" * 50_000, "NaN", '"\\ud800"',
    '{"a":' * 9000, '{"cursor":"' + "9" * 5000 + '-' + "0" * 32 + '"}', "9" * 5000, "1e400", "\x00", '{"cursor":"' + "9" * 70_000]


class HostileTests(unittest.TestCase):
    def failure(self, answer, **options):
        """The error with which a replica of one try ends, and the server."""
        server = Server(self, answer)
        replica = client.Replica(server.address, "parks", **{"try_limit": 1, **options})
        replica.sleep = lambda _: None
        with self.assertRaises(client.ListSyncError) as caught:
            replica.catch_up()
        return caught.exception, server

    def test_an_answer_without_an_end_is_refused_at_the_byte_limit(self):
        for start in [head("200 OK"), head("200 OK", "Content-Length: 9223372036854775806")]:
            error, server = self.failure(
                lambda connection, _: (connection.sendall(start), forever(connection, b" " * 4096)), byte_limit=100_000)
            self.assertIsInstance(error, client.TooLong)
            self.assertEqual(len(server.paths), 1)

    def test_a_problem_without_an_end_keeps_its_status(self):
        for status, kind in [("404 Not Found", client.Refused), ("503 Unavailable", client.Unavailable)]:
            error, _ = self.failure(
                lambda connection, _: (connection.sendall(head(status)), forever(connection, b" " * 4096)))
            self.assertEqual((type(error), error.status, error.problem), (kind, int(status[:3]), {}))

    def test_an_answer_has_a_time_in_all(self):
        for start, piece in [(b"", b"H"), (head("200 OK"), b" "), (head("100 Continue"), head("100 Continue")),
                             (b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"),
                             (head("200 OK", "Transfer-Encoding: chunked") + b"0\r\n", b"A: b\r\n")]:
            error, _ = self.failure(
                lambda connection, _: (connection.sendall(start), forever(connection, piece, 0.02)), seconds=0.5)
            self.assertIsInstance(error, client.Unavailable, (start, piece))

    def test_an_answer_has_a_time_between_its_pieces(self):
        with mock.patch.object(client, "IDLE_SECONDS", 0.3):
            error, _ = self.failure(lambda connection, _: (connection.sendall(head("200 OK")), time.sleep(10)))
        self.assertIsInstance(error, client.Unavailable)

    def test_an_answer_that_is_cut_off_is_not_used(self):
        for start in [head("200 OK", "Content-Length: 100"), head("200 OK", "Transfer-Encoding: chunked") + b"5\r\n"]:
            error, _ = self.failure(lambda connection, _: connection.sendall(start + b"{"))
            self.assertIsInstance(error, client.Unavailable)

    def test_problems_that_are_no_objects_do_not_change_what_a_status_means(self):
        bodies = ["null", "[]", "7", '"x"', "{", "", '{"type":7,"detail":{}}', "[" * 5000, "[[1,2]]", "9" * 5000, "1e9999999999999999",
                  '{"type":"urn:listsync:problem:too-old"}', '{"type":"no-such-version"}']
        for body in bodies:
            error, server = self.failure(lambda connection, _: respond(connection, body, "404 Not Found"), try_limit=3)
            asked = [path for path in server.paths if not path.endswith("/head.json")]
            self.assertEqual((type(error), error.status, len(asked)), (client.Refused, 404, 1), body)

    def test_a_replica_that_watches_events_survives_events_that_are_none(self):
        for event in [*ODD_EVENTS, None]:
            def answer(connection, path):
                if "/events" not in path:
                    return respond(connection, NOTHING)
                connection.sendall(head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked"))
                if event is not None:
                    data = f"data: {event}\n\n".encode() + b"\xff\xfe\n"
                    connection.sendall(b"%x\r\n%b\r\n" % (len(data), data))
                return None
            server = Server(self, answer)
            replica = client.Replica(server.address, "parks", events=True)
            replica.sleep = lambda _: replica.stop() if any("wait=" in path for path in server.paths) else None
            self.assertEqual(list(replica.updates()), [], event)
            self.assertTrue([path for path in server.paths if "/events" in path])

    def test_a_line_of_events_has_a_bound(self):
        def answer(connection, path):
            connection.sendall(head("200 OK", "Content-Type: text/event-stream"))
            forever(connection, b"data")
        replica = client.Replica(Server(self, answer).address, "parks", events=True)
        self.assertFalse(replica._other_head())

    def test_an_answer_with_a_spoiled_head_is_refused_with_an_error_of_the_client(self):
        chance, text = random.Random(11), [b""]
        server = Server(self, lambda connection, _: connection.sendall(text[0]))
        kind = "Content-Type: application/json"
        answers = [
            head("200 OK", kind, f"Content-Length: {len(NOTHING)}") + NOTHING.encode(),
            head("200 OK", kind, "Transfer-Encoding: chunked") + f"{len(NOTHING):x}\r\n{NOTHING}\r\n0\r\nA: b\r\n\r\n".encode(),
            head("304 Not Modified", f'ETag: "{client.State().cursor}"'), head("503 Busy", "Retry-After: 1", "Content-Length: 2") + b"{}"]
        pieces = [b"", b"\xff", b"\0", b"\r\n", b"\n", b"-1", b"9" * 20, b":", b" ", b"gzip", b";", b"0x10", b"Content-Encoding: gzip\r\n"]
        for _ in range(1000):
            sound, at = chance.choice(answers), chance.randrange(120)
            text[0] = sound[:at] + chance.choice(pieces) + sound[at + chance.choice((0, 1, 3, 20)):]
            try:
                client.Replica(server.address, "parks", try_limit=1, seconds=0.5).catch_up()
            except client.ListSyncError:
                pass
            except Exception as error:
                raise AssertionError(f"{type(error).__name__} at {text[0]}") from error

    def test_every_damaged_document_is_refused_with_an_error_of_the_client(self):
        chance = random.Random(7)
        items = [client.Item.of("a", {"id": "a", "n": 1}), client.Item.of("b", [1.5])]
        one, start = histories.version(*items, message="x"), histories.NOTHING
        header, delta = histories.header(one), json.dumps(histories.changes(start, one))
        bundle = b"".join(histories.bundle(one)).decode()
        problem = '{"type":"urn:listsync:problem:too-old","title":"Too old","status":410,"oldest":4}'
        reads = [
            (delta, lambda text: start.applying(client.read_delta(text))),
            (bundle, lambda text: list(client.read_bundle(text.splitlines(keepends=True)))),
            (problem, lambda text: client.read_answer(client.Response(410, {}, text))),
            (json.dumps(histories.log(one, one)), client.read_versions),
            (json.dumps(prove(items, 1, header)), lambda text: client.check_proof(text, header.cursor)),
            (json.dumps({"head": json.loads(delta)["to"]}), lambda text: client._get(client.parse(text), "head", client._state)),
        ]
        pieces = ["null", "{}", "[]", "-1", "1e400", '""', "01", '"\\ud800"', "{", "[" * 2000, "9" * 5000, "\x00", "\ufeff", "true",
                  '"' + "9" * 5000 + "-" + "0" * 32 + '"', '"2026-11-31T11:37:00Z"']
        for text, read in reads[:2] + reads[3:]:
            read(text.encode())
        for text, read in reads:
            for _ in range(2000):
                at, count = chance.randrange(len(text)), chance.choice((0, 1, 2, chance.randrange(60)))
                spoiled = (text[:at] + chance.choice(["", *pieces]) + text[at + count:]).encode()
                try:
                    read(spoiled)
                except client.ListSyncError:
                    pass
                except Exception as error:
                    raise AssertionError(f"{type(error).__name__} at {spoiled[:3000]}") from error


class ExactTests(unittest.TestCase):
    TEXTS = ["1234567890123456789", "0.1234567890123456789", "1e+400", "-1.5e-400", "3.141592653589793238462643383279",
             "9007199254740993", "12345678901234567890.1", "1e+999999999999999"]

    def test_numbers_of_a_content_keep_each_digit(self):
        text = '{"deep":[' + ",".join(self.TEXTS) + '],"id":"a"}'
        item = client.Item("a", text)
        self.assertEqual(client.Item.of("a", item.value), item)
        changed = client.Item.of("a", {**item.value, "name": "B2"}).content
        self.assertEqual(changed, text[:-1] + ',"name":"B2"}')

    def test_numbers_are_those_of_python_where_these_hold_them(self):
        for text, kind in [("1", int), (self.TEXTS[0], int), ("1.5", float), ("1e+21", float), ("5e-324", float),
                           (self.TEXTS[1], decimal.Decimal), ("1e+400", decimal.Decimal)]:
            value = client.Item("a", text).value
            self.assertEqual((type(value), client.canonical(value)), (kind, text))

    def test_numbers_of_python_are_written_exactly_or_refused(self):
        digits = "123456789" * 1000
        large = sum(int(digits[at:at + 9]) * 10**(len(digits) - at - 9) for at in range(0, len(digits), 9))
        self.assertEqual(client.canonical(large), f"{digits[0]}.{digits[1:]}e+{len(digits) - 1}")
        self.assertEqual(client.canonical([10**30, decimal.Decimal("1.50")]), "[1e+30,1.5]")
        for value in [float("nan"), float("inf"), decimal.Decimal("NaN"), decimal.Decimal("-Infinity")]:
            self.assertRaises(client.Mismatch, client.canonical, {"a": value})

    def test_thousands_of_zeros_before_a_number_are_read(self):
        zeros = "0" * 5000
        for text, form in [(f"1e{zeros}2", "100"), (f"1E-{zeros}2", "0.01"), (f"5e+{zeros}", "5"), (f"0e{zeros}9", "0")]:
            self.assertEqual(client.canonical(client.parse(text)), form)
        self.assertEqual(client._cursor(f"{zeros}7-{'a' * 32}"), f"7-{'a' * 32}")
        self.assertEqual(client._cursor(f"{zeros}-{zeros[:32]}"), client.State().cursor)


if __name__ == "__main__":
    unittest.main()
