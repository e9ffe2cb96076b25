"""Keys and signed notes for the tests (P51). They are made as RFC 8032 says, without a package."""
import base64
import hashlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
from listsync import client  # noqa: E402


def public_key(seed):
    """The bytes of the public key of a secret one (RFC 8032, 5.1.5)."""
    return client._encoded(client._product(_secret(seed)[0], client._BASE))


def signature(seed, message):
    """RFC 8032, 5.1.6."""
    number, prefix = _secret(seed)
    nonce = _digest(prefix, message)
    point = client._encoded(client._product(nonce, client._BASE))
    total = (nonce + _digest(point, public_key(seed), message) * number) % client._ORDER
    return point + total.to_bytes(32, "little")


def _secret(seed):
    digest = hashlib.sha512(seed).digest()
    number = int.from_bytes(digest[:32], "little") & (2**254 - 8) | 2**254
    return number, digest[32:]


def _digest(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % client._ORDER


def key_text(name, point, kind=b"\1"):
    return f"{name}+{_id(name, point, kind).hex()}+{base64.b64encode(kind + point).decode()}"


def _id(name, point, kind=b"\1"):
    return hashlib.sha256(f"{name}\n".encode() + kind + point).digest()[:4]


class Signer:
    """Somebody who signs: a key, made of the digest of a text."""

    def __init__(self, name, seed=None):
        self.name, self.seed = name, hashlib.sha256((seed or name).encode()).digest()
        self.id = _id(name, public_key(self.seed))
        self.key, self.label = key_text(name, public_key(self.seed)), f"{name}+{self.id.hex()}"

    def line(self, data):
        return f"\u2014 {self.name} {base64.b64encode(self.id + data).decode()}\n"

    def sign(self, text):
        return self.line(signature(self.seed, text.encode()))


def head_text(header, list="parks", successor=None, **members):
    """The text of a note, without its signatures."""
    stated = {"version": header.version, "root": header.root, "chain": header.chain, **members}
    lines = ["list-head/1", list, *stated.values(), *([successor.key] if successor else [])]
    return "".join(f"{line}\n" for line in lines)


def note(header, *signers, **options):
    text = head_text(header, **options)
    return "\n".join([text, "".join(one.sign(text) for one in signers)])
