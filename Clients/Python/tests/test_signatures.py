"""Signatures, keys, notes, and a replica with a key (P51 to P53)."""
import base64
import json
import os
import re
import string
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
sys.path.insert(0, str(HERE.parent))
from listsync import client  # noqa: E402
from histories import NOTHING, answer, changes, header, proven_state, version, versions, whole  # noqa: E402
from signers import Signer, head_text, key_text, note, public_key, signature  # noqa: E402
from test_replica import Scripted  # noqa: E402

try:
    import cryptography
except ImportError:
    cryptography = None

OWNER, STRANGER = Signer("lists.example"), Signer("cdn.example")
HEIR = Signer("lists.example", "the second key")

GOLDEN_KEY = "lists.example+494a72f9+AUI0R1TOjejOqixLB7fTrQPSXsYPpnZ1giYvKUoqox7G"
GOLDEN = """list-head/1
parks
7
a696d111a4e0a318bcc6f012758aa76a8e9c92c0bea73c34ba4733e08768331f
9414886b1ebf025db067a4cbd13a0903fbd9733a5372bba1b58bd72c1699b798

\u2014 lists.example SUpy+dGRTuUwSohXQwf+tszX6kENcFPuBF7pH9y657ha0Afr1EWBDx7/rdJICxX88Jp46p9jgBxosj0OzB7d84IjyQA=
"""
"""Made by openssl: `openssl pkeyutl -sign -rawin`."""

RFC_8032 = [  # 7.1, tests 1 to 3: secret key, public key, message, signature
    ("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe246"
     "55141438e7a100b"),
    ("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb"
     "00d291612bb0c00"),
    ("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc"
     "027beceea1ec40a"),
]


def encoded(number):
    return number.to_bytes(32, "little")


class SignatureTests(unittest.TestCase):
    def verdicts(self, *arguments):
        """The verdict of the client, with the package `cryptography` where it is there, and without it."""
        own = client.signature_holds(*arguments)
        with mock.patch.object(client, "_holds_in_library", lambda *_: None):
            self.assertEqual(client.signature_holds(*arguments), own)
        return own

    def test_the_vectors_of_rfc_8032_hold(self):
        for vector in RFC_8032:
            seed, key, message, signed = map(bytes.fromhex, vector)
            self.assertTrue(self.verdicts(key, signed, message))
            self.assertEqual((public_key(seed), signature(seed, message)), (key, signed))

    def test_each_spoiled_byte_is_refused(self):
        _, key, message, signed = map(bytes.fromhex, RFC_8032[2])
        for at in range(64):
            for bit in (1, 128):
                spoiled = signed[:at] + bytes([signed[at] ^ bit]) + signed[at + 1:]
                self.assertFalse(self.verdicts(key, spoiled, message))
        for other in (message + b"\0", message[:1], b"", b"\xaf\x83"):
            self.assertFalse(self.verdicts(key, signed, other))
        self.assertFalse(self.verdicts(bytes.fromhex(RFC_8032[1][1]), signed, message))

    def test_a_signature_has_64_bytes_and_a_number_below_the_order(self):
        for vector in RFC_8032:
            _, key, message, signed = map(bytes.fromhex, vector)
            number = int.from_bytes(signed[32:], "little")
            for times in (1, 2, 7, 15):
                if number + times * client._ORDER < 2**256:
                    self.assertFalse(self.verdicts(key, signed[:32] + encoded(number + times * client._ORDER), message))
            for other in (b"", signed[:63], signed + b"\0", signed * 2, signed[:32]):
                self.assertFalse(self.verdicts(key, other, message))
            for other in (key[:31], key + b"\0", b""):
                self.assertFalse(self.verdicts(other, signed, message))

    def test_points_have_one_encoding(self):
        prime, sign = client._PRIME, 2**255
        # With the neutral point as the key and as R, 0 * B is what each message needs.
        self.assertTrue(self.verdicts(encoded(1), encoded(1) + bytes(32), b"any"))
        for spelled in (prime + 1, 1 + sign, prime + 1 + sign):
            self.assertFalse(self.verdicts(encoded(spelled), encoded(1) + bytes(32), b"any"))
            self.assertFalse(self.verdicts(encoded(1), encoded(spelled) + bytes(32), b"any"))
        for number in (prime, prime + 18, prime - 1 + sign, 2**256 - 1, 2):
            self.assertIsNone(client._point(encoded(number)))
            self.assertFalse(self.verdicts(encoded(number), encoded(1) + bytes(32), b"any"))

    @unittest.skipUnless(cryptography, "the package cryptography is not there")
    def test_both_verifiers_agree(self):
        for number in range(40):
            one, text = Signer(f"{number}"), b"x" * number
            signed = bytearray(signature(one.seed, text))
            if number % 3:
                signed[number] ^= 1 << number % 8
            found = [holds(public_key(one.seed), bytes(signed), text)
                     for holds in (client._holds_in_python, client._holds_in_library)]
            self.assertEqual(found, [number % 3 == 0] * 2)

    def test_without_the_package_python_itself_judges(self):
        _, key, message, signed = map(bytes.fromhex, RFC_8032[1])
        with mock.patch.dict(sys.modules, {"cryptography": None, "cryptography.exceptions": None}):
            self.assertIsNone(client._holds_in_library(key, signed, message))
            self.assertTrue(client.signature_holds(key, signed, message))


