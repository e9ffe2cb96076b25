"""Draws part of the cases from existing lists, versions and ids, so answers with content are
judged too, not only 404s."""

import json
import os
import zlib

import schemathesis

CURSORS = os.environ["LISTSYNC_CURSORS"].split()
LISTS = ["parks", "parks", "fuzzed", "none"]
REVISIONS = [*CURSORS, "head", "head~2", "0", "3", "7", "99", "spring"]
TAGS = [f'"{cursor}"' for cursor in CURSORS] + ["*"]
ITEMS = ["park-00008", "park-00020", "none"]
PLACES = ["after", "before", "to", "first", "last"]


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    """Draws a body of that type as a text, or as values with one on each line."""
    if isinstance(value, (str, bytes)):
        return value.encode() if isinstance(value, str) else value
    values = value if isinstance(value, list) else [value]
    return b"".join(json.dumps(one).encode() + b"\n" for one in values)


def drawn(values, data):
    """One of the values, or None in three of ten cases; the same data give the same result."""
    number = zlib.crc32(repr(data).encode())
    return values[number // 10 % len(values)] if number % 10 < 7 else None


@schemathesis.hook
def before_call(context, case, kwargs):
    """Leaves invalid data unchanged, since the server must refuse them."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    # schemathesis holds these percent-encoded. After a change, it judges all of them as they are.
    if "%" not in "".join((case.path_parameters or {}).values()):
        replace(case.path_parameters, {"list": LISTS, "revision": REVISIONS, "item": ITEMS})
    replace(case.query, {"at": REVISIONS, "item": ITEMS})
    # Where an item is put, `to` is an index.
    if not case.path.endswith(("/items/{item}", "/items")):
        replace(case.query, {"since": REVISIONS, "to": REVISIONS})
    # Only one place is allowed, which OpenAPI cannot express.
    for name in [name for name in PLACES if name in (case.query or {})][1:]:
        del case.query[name]
    # A log is answered in groups or in pages.
    if "groups" in (case.query or {}):
        case.query.pop("limit", None)
    if case.method == "GET":
        replace(case.headers, {"If-None-Match": TAGS})
    elif "If-Match" in case.headers:
        # Always set it: schemathesis itself fills in 0 after a 428.
        case.headers["If-Match"] = drawn(TAGS, case.body) or TAGS[-1]
        # Only one of them is allowed, which OpenAPI cannot express.
        if "If-Match" in case.headers and "If-None-Match" in case.headers:
            del case.headers[drawn(["If-Match", "If-None-Match"], case.body) or "If-Match"]
    # The server holds a long-poll at the head for its whole time; one second is enough.
    if case.query and case.query.get("wait") in range(2, 61):
        case.query["wait"] = 1


def replace(place, known):
    for name in known.keys() & set(place or {}):
        place[name] = drawn(known[name], (name, repr(place))) or place[name]
