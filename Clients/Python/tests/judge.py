"""Judges proofs and notes, for a comparison with other clients: judge.py FILE

The file is a JSON array of {"proof", "cursor"} and {"note", "key", "list"}. Prints an array of what each one says, as text: what it
proves or states, or the word for which it is refused.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from listsync import client  # noqa: E402


def proof(proof, cursor):
    try:
        list, item, index, count, header = client.check_proof(proof, cursor)
    except client.Mismatch:
        return "refused"
    return f"{list} {item.id} {item.content} {index} {count} {header.cursor} {client.write_time(header.committed_at)}"


def note(note, key, list):
    trusted = client.read_key(key)
    if not trusted:
        return "malformed"
    try:
        found = client.check_note(note, trusted, list)
    except client.Untrusted as error:
        return error.kind
    return f"{found.version} {found.root} {found.chain} {found.successor.text if found.successor else None}"


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([(proof if "proof" in case else note)(**case) for case in json.load(file)]))