class NoteTests(unittest.TestCase):
    def setUp(self):
        self.header = header(versions(7)[-1])
        self.head = head_text(self.header)
        self.line = OWNER.sign(self.head)

    def check(self, text, key=OWNER.key, list="parks"):
        return client.check_note(text, client.read_key(key), list)

    def refused(self, kind, text, key=OWNER.key, list="parks"):
        with self.assertRaises(client.Untrusted, msg=text) as caught:
            self.check(text, key, list)
        self.assertEqual(caught.exception.kind, kind, text)
        self.assertIn(f"({kind})", str(caught.exception))

    def test_a_note_that_another_program_has_signed_is_read(self):
        self.assertEqual(OWNER.key, GOLDEN_KEY)
        found = self.check(GOLDEN)
        lines = GOLDEN.splitlines()
        self.assertEqual((found.list, found.version, found.root, found.chain, found.successor),
                         ("parks", 7, lines[3], lines[4], None))
        self.assertEqual(OWNER.sign(found.text), lines[6] + "\n")

    def test_a_text_of_another_form_is_no_key(self):
        name, id, data = OWNER.key.split("+", 2)
        point = base64.b64decode(data)[1:]
        self.assertTrue(client.read_key(Signer("Ænne/№1").key))
        texts = ["", name, f"{name}+{id.upper()}+{data}", f"{name}+{id}", f"{name}+{id}+", f"+{id}+{data}", f"{name}+{id}0+{data}",
                 f"{name}+00000000+{data}", OWNER.key + "\n", " " + OWNER.key, OWNER.key[:-4], OWNER.key + "=",
                 OWNER.key.replace("example", "exampl"), OWNER.key.replace("+AU", "+Ak"), None, 7,
                 client.Number("7")]
        names = ("two words", "a+b", "a\u0085b", "a\u3000b", "a\0b", "a\x1fb", "")
        texts += [key_text(other, point) for other in names]
        texts += [key_text("a", point, b"\2"), key_text("a", point[1:]), key_text("a", point + b"\0")]
        prime, sign = client._PRIME, 2**255
        texts += [key_text("a", encoded(number)) for number in (
            prime, prime + 1, prime + 18, 1 + sign, prime - 1 + sign, prime + sign, 2**256 - 1)]
        for text in texts:
            self.assertIsNone(client.read_key(text), text)

    def test_a_note_of_another_form_is_refused_although_its_signature_holds(self):
        def signed(text):
            return f"{text}\n{OWNER.sign(text)}"

        def spelled(**members):
            return signed(head_text(self.header, **members))
        head, line, sound = self.head, self.line, signed(self.head)
        data = line.split(" ")[2].strip()
        digits = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
        with_bits = f"{data[:-2]}{digits[digits.index(data[-2]) + 1]}="
        self.assertEqual(base64.b64decode(with_bits), base64.b64decode(data))
        empty = client.State().root
        notes = [
            "", head, f"{head}\n", sound[:-1], f"{sound}\n", f"\n{sound}", f"{head}{line}", f"{head}\n\n{line}",
            sound.replace("\n", "\r\n"), sound[:-1] + "\r\n", (sound + line) * 9, f"{head}\n{line * 17}",
            f"\ufeff{sound}", sound.replace("\u2014", "-"), sound.replace("\u2014 ", "\u2014"),
            sound.replace("\u2014 ", "\u2014  "), sound.replace(data, data[:-1]), sound.replace(data, with_bits),
            sound.replace(data, f"{data} "), sound.replace(data, re.sub("[+/]", "-", data)),
            f"{head}\n{line}\u2014 a\n", f"{head}\n{line}\u2014 a AAAA\n", f"{head}\n{line}\u2014 a+b AAAAAAAA\n",
            f"{head}\n{line}\u2014 a\u00a0b AAAAAAAA\n", f"{head}\n{line}\u2014 a\u2028 AAAAAAAA\n",
            f"{head}\n{line}no signature\n",
            *(spelled(version=text) for text in ("07", "+7", "7.0", "-7", " 7", "", "0", "\u0667", "9" * 17)),
            spelled(version=0, root=empty), spelled(version=0, chain="0" * 64),
            spelled(root=self.header.root.upper()), spelled(chain=self.header.chain[1:]),
            signed(head.replace("/1", "/2")), signed(head.replace("list-head/1\n", "")), signed(f"{head}a key\n"),
            signed(f"{head}{HEIR.key}=\n"), signed(f"{head}{HEIR.key}\n{HEIR.key}\n"), spelled(list="two words"),
            spelled(list=".parks"), note(self.header, OWNER, HEIR, successor=mock.Mock(
                key=re.sub("[0-9a-f]{8}", lambda match: match[0].upper(), HEIR.key))), 7, client.Number("7"), [], {}]
        for text in notes:
            self.assertIsNone(client.read_note(text), text)
            self.refused("false-signature", text)
        self.assertTrue(self.check(spelled(version=0, root=empty, chain="0" * 64)))

    def test_a_note_has_at_most_16_signatures_and_16384_bytes(self):
        self.assertTrue(self.check(f"{self.head}\n{self.line * 16}"))
        self.refused("false-signature", f"{self.head}\n{self.line}{STRANGER.sign(self.head) * 16}")
        rest = 16_384 - len(f"{self.head}\n{self.line}\u2014  AAAAAAAA\n".encode())

        def long(count):
            return f"{self.head}\n{self.line}\u2014 {'é' * (count // 2)}{'a' * (count % 2)} AAAAAAAA\n"
        self.assertEqual(len(long(rest).encode()), 16_384)
        self.assertTrue(self.check(long(rest)))
        self.refused("false-signature", long(rest + 1))

    def test_signatures_of_other_keys_are_ignored_before_and_behind(self):
        lie = STRANGER.line(bytes(64))
        for other in (lie, STRANGER.sign(self.head), "\u2014 witness.example/№1 AAAAAAA=\n",
                      HEIR.line(bytes(72)), Signer("Lists.example").line(bytes(64))):
            self.assertTrue(self.check(f"{self.head}\n{other}{self.line}"))
            self.assertTrue(self.check(f"{self.head}\n{self.line}{other}"))
            self.refused("other-key", f"{self.head}\n{other}")
        with self.assertRaises(client.Untrusted) as caught:
            self.check(f"{self.head}\n{lie}\u2014 \x9b31m AAAAAAAA\n")
        self.assertEqual(str(caught.exception), "the head of parks is refused (other-key): it is signed by "
                         f"{STRANGER.label}, ?31m+00000000, not by {OWNER.label}")

    def test_each_line_of_the_key_must_hold(self):
        self.assertTrue(self.check(f"{self.head}\n{self.line}{self.line}"))
        sound = signature(OWNER.seed, self.head.encode())
        number = int.from_bytes(sound[32:], "little") + client._ORDER
        for data in (bytes(64), sound[1:], sound + b"\0", sound[:32] + encoded(number),
                     bytes([sound[0] ^ 1]) + sound[1:], signature(OWNER.seed, self.head.encode() + b"\n"), signature(HEIR.seed, self.head.encode())):
            false = OWNER.line(data)
            for lines in (false, self.line + false, false + self.line):
                self.refused("false-signature", f"{self.head}\n{lines}")

    def test_each_changed_character_is_refused(self):
        start = GOLDEN.index("\n\n") + 2
        for at, character in enumerate(GOLDEN):
            other = {"A": "B", "0": "1"}.get(character, "0")
            with self.assertRaises(client.Untrusted) as caught:
                self.check(GOLDEN[:at] + other + GOLDEN[at + 1:])
            # Another name, or another id, is that of another key.
            of_name = start + 1 < at < start + 15 or start + 15 < at < start + 22
            self.assertIn(caught.exception.kind, ("false-signature", "other-key") if of_name else ("false-signature",))

    def test_a_note_of_another_list_is_refused(self):
        self.refused("other-list", note(self.header, OWNER, list="lakes"))
        self.refused("other-list", GOLDEN, list="lakes")

    def test_a_key_that_takes_over_has_signed_too(self):
        both = note(self.header, HEIR, OWNER, successor=HEIR)
        self.assertEqual(self.check(both).successor.text, HEIR.key)
        self.assertTrue(self.check(both, HEIR.key))
        self.assertTrue(self.check(note(self.header, HEIR, successor=HEIR), HEIR.key))
        head = head_text(self.header, successor=HEIR)
        self.refused("false-signature", note(self.header, OWNER, successor=HEIR))
        self.refused("false-signature", note(self.header, OWNER, STRANGER, successor=HEIR))
        lie = HEIR.line(signature(OWNER.seed, head.encode()))
        self.refused("false-signature", f"{head}\n{OWNER.sign(head)}{lie}")
        self.refused("other-key", note(self.header, HEIR, successor=HEIR))


