"""Histories for the tests, with sound headers: versions, and the documents in which a server tells them."""
import hashlib
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1]))
from listsync import client  # noqa: E402

PARKS = [client.Item.of("zion", {"id": "zion", "acres": 147_242}), client.Item.of("acadia", {"id": "acadia"})]
NOTHING = client.Copy("parks")
HEADERS = {client.State().cursor: client.Header()}
"""The header of each version that a test made, by its cursor."""


def version(*items, after=NOTHING, message=None):
    """The list at the version after another one. Another message makes another history."""
    before = HEADERS[after.state.cursor]
    header = client.Header(before.version + 1, 1_795_261_020_250 + before.version, "Ann", message, len(items),
                           client.root(items), before.chain)
    HEADERS[header.cursor] = header
    return client.Copy("parks", header.state, [*items])


def versions(count, after=NOTHING, message=None):
    """Versions one after the other, each with an item more."""
    made = [after]
    for number in range(count):
        made.append(version(*made[-1].items, client.Item(f"{message}-{len(made[-1].items)}", "1"), after=made[-1],
                            message=message))
    return made[1:]


def header(copy):
    return HEADERS[copy.state.cursor]


def proven_state(header):
    """A state with its header, as it stands in a document."""
    record = {"cursor": header.cursor, **header._asdict(), "committed_at": client.write_time(header.committed_at)}
    return record if header.version else {name: record[name] for name in ("cursor", "version", "count", "root")}


def answer(document):
    return client.Response(200, {}, json.dumps(document).encode())


def changes(before, after, **members):
    """The document that leads from a version to another."""
    record = json.loads(client.write_delta(before.state, after.state, client.diff(before.items, after.items)))
    return {**record, "list": "parks", "to": proven_state(header(after)), **members}


def whole(copy, reason, start=None):
    """The document of the whole list, for a client that is at `start`."""
    start = NOTHING if reason == "first" else start
    record = {"format": "list-delta/1", "kind": "snapshot", "list": "parks", "to": proven_state(header(copy)),
              "oldest": 1, "reason": reason, "items": [{"id": item.id, "content": item.value} for item in copy.items]}
    return {**record, "from": start.state._asdict()} if start else record


def bundle(*copies, base=None, since=None, spoil=lambda records: None):
    """The lines of a bundle of these versions, incremental with `since`. `spoil` changes its records before the last line
    is made."""
    before = base or since or NOTHING
    records = [{"format": "list-bundle/1", "list": "parks", "kind": "incremental" if since else "full", "id_rule": None,
                "from": proven_state(header(before)), "to": proven_state(header([before, *copies][-1]))}]
    records += [{"id": item.id, "content": item.value} for item in (base.items if base else ())]
    records += [changes(one, after) for one, after in zip([before, *copies], copies)]
    spoil(records)
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    return [*lines, f'{{"lines":{len(lines)},"sha256":"{digest}"}}\n'.encode()]


def log(*copies):
    """The versions, newest first, as a server gives them."""
    changes = {name: 0 for name in client.Changes._fields}
    return [{**proven_state(header(copy)), "changes": changes} for copy in reversed(copies)]
