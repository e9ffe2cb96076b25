"""The client is judged by Tests/Conformance, like the program that wrote these files."""
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
from listsync import client  # noqa: E402

FOLDER = HERE.parents[3] / "Tests" / "Conformance"


def each(name):
    """A decorator: runs a test for each vector of a file."""
    def decorate(check):
        def test(self):
            vectors = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["vectors"]
            self.assertGreater(len(vectors), 5)
            for vector in vectors:
                with self.subTest(vector["name"]):
                    check(self, vector)
        return test
    return decorate


def items(pairs):
    return [client.Item(*pair) for pair in pairs]


def changes(record):
    """The changes of a vector, whose contents are texts."""
    return client.Changes(*([client.Change(one["id"], one.get("from"), one.get("to"), one.get("content"))
                             for one in record[name]] for name in client.Changes._fields))


def state(record):
    return client.State(record["cursor"], record["count"], record["root"])


def copied(pairs, cursor=None):
    found = items(pairs)
    return client.Copy("parks", client.State(cursor, len(found), client.root(found)), found)


class VectorTests(unittest.TestCase):
    def refuses(self, vector, body):
        """Runs a function that must refuse what the vector says, and nothing else."""
        if "refused" in vector:
            self.assertRaises(client.Mismatch, body)
            return None
        return body()

    @each("spellings")
    def test_spellings(self, vector):
        kind, text = vector["kind"], vector["text"]
        if kind == "time":
            milliseconds = self.refuses(vector, lambda: client.read_time(text))
            self.assertEqual(milliseconds, vector.get("milliseconds"))
        elif kind != "version":
            read = {"cursor": client._cursor, "root": client._hex(64), "chain": client._hex(64),
                    "list-name": client._list_name}[kind]
            self.assertEqual(read(text), vector.get("written"))

    @each("contents")
    def test_contents(self, vector):
        text = bytes.fromhex(vector["hex"]) if "hex" in vector else vector["json"]
        written = self.refuses(vector, lambda: client.canonical(client.parse(text)))
        self.assertEqual(written, vector.get("canonical"))
        if written:
            self.assertEqual(client.canonical(client.parse(written.encode())), written)

    @each("roots")
    def test_roots(self, vector):
        copy = copied(vector["items"])
        self.assertEqual(copy.state.root, vector["root"])
        self.assertEqual(len(client.HashTree.of(copy.items).levels[0].ends), vector["groups"])
        if "hashes" in vector:
            self.assertEqual([client.item_hash(item).hex() for item in copy.items], vector["hashes"])
        for step in vector.get("steps", []):
            made = changes(step["changes"])
            found = client.apply(copy.items, made)
            self.assertEqual(client.root(found), step["root"])
            end = client.State(None, len(found), step["root"])
            copy = copy.applying(client.Delta("parks", copy.state, end, made, None))

    @each("chains")
    def test_chains(self, vector):
        found = client.chain(
            vector["previous"], vector["version"], client.read_time(vector["time"]), vector["author"],
            vector["message"], vector["root"])
        self.assertEqual(found, vector["chain"])
        self.assertEqual(f"{vector['version']}-{found[:32]}", vector["cursor"])

    @each("proofs")
    def test_proofs(self, vector):
        if "headers" in vector:
            headers = [client.read_versions(f"[{text}]")[0] for text in vector["headers"]]
            self.assertEqual(client.follows(vector["cursor"], headers), vector["follows"])
        elif "refused" in vector:
            self.assertRaises(client.ListSyncError, client.check_proof, vector["proof"], vector["cursor"])
        else:
            proof = client.check_proof(vector["proof"], vector["cursor"])
            self.assertEqual((proof.item.id, proof.index, proof.count), (vector["id"], vector["index"], vector["count"]))

    @each("notes")
    def test_notes(self, vector):
        def check():
            return client.check_note(vector["note"], client.read_key(vector["key"]), vector["list"])
        if vector.get("refused") == "malformed":
            self.assertIsNone(client.read_key(vector["key"]))
        elif "refused" in vector:
            with self.assertRaises(client.Untrusted) as caught:
                check()
            self.assertEqual(caught.exception.kind, vector["refused"])
        else:
            found = check()
            self.assertEqual([found.version, found.root, found.chain, found.successor and found.successor.text],
                             [vector["version"], vector["root"], vector["chain"], vector.get("successor")])

    def check_diff(self, old, new, expected):
        self.assertEqual(client.diff(old, new), expected)
        self.assertEqual(client.apply(old, expected), new)

    @each("diffs")
    def test_diffs(self, vector):
        self.check_diff(items(vector["old"]), items(vector["new"]), changes(vector["changes"]))

    @each("compositions")
    def test_compositions(self, vector):
        a, b, c = (items(vector[name]) for name in "abc")
        self.check_diff(a, b, changes(vector["ab"]))
        self.check_diff(b, c, changes(vector["bc"]))
        self.check_diff(a, c, changes(vector["ac"]))

    @each("deltas")
    def test_deltas(self, vector):
        delta = client.read_delta(vector["document"].encode())
        copy = copied(vector["items"]).applying(delta)
        self.assertEqual(copy.items, items(vector["result"]))
        self.assertEqual(copy.state, state(vector["to"]))
        self.assertEqual(delta.changes is None, vector["kind"] == "snapshot")
        self.assertEqual(delta.reason, vector["reason"] or "changes")
        self.assertEqual(delta.more, vector["more"])

    @each("refusals")
    def test_refusals(self, vector):
        copy = copied(vector["items"])
        self.refuses(vector, lambda: copy.applying(client.read_delta(vector["document"])))

    @each("bundles")
    def test_bundles(self, vector):
        lines = vector["bundle"].encode().splitlines(keepends=True)
        header = json.loads(lines[0]) if lines else {"kind": "full"}
        start = copied(vector["items"], header["from"]["cursor"]) if header["kind"] == "incremental" else None
        versions = self.refuses(vector, lambda: list(client.read_bundle(lines, start)))
        if versions is not None:
            self.assertEqual([copy.state for copy, _ in versions], [state(one) for one in vector["versions"]])
        if versions:
            self.assertEqual(versions[-1][0].items, items(vector["result"]))

    @each("answers")
    def test_answers(self, vector):
        response = client.Response(vector["status"], vector["headers"], vector["body"].encode())
        words = {client.NoDelta: "start-over", client.Mismatch: "start-over", client.Unavailable: "retry",
                 client.Refused: "stop", client.Conflicts: "stop"}
        seconds = 0
        try:
            delta = client.read_answer(response)
            word = "nothing-new" if delta is None else "snapshot" if delta.changes is None else "changes"
        except client.ListSyncError as error:
            word, seconds = words[type(error)], getattr(error, "retry_after_seconds", 0)
        self.assertEqual(word, vector["meaning"])
        self.assertEqual(seconds, vector["retry_after"] or 0)

    @each("waits")
    def test_waits(self, vector):
        bounds = [client.wait_seconds(vector["failures"], vector["retry_after"] or 0, chance) for chance in (0, 1)]
        self.assertEqual(bounds, [vector["least"], vector["most"]])


if __name__ == "__main__":
    unittest.main()
