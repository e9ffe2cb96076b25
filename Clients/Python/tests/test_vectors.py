"""The client is judged by Tests/Conformance, like the program that wrote these files."""
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
import listsync_client as client  # noqa: E402

FOLDER = HERE.parents[3] / "Tests" / "Conformance"


def vectors(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]


def items(pairs):
    return [client.Item(*pair) for pair in pairs]


def changes(record):
    """The changes of a vector, whose contents are texts."""
    return client.Changes(*([client.Change(one["id"], one.get("from"), one.get("to"), one.get("content"))
                             for one in record[name]] for name in client.Changes._fields))


def state(record):
    return client.State(record["cursor"], record["count"], record["checksum"])


class VectorTests(unittest.TestCase):
    def each(self, name):
        found = vectors(name)
        self.assertGreater(len(found), 5)
        for vector in found:
            with self.subTest(file=name, vector=vector["name"]):
                yield vector

    def refuses(self, vector, body):
        """Runs a function that must refuse what the vector says, and nothing else."""
        if "refused" in vector:
            self.assertRaises(client.Mismatch, body)
            return None
        return body()

    def test_spellings(self):
        for vector in self.each("spellings"):
            kind, text = vector["kind"], vector["text"]
            if kind == "time":
                milliseconds = self.refuses(vector, lambda: client.read_time(text))
                self.assertEqual(milliseconds, vector.get("milliseconds"))
            elif kind != "version":
                read = {"cursor": client._cursor, "checksum": client._hex(32), "chain": client._hex(64),
                        "list-name": client._list_name}[kind]
                self.assertEqual(read(text), vector.get("written"))

    def test_contents(self):
        for vector in self.each("contents"):
            text = bytes.fromhex(vector["hex"]) if "hex" in vector else vector["json"]
            written = self.refuses(vector, lambda: client.canonical(client.parse(text)))
            self.assertEqual(written, vector.get("canonical"))
            if written:
                self.assertEqual(client.canonical(client.parse(written.encode())), written)

    def test_checksums(self):
        for vector in self.each("checksums"):
            found = items(vector["items"])
            for index, term in enumerate(vector.get("terms", [])):
                number = client.term(found[index], found[index - 1].id if index else None)
                self.assertEqual(number.to_bytes(16, "little").hex(), term)
            self.assertEqual(client.checksum(found), vector["checksum"])
            for step in vector.get("steps", []):
                found = client.apply(found, changes(step["changes"]))
                self.assertEqual(client.checksum(found), step["checksum"])

    def test_chains(self):
        for vector in self.each("chains"):
            found = client.chain(
                vector["previous"], vector["version"], client.read_time(vector["time"]), vector["author"],
                vector["message"], vector["old_count"], vector["new_count"], changes(vector["changes"]),
                vector["checksum"])
            self.assertEqual(found, vector["chain"])
            self.assertEqual(f"{vector['version']}-{found[:12]}", vector["cursor"])

    def check_diff(self, old, new, expected):
        self.assertEqual(client.diff(old, new), expected)
        self.assertEqual(client.apply(old, expected), new)

    def test_diffs(self):
        for vector in self.each("diffs"):
            self.check_diff(items(vector["old"]), items(vector["new"]), changes(vector["changes"]))

    def test_compositions(self):
        for vector in self.each("compositions"):
            a, b, c = (items(vector[name]) for name in "abc")
            self.check_diff(a, b, changes(vector["ab"]))
            self.check_diff(b, c, changes(vector["bc"]))
            self.check_diff(a, c, changes(vector["ac"]))

    def test_deltas(self):
        for vector in self.each("deltas"):
            delta = client.read_delta(vector["document"].encode())
            copy = client.Copy("parks", client.State(None, len(vector["items"]), client.checksum(items(vector["items"]))),
                               items(vector["items"])).applying(delta)
            self.assertEqual(copy.items, items(vector["result"]))
            self.assertEqual(copy.state, state(vector["to"]))
            self.assertEqual(delta.changes is None, vector["kind"] == "snapshot")
            self.assertEqual(delta.reason, vector["reason"] or "changes")
            self.assertEqual(delta.more, vector["more"])

    def test_refusals(self):
        for vector in self.each("refusals"):
            old = items(vector["items"])
            copy = client.Copy("parks", client.State(None, len(old), client.checksum(old)), old)
            self.refuses(vector, lambda: copy.applying(client.read_delta(vector["document"])))

    def test_bundles(self):
        for vector in self.each("bundles"):
            old = items(vector["items"])
            lines = vector["bundle"].encode().splitlines(keepends=True)
            header = json.loads(lines[0]) if lines else {}
            start = None
            if header.get("prerequisite"):
                start = client.Copy("parks", client.State(header["prerequisite"]["cursor"], len(old), client.checksum(old)), old)
            versions = self.refuses(vector, lambda: list(client.read_bundle(lines, start)))
            if versions is not None:
                self.assertEqual([version.state for version in versions], [state(one) for one in vector["versions"]])
                if versions:
                    self.assertEqual(versions[-1].items, items(vector["result"]))

    def test_answers(self):
        words = {client.NoDelta: "start-over", client.Mismatch: "start-over", client.Unavailable: "retry",
                 client.Refused: "stop"}
        for vector in self.each("answers"):
            retry_after = 0
            try:
                delta = client.read_answer(
                    client.Response(vector["status"], vector["headers"], vector["body"].encode()))
                word = "nothing-new" if delta is None else "snapshot" if delta.changes is None else "changes"
            except client.ListSyncError as error:
                word = words[type(error)]
                retry_after = getattr(error, "retry_after_seconds", 0)
            self.assertEqual(word, vector["meaning"])
            self.assertEqual(retry_after, vector["retry_after"] or 0)

    def test_waits(self):
        for vector in self.each("waits"):
            bounds = [client.wait_seconds(vector["failures"], vector["retry_after"] or 0, chance) for chance in (0, 1)]
            self.assertEqual(bounds, [vector["least"], vector["most"]])


if __name__ == "__main__":
    unittest.main()