def signed(copy, *signers, **options):
    return note(header(copy), *(signers or (OWNER,)), **options)


def refusals(copy, other):
    """A note that is refused for each kind, for the version of a copy."""
    return {"unsigned": None, "false-signature": signed(other), "other-key": signed(copy, STRANGER),
            "other-list": signed(copy, list="lakes")}


def stated(copy):
    return proven_state(header(copy))


NOT_MODIFIED = client.Response(304, {}, b"")


def problem(status, kind):
    return client.Response(status, {}, json.dumps({"type": f"urn:listsync:problem:{kind}"}).encode())


class KeyedTests(Scripted):
    """Versions 1 to 7, and another history from version 6 on."""

    def setUp(self):
        self.copies = [NOTHING, *versions(7)]
        self.others = self.copies[:6] + versions(2, after=self.copies[5], message="other")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "copy")
        self.storage = client.FileStorage(self.path)

    def follow(self, *answers, **options):
        """The updates of a replica with a key and the storage."""
        self.ends = self.replica(*answers, **{"storage": self.storage, "key": OWNER.key, "try_limit": 6, **options})
        self.updates = []
        for update in self.ends.updates(watch=False):
            self.updates.append(update)
        return self.updates

    def pages(self, *numbers, last=True):
        """Pages of changes without a note but the last."""
        pairs = list(zip(numbers, numbers[1:]))
        made = [changes(self.copies[a], self.copies[b], more=True) for a, b in pairs]
        if last:
            made[-1].update(more=False, note=signed(self.copies[numbers[-1]]))
        return made

    def save(self, number, **options):
        """Saves the signed copy of a version."""
        Path(self.path).unlink(missing_ok=True)
        copy = self.copies[number]
        self.follow(whole(copy, "first") | {"note": signed(copy)}, **options)
        self.saved = Path(self.path).read_bytes()

    def ended(self, kind, *answers, version, error=client.Untrusted, **options):
        """Expects that a replica ends with an error, shows nothing, and keeps the copy."""
        kept = Path(self.path).read_bytes() if os.path.exists(self.path) else None
        with self.assertRaises(error) as caught:
            self.follow(*answers, **options)
        if kind:
            self.assertEqual(getattr(caught.exception, "kind", kind), kind)
            self.assertIn(f"({kind})", str(caught.exception))
        self.assertEqual((self.updates, self.ends.copy.state.version), ([], version))
        self.assertEqual(Path(self.path).read_bytes() if kept else None, kept)
        return caught.exception

    def files(self, number, note=None, whole_number=None, copies=None):
        """The files of a publication with base 2."""
        copies = copies or self.copies
        base = copies[whole_number or number]
        head = {"format": "list-publication/1", "list": "parks", "head": stated(copies[number]), "oldest": 1,
                "base": 2, "note": note,
                "levels": [{"count": count, "bytes": 100} for count in (number - 1, number // 2 - 1, number // 4 - 1)
                           if count > 0],
                "whole": {**stated(base), "file": "whole.json", "bytes": 5000}}
        made = {"head.json": head, "whole.json": whole(base, "first")}
        for length in (1, 2, 4):
            for start in range(length, number - length + 1, length):
                made[self.delta(start, start + length, copies)] = changes(copies[start], copies[start + length])
        return made

    def delta(self, start, end, copies=None):
        return f"delta/{end - start}/{(copies or self.copies)[end].state.cursor}.json"

    def publication(self, files, missing=None):
        """Answers requests from files. `missing` has how often a file is not there."""
        self.asked, missing = [], missing or {}

        def send(method, url, headers, *_):
            name = url.partition("/parks/")[2]
            self.asked.append(name)
            missing[name] = missing.get(name, 0) - 1
            file = files(name) if callable(files) else files.get(name)
            if file is None or missing[name] >= 0:
                return client.Response(404, {}, b"")
            text = json.dumps(file, separators=(",", ":"))
            return client.Response(200, {"cache-control": "max-age=1"}, text.encode())
        return mock.patch.object(client, "send", send)

    def follow_files(self, files, missing=None, **options):
        replica = client.Replica("http://lists.example/", "parks", **{
            "storage": self.storage, "key": OWNER.key, "try_limit": 6, **options})
        self.ends, self.updates, replica.sleep = replica, [], lambda seconds: None
        with self.publication(files, missing):
            for update in replica.updates(watch=False):
                self.updates.append(update)
        return self.updates

    def ended_files(self, kind, files, version, error=client.Untrusted, **options):
        kept = Path(self.path).read_bytes()
        with self.assertRaises(error) as caught:
            self.follow_files(files, **options)
        if kind:
            self.assertEqual(caught.exception.kind, kind)
        self.assertEqual((self.updates, self.ends.copy.state.version), ([], version))
        self.assertEqual(Path(self.path).read_bytes(), kept)
        return caught.exception

    def steps(self):
        return [(one.before.state.version, one.after.state.version, one.reason) for one in self.updates]


class KeyTests(KeyedTests):
    def test_each_refusal_of_an_answer_ends_the_replica_and_keeps_the_copy(self):
        self.save(1)
        one, two, three = self.copies[1:4]
        for kind, text in refusals(three, two).items():
            for more in (False, True):
                if text or not more:
                    self.ended(kind, changes(one, three, note=text, more=more), version=1)
                    self.assertEqual(len(self.requests), 1)
            self.ended(kind, whole(three, "smaller", one) | {"note": text}, version=1)

    def test_each_refusal_of_the_head_of_a_publication_ends_the_replica(self):
        self.save(1)
        for kind, text in refusals(self.copies[3], self.copies[2]).items():
            self.ended_files(kind, self.files(3, text), version=1)
            self.assertEqual(self.asked, ["head.json", self.delta(2, 3), self.delta(1, 2)])
        self.follow_files(self.files(3, signed(self.copies[3])))
        self.assertEqual(self.steps(), [(1, 3, "changes")])

    def test_a_note_is_of_the_version_the_root_and_the_chain_that_were_sent(self):
        self.save(1)
        one, two, three = self.copies[1:4]
        chain = header(three).chain
        spoiled = chain[:-1] + ("1" if chain[-1] == "0" else "0")
        for members in ({"version": 4}, {"root": two.state.root}, {"chain": spoiled}):
            text = signed(three, **members)
            self.ended("false-signature", changes(one, three, note=text), version=1)
            self.ended_files("false-signature", self.files(3, text), version=1)

    def test_a_note_that_is_no_text_is_of_another_form(self):
        self.save(1)
        for text in (7, "", [], True, {}):
            self.ended("false-signature", changes(*self.copies[1:3], note=text), version=1)

    def test_without_a_key_notes_are_ignored(self):
        one, two = self.copies[1:3]
        self.follow(whole(one, "first") | {"note": 7, "more": True}, changes(one, two, note="no"), key=None)
        self.assertEqual(self.steps(), [(0, 1, "first"), (1, 2, "changes")])
        self.assertEqual(len(json.loads(Path(self.path).read_text("utf-8"))), 3)

    def test_pages_with_a_note_are_shown_one_by_one(self):
        one, two = self.copies[1:3]
        self.follow(whole(one, "first") | {"note": signed(one), "more": True}, changes(one, two, note=signed(two)))
        self.assertEqual(self.steps(), [(0, 1, "first"), (1, 2, "changes")])
        self.assertEqual(self.ends.copy.signed, client.Signed(signed(two), OWNER.key, OWNER.key))
        self.assertEqual(self.storage.load("parks"), self.ends.copy)

    def test_pages_without_a_note_are_one_step_with_the_one_that_has_it(self):
        self.save(1)
        with mock.patch.object(client.FileStorage, "save", autospec=True, side_effect=client.FileStorage.save) as save:
            self.follow(*self.pages(1, 2, 4, 5))
        self.assertEqual(save.call_count, 1)
        self.assertEqual(self.steps(), [(1, 5, "changes")])
        self.assertEqual([change.new_index for change in self.updates[0].changes.inserted], [1, 2, 3, 4])
        for number, (_, url, headers, _) in zip((1, 2, 4), self.requests):
            cursor = self.copies[number].state.cursor
            self.assertIn(f"since={cursor}&", url)
            self.assertEqual(headers["If-None-Match"], f'"{cursor}"')

    def test_the_reason_of_a_held_step_is_that_of_its_first_answer(self):
        two = self.copies[2]
        last = self.pages(2, 4)
        for reason, before in [("too-old", []), ("smaller", []), ("mismatch", [client.Response(200, {}, b"{")])]:
            self.save(1)
            page = whole(two, "first" if before else reason, self.copies[1]) | {"more": True}
            self.follow(*before, page, *last)
            self.assertEqual(self.steps(), [(1, 4, reason)])
        Path(self.path).unlink()
        self.follow(whole(two, "first") | {"more": True}, *last)
        self.assertEqual(self.steps(), [(0, 4, "first")])

    def test_a_state_that_is_held_back_and_has_no_more_is_unsigned(self):
        self.save(1)
        two = self.copies[2]
        page = self.pages(1, 2, last=False)
        self.ended("unsigned", *page, NOT_MODIFIED, version=1)
        self.ended("unsigned", *page, changes(two, two), version=1)
        self.follow(*page, changes(two, two, note=signed(two)))
        self.assertEqual(self.steps(), [(1, 2, "changes")])

    def test_where_nothing_is_new_304_needs_no_note_and_another_answer_does(self):
        self.save(1)
        one = self.copies[1]
        with mock.patch.object(client.FileStorage, "save") as save:
            self.assertEqual(self.follow(NOT_MODIFIED), [])
            self.assertEqual(self.follow(changes(one, one, note=signed(one))), [])
        save.assert_not_called()
        self.ended("unsigned", changes(one, one), version=1)
        self.ended_files("unsigned", self.files(1), version=1)
        self.ended_files("other-key", self.files(1, signed(one, STRANGER)), version=1)
        self.assertEqual(self.follow_files(self.files(1, signed(one))), [])

    def test_the_empty_list_of_version_0_needs_a_note_too(self):
        for answer in (NOT_MODIFIED, changes(NOTHING, NOTHING), whole(NOTHING, "first")):
            self.ended("unsigned", answer, version=0)
        self.follow(changes(NOTHING, NOTHING, note=signed(NOTHING)))
        self.assertEqual(self.ends.copy.signed.note, signed(NOTHING))
        self.assertEqual(self.follow(NOT_MODIFIED), [])

    def test_empty_pages_that_are_held_back_do_not_go_on_for_ever(self):
        self.save(1)
        copies = [self.copies[1]]
        for _ in range(110):
            copies.append(version(*copies[-1].items, after=copies[-1]))
        pages = [changes(a, b, more=True) for a, b in zip(copies, copies[1:102])]
        self.ended("", *pages, client.Unavailable("over"), version=1, error=client.Unavailable, try_limit=1)
        self.assertIn(f"since={client.State().cursor}&", self.requests[101][1])

    def test_the_way_through_a_publication_is_one_step(self):
        self.save(1)
        seven = self.copies[7]
        self.follow_files(self.files(7, signed(seven)))
        way = [self.delta(6, 7), self.delta(4, 6), self.delta(2, 4), self.delta(1, 2)]
        self.assertEqual(self.asked, ["head.json", *way])
        self.assertEqual(self.steps(), [(1, 7, "changes")])
        self.assertEqual(self.storage.load("parks").items, seven.items)
        Path(self.path).unlink()
        self.follow_files(self.files(7, signed(seven), 4))
        self.assertEqual(self.asked, ["head.json", "whole.json", *way[:2]])
        self.assertEqual(self.steps(), [(0, 7, "first")])

    def spoiled(self):
        files = self.files(7, signed(self.copies[7]))
        files[self.delta(6, 7)]["inserted"][0]["content"] = 2
        return files

    def test_nothing_of_a_publication_is_shown_before_its_note_was_verified(self):
        self.save(1)
        files = self.spoiled()
        files["whole.json"]["items"][0]["content"] = 2
        self.ended_files("", files, version=1, error=client.Mismatch)
        self.assertEqual(self.asked[-3:], [self.delta(1, 2), "head.json", "whole.json"])
        self.ended_files("false-signature", self.files(7, signed(self.copies[7]).replace("a", "b")), version=1)

    def test_after_damage_the_whole_list_replaces_what_was_held_back(self):
        self.save(1)
        self.follow_files(self.spoiled())
        self.assertEqual(self.steps(), [(1, 7, "mismatch")])
        self.assertEqual(len(self.updates[0].changes.inserted), 6)

    def test_after_a_temporary_failure_the_replica_goes_on_from_what_is_held_back(self):
        last = self.delta(4, 6)
        self.follow_files(self.files(7, signed(self.copies[7]), 4), {last: 2})
        self.assertEqual(self.asked[2:], [self.delta(6, 7), last, "head.json", last, "head.json", last])
        self.assertEqual(self.steps(), [(0, 7, "first")])
        self.save(1)
        first, second = self.pages(1, 2, 3)
        self.follow(first, client.Unavailable("lost"), second)
        self.assertEqual(self.steps(), [(1, 3, "changes")])

    def test_a_head_that_comes_to_be_what_is_held_back_counts_for_it(self):
        newer, older = self.files(7, signed(self.copies[7]), 6), self.files(6, signed(self.copies[6]))
        last = self.delta(6, 7)
        self.follow_files(lambda name: None if name == last else (older if last in self.asked else newer).get(name))
        self.assertEqual(self.steps(), [(0, 6, "first")])

    def test_a_copy_that_was_saved_without_a_key_is_not_shown(self):
        seven, three = self.copies[7], self.copies[3]
        self.follow(whole(seven, "first") | {"note": signed(seven)}, key=None)
        self.assertEqual(self.replica(storage=self.storage, key=OWNER.key).start(), NOTHING)
        self.ended("other-key", whole(three, "first") | {"note": signed(three, STRANGER)}, version=0)
        # Rules 5 to 7 do not hold: the version may be lower.
        self.follow(whole(three, "first") | {"note": signed(three)})
        self.assertIn(f"since={client.State().cursor}&", self.requests[0][1])
        self.assertEqual(self.steps(), [(0, 3, "first")])
        self.follow(NOT_MODIFIED)
        self.assertEqual(self.ends.copy.state, three.state)

    def test_a_saved_copy_whose_note_does_not_fit_it_is_not_trusted(self):
        self.save(3)
        name, state, items, kept = json.loads(self.saved)
        for other in (["parks", state, items], ["parks", state, items, [signed(self.copies[2]), *kept[1:]]],
                      ["parks", state, items, [signed(self.copies[3], STRANGER), *kept[1:]]],
                      ["parks", ["3-" + "0" * 32, *state[1:]], items, kept]):
            Path(self.path).write_text(json.dumps(other), "utf-8")
            self.assertEqual(self.replica(storage=self.storage, key=OWNER.key).start(), NOTHING)
        Path(self.path).write_bytes(self.saved)
        self.assertEqual(self.replica(storage=self.storage, key=STRANGER.key).start(), NOTHING)
        self.assertEqual(self.replica(storage=self.storage, key=OWNER.key).start().state, self.copies[3].state)

    def test_a_lower_version_is_refused_also_after_starting_over(self):
        self.save(6)
        five = whole(self.copies[5], "first") | {"note": signed(self.copies[5])}
        empty = changes(NOTHING, NOTHING, note=signed(NOTHING))
        other = whole(self.copies[5], "diverged") | {"note": signed(self.copies[5])}
        for answers in ([problem(409, "diverged"), five], [other],
                        [client.Response(200, {}, b"{"), five], [problem(404, "no-such-version"), empty]):
            self.ended("older", *answers, version=6)
        self.ended_files("older", self.files(5, signed(self.copies[5])), version=6)
        self.assertEqual(self.asked, ["head.json"] * 4 + ["whole.json"])

    def test_two_signed_histories_of_a_version_are_a_fork(self):
        self.save(6)
        notes = (signed(self.copies[6]), signed(self.others[6]))
        lies = [whole(self.others[6], reason) | {"note": notes[1]} for reason in ("first", "diverged")]
        for answers in ([problem(409, "diverged"), lies[0]], [lies[1]]):
            self.assertEqual(self.ended("forked", *answers, version=6).notes, notes)
        error = self.ended_files("forked", self.files(6, notes[1], copies=self.others), version=6)
        self.assertEqual(error.notes, notes)

    def test_a_later_version_of_another_history_is_rewritten(self):
        self.save(6)
        lies = [whole(self.others[7], reason) | {"note": signed(self.others[7])} for reason in ("first", "diverged")]
        for answers in ([problem(409, "diverged"), lies[0]], [lies[1]]):
            self.ended("rewritten", *answers, version=6, error=client.Rewritten)
        # The version of the copy's own note is of its history.
        self.follow(problem(409, "diverged"), whole(self.copies[6], "first") | {"note": signed(self.copies[6])})
        self.follow(whole(self.copies[7], "too-old", self.copies[6]) | {"note": signed(self.copies[7])})
        self.assertEqual(self.steps(), [(6, 7, "too-old")])

    def test_another_history_of_what_is_held_back_is_none_of_the_copy(self):
        self.save(5)
        other = whole(self.others[7], "first") | {"note": signed(self.others[7])}
        self.follow(*self.pages(5, 6, last=False), problem(409, "diverged"), other)
        self.assertEqual(self.steps(), [(5, 7, "mismatch")])

    def test_a_replaced_key_is_trusted_alone_from_then_on(self):
        self.save(1)
        one, two, three, four = self.copies[1:5]
        both = signed(two, OWNER, HEIR, successor=HEIR)
        self.follow(changes(one, two, note=both, more=True), changes(two, three, note=signed(three, HEIR)))
        self.assertEqual(self.ends.copy.signed, client.Signed(signed(three, HEIR), OWNER.key, HEIR.key))
        kept = Path(self.path).read_bytes()
        for key in (OWNER.key, HEIR.key):
            Path(self.path).write_bytes(kept)
            self.ended("other-key", changes(three, four, note=signed(four)), version=3, key=key)
            self.follow(changes(three, four, note=signed(four, HEIR)), key=key)
            self.assertEqual(self.ends.copy.signed, client.Signed(signed(four, HEIR), key, HEIR.key))
        Path(self.path).unlink()
        first = whole(four, "first")
        self.ended("other-key", first | {"note": signed(four, HEIR)}, version=0)
        self.follow(first | {"note": signed(four, HEIR)}, key=HEIR.key)
        self.follow(whole(two, "first") | {"note": both}, key=HEIR.key, storage=None)
        self.assertEqual(self.ends.copy.state, two.state)

    def test_a_key_that_takes_over_without_having_signed_is_refused(self):
        self.save(1)
        one, two = self.copies[1:3]
        self.ended("false-signature", changes(one, two, note=signed(two, successor=HEIR)), version=1)
        self.ended("other-key", changes(one, two, note=signed(two, HEIR, successor=HEIR)), version=1)
        self.follow(changes(one, two, note=signed(two)))
        self.assertEqual(self.steps(), [(1, 2, "changes")])

    def test_a_key_is_also_replaced_where_nothing_is_new(self):
        self.save(1)
        one, two = self.copies[1:3]
        self.assertEqual(self.follow_files(self.files(1, signed(one, OWNER, HEIR, successor=HEIR))), [])
        self.assertEqual(self.storage.load("parks").signed.key, HEIR.key)
        self.ended("other-key", changes(one, two, note=signed(two)), version=1)

    def test_headers_prove_each_step_of_what_is_held_back(self):
        def log(*copies):
            return answer([stated(copy) for copy in copies])
        self.save(1)
        first, last = self.pages(1, 3, 5)
        self.follow(first, log(self.copies[3], self.copies[2]), last, log(self.copies[5], self.copies[4]), prove=True)
        self.assertEqual(self.steps(), [(1, 5, "changes")])
        self.save(1)
        self.ended("", first, log(self.copies[3], self.copies[2]), last, log(self.others[7], self.others[6]), version=1,
                   error=client.Rewritten, prove=True)

    def test_a_text_that_is_no_key_is_refused_at_once(self):
        for key in ("", "lists.example", OWNER.key[1:], 7):
            self.assertRaises(ValueError, client.Replica, "http://lists.example", "parks", key=key)

    def test_the_program_writes_both_notes_of_a_fork(self):
        self.save(6)
        with open(os.devnull, "w") as nothing, mock.patch("sys.stdout", nothing):
            self.assertEqual(self.main(self.files(6, signed(self.copies[6]))), (0, ""))
            code, message = self.main(self.files(6, signed(self.others[6]), copies=self.others))
            self.assertEqual(code, 1)
            self.assertIn("the head of parks is refused (forked)", message)
            self.assertIn(f"{self.path}.fork has both notes", message)
            text = Path(f"{self.path}.fork").read_text("utf-8")
            self.assertEqual(text, signed(self.copies[6]) + "\n" + signed(self.others[6]))
            code, message = self.main(self.files(7, signed(self.copies[7])), "--key", "no key")
            self.assertEqual((code, "NAME+ID+BASE64" in message), (1, True))
        self.assertEqual(Path(self.path).read_bytes(), self.saved)

    def main(self, files, *arguments):
        """The exit code and the message of the program."""
        printed = []
        with self.publication(files), mock.patch("sys.stderr") as stderr, mock.patch.object(
                client.threading.Event, "wait", lambda *_: None):
            stderr.write = printed.append
            options = ["--copy", self.path, "--key", OWNER.key, "--json", *arguments]
            code = client.main(["http://lists.example", "parks", *options])
        return code, "".join(printed)


if __name__ == "__main__":
    unittest.main()
