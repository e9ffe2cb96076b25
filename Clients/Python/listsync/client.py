"""A client of ListSync: a verified copy of a list, which follows the list of a server or of a publication.

    replica = Replica("https://lists.example", "parks", storage=FileStorage("parks.copy"))
    for update in replica.updates():
        print(update.changes.removed, update.changes.moved, update.changes.inserted, update.changes.updated)

P1, P2 … are the rules of Documentation/Protocol.md. Python 3.9 or newer, standard library only.
In a shell: python3 -m listsync.client http://127.0.0.1:8080 parks --watch
            python3 -m listsync.client --check-proof zion.proof --cursor 9-3f9a1c2b7d40
"""
from __future__ import annotations

import argparse
import base64
import bisect
import contextlib
import datetime
import decimal
import functools
import hashlib
import http.client
import io
import itertools
import json
import math
import os
import queue
import random
import re
import shutil
import sys
import threading
import time
import zlib
from dataclasses import dataclass
from json.encoder import encode_basestring as quoted
from typing import (Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Protocol, Sequence, Set, Tuple,
                    TypeVar, Union, cast)
from urllib.parse import urlencode, urlsplit

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class ListSyncError(Exception):
    """The reason for which a replica cannot go on."""
    list: Optional[str] = None  # which one, where `follow` has many


class Mismatch(ListSyncError):
    """A document is damaged, contradicts itself, or does not fit the copy."""


class NoDelta(ListSyncError):
    """The server has no changes since the copy (404 no-such-version, 409 diverged, 410 too-old)."""


class Unproven(ListSyncError):
    """With `prove`: the server does not show the headers that would prove that its list continues the copy."""


class Rewritten(ListSyncError):
    """The server's history contradicts the copy's. The copy stays, and the replica does not start over."""


class Untrusted(ListSyncError):
    """With a key: its owner has not signed this head, or has signed two histories (P53). The copy stays, and the
    replica does not start over."""
    notes: Tuple[str, ...] = ()
    """Of `forked`: the notes of the copy and of the server. They prove that the owner has signed two histories."""

    def __init__(self, list: str, kind: str, reason: str):
        super().__init__(f"the head of {list} is refused ({kind}): {reason}")
        self.kind = kind


class Unavailable(ListSyncError):
    """A temporary failure; the server may ask for a wait."""
    retry_after_seconds: float = 0


class Stopped(ListSyncError):
    """The replica was stopped; only a new one goes on."""


class PageInstead(Unavailable):
    """A page of HTML in place of a file: that of a network login, of an app, or of a host for what is not there."""


class Behind(ListSyncError):
    """A file of a publication is older than another one, or not there. `reason` is why to start over if it stays so; it
    is empty where that does not help."""
    reason = "too-old"


class TooLong(ListSyncError):
    """An answer has more bytes than the client allows."""


class Refused(ListSyncError):
    """The server refuses the request for good; 412: the list is not at the version that a commit names."""
    status = 0
    problem: Dict[str, Any] = {}


class Conflicts(Refused):
    """A commit with a base is not merged: others changed the same in other ways. Nothing is stored (P35)."""
    count = 0
    conflicts: Tuple["Conflict", ...] = ()
    """The first ones, if they are long; `count` is the number of all."""
    head = ""
    """The cursor of the version that the commit was to be merged into."""


# Contents (P1 to P4)

Text = Union[str, bytes]
Result = TypeVar("Result")
Reader = Callable[[Any], Any]


class Number(str):
    """The text of a JSON number. A float would lose digits."""


class Canonical(str):
    """A JSON text in canonical form, which is written as it is."""


def parse(text: Text) -> Any:
    """Reads one JSON text, bytes or a string (P1). Each number becomes a `Number`."""
    try:
        text = text if isinstance(text, str) else bytes(text).decode("utf-8")
        value = _DECODER.decode(text[1:] if text.startswith("\ufeff") else text)
        if _SURROGATE_ESCAPE.search(text):
            json.dumps(value, ensure_ascii=False).encode()  # refuses half a pair
        return value
    except (ValueError, RecursionError) as error:
        raise Mismatch(f"not JSON: {error}") from error


def _members(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member stands twice in one object")
    return members


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    parse_float=Number, parse_int=Number, parse_constant=_no_constant, object_pairs_hook=_members)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_NUMBER = re.compile(r"(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([-+]?\d+))?", re.ASCII)


def canonical(value: Any) -> str:
    """The canonical form of a parsed value, or of Python's own values (P2). Numbers keep each digit."""
    out: List[str] = []
    try:
        _write(value, out, 0)
    except RecursionError as error:
        raise Mismatch("nested deeper than the stack of this program allows") from error
    return "".join(out)


def exact(text: str) -> Any:
    """A JSON number as an `int`, as a `float` that is written in the same way, or else as a `Decimal`."""
    if text.lstrip("-").isdigit() and len(text) <= 1000:
        return int(text)
    number = float(text)
    if repr(number) == text:
        return number
    is_same = math.isfinite(number) and canonical_number(repr(number)) == canonical_number(text)
    return number if is_same else decimal.Decimal(text)


def _value(content: str) -> Any:
    return json.loads(content, parse_float=exact, parse_int=exact)


def _write(value: Any, out: List[str], depth: int) -> None:
    if isinstance(value, str):
        writers: Dict[type, Callable[[str], str]] = {Number: canonical_number, Canonical: str}
        out.append(writers.get(type(value), quoted)(value))  # P3, P4
    elif value is None or isinstance(value, bool):
        out.append({None: "null", True: "true", False: "false"}[value])
    elif isinstance(value, int):
        # str() refuses an int of thousands of digits; a Decimal of an int has all of them.
        out.append(canonical_number(f"{decimal.Decimal(value):f}"))
    elif isinstance(value, (float, decimal.Decimal)):
        out.append(canonical_number(float.__repr__(value) if isinstance(value, float) else str(value)))
    elif depth == 512:
        raise Mismatch("nested deeper than 512")
    else:
        is_object = isinstance(value, dict)
        out.append("{" if is_object else "[")
        # Names by code points, which is the order of their UTF-8 bytes.
        for number, element in enumerate(sorted(value) if is_object else value):
            out.append("," if number else "")
            if is_object:
                out.append(quoted(element) + ":")
            _write(value[element] if is_object else element, out, depth + 1)
        out.append("}" if is_object else "]")


def canonical_number(text: str) -> str:
    """A number by its exact decimal value, in the layout of RFC 8785 (P4)."""
    match = _NUMBER.fullmatch(text)
    if not match:
        raise Mismatch(f"{text} is not a JSON number")
    sign, whole, fraction, exponent = match.groups(default="")
    # The value is 0.digits × 10^point.
    digits = (whole + fraction).lstrip("0")
    power = exponent.lstrip("+-").lstrip("0")  # int() refuses a text of thousands of zeros.
    fits = len(power) <= 15
    shift = int(power or 0) if fits else 0
    point = (-shift if exponent.startswith("-") else shift) + len(digits) - len(fraction)
    digits = digits.rstrip("0")
    if not fits or (digits and abs(point - 1) > 999_999_999_999_999):
        raise Mismatch("a number whose exponent has more than 15 digits")
    if not digits:
        return "0"
    if len(digits) <= point <= 21:
        return sign + digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -5 <= point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{point - 1:+d}"


# Items, root and chain (P5 to P12)

class Item(NamedTuple):
    """An id and a content in canonical form."""
    id: str
    content: str

    @property
    def value(self) -> Any:
        """The content as Python's own values, with each digit: numbers are as `exact` makes them."""
        return _value(self.content)

    @staticmethod
    def of(id: str, value: Any) -> Item:
        return Item(id, canonical(value))


def root(items: Iterable[Item]) -> str:
    """The root of a list (P7), as it is written (P8)."""
    return HashTree.of([*items]).root


def item_hash(item: Item) -> bytes:
    return hashlib.sha256(b"\0" + _sized(item.id, 4) + item.content.encode()).digest()


def group_hash(level: int, item_count: int, hashes: bytes) -> bytes:
    """The hash of a group, from the hashes of its elements and the number of items below it."""
    return hashlib.sha256(bytes([level]) + item_count.to_bytes(8, "little") + hashes).digest()


def _sized(text: str, width: int) -> bytes:
    data = text.encode()
    return len(data).to_bytes(width, "little") + data


class Run(NamedTuple):
    """Items in a row that are the same in the old and the new list: the index of the first one in each."""
    old: int
    new: int
    count: int  # type: ignore[assignment]


class Level(NamedTuple):
    """The groups of a level: the number of items up to the end of each, its hash, and the hashes of its elements."""
    ends: List[int]
    hashes: List[bytes]
    elements: List[bytes]

    def find(self, item: int) -> Tuple[int, int]:
        """The group that has the item at an index, and the index of its first item."""
        group = bisect.bisect_right(self.ends, item)
        return group, self.ends[group - 1] if group else 0


class HashTree:
    """The levels of groups over the items of a list, up to the one that has one group."""

    def __init__(self, item_count: int, hash_at: Callable[[int], bytes], old: Iterable[Level] = (),
                 runs: Sequence[Run] = ()):
        """`hash_at` gives the hash of an item by its index. It is called for items that are in no group of the `old`
        levels; `runs` are the items that the old list had too."""
        self.levels: List[Level] = []
        ends: Sequence[int] = range(1, item_count + 1)
        old = iter(old)
        while len(ends) != 1 or not self.levels:
            before = next(old, Level([], [], []))
            level, runs = _group(len(self.levels) + 1, ends, hash_at, before, runs)
            self.levels.append(level)
            ends, hash_at = level.ends, level.hashes.__getitem__

    @staticmethod
    def of(items: Sequence[Item]) -> HashTree:
        return HashTree(len(items), lambda index: item_hash(items[index]))

    @property
    def root(self) -> str:
        return self.levels[-1].hashes[0].hex()  # P8

    def after(self, items: Sequence[Item], runs: Sequence[Run]) -> HashTree:
        """The tree over a new list. Hashes what is in no run, and the groups that are not the same as before (P9)."""
        leaves = self.levels[0]
        runs = [Run(0, 0, 0), *runs]
        starts = [run.new for run in runs]

        def hash_at(index: int) -> bytes:
            run = runs[bisect.bisect_right(starts, index) - 1]
            if index >= run.new + run.count:
                return item_hash(items[index])
            old_index = index - run.new + run.old
            group, start = leaves.find(old_index)
            return leaves.elements[group][32 * (old_index - start):][:32]
        return HashTree(len(items), hash_at, self.levels, runs)


def _group(number: int, ends: Sequence[int], hash_at: Callable[[int], bytes], old: Level,
           runs: Iterable[Run]) -> Tuple[Level, List[Run]]:
    """One level of groups (P7) over elements with these ends, and the runs of the items whose groups are old ones.

    An old group stays if all its items do, in their order, and no group before it reaches into it.
    """
    level, start, item_count = Level([], [], []), 0, ends[-1] if ends else 0
    kept: List[Run] = []
    for run in [*runs, Run(0, item_count, 0)]:
        run_end, shift = run.new + run.count, run.new - run.old
        while start < run_end:
            first, old_start = old.find(start - shift)
            last = bisect.bisect_right(old.ends, run_end - shift)
            if last == len(old.ends) and run_end < item_count:
                last -= 1  # The last old group ended with the level, which goes on here.
            if run.new <= start == old_start + shift and first < last:
                level.ends.extend([end + shift for end in old.ends[first:last]] if shift else old.ends[first:last])
                level.hashes.extend(old.hashes[first:last])
                level.elements.extend(old.elements[first:last])
                kept.append(Run(old_start, start, level.ends[-1] - start))
            else:
                # To the 256th element, or to any but the first whose first byte has five zero low bits.
                element, hashes = bisect.bisect_right(ends, start), bytearray()
                while element < len(ends) and len(hashes) < 256 * 32 and (len(hashes) <= 32 or hashes[-32] & 31):
                    hashes += hash_at(element)
                    element += 1
                level.ends.append(ends[element - 1])
                level.hashes.append(group_hash(number, ends[element - 1] - start, bytes(hashes)))
                level.elements.append(bytes(hashes))
            start = level.ends[-1]
    return level if ends else Level([0], [group_hash(1, 0, b"")], [b""]), kept


def chain(previous: str, version: int, milliseconds: int, author: Optional[str], message: Optional[str],
          root: str) -> str:
    """The chain of a version, from that of the version before (P11)."""
    numbers = [(number % 2**64).to_bytes(8, "little") for number in (version, milliseconds)]
    texts = [b"\xff" * 8 if text is None else _sized(text, 8) for text in (author, message)]
    parts = [b"list-chain/2", bytes.fromhex(previous), *numbers, *texts, bytes.fromhex(root)]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def read_time(text: str) -> int:
    """A time as a bundle has it, in milliseconds since 1970 (P12)."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{3}))?Z", text, re.ASCII)
    seconds_text, milliseconds = match.groups("0") if match else ("", "0")
    try:
        moment = datetime.datetime.fromisoformat(seconds_text)
    except ValueError as error:
        raise Mismatch(f"'{text}' is not a time such as 2026-11-21T11:37:00.250Z") from error
    seconds = (moment - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1)
    time = seconds * 1000 + int(milliseconds)
    if write_time(time) != text:
        raise Mismatch(f"{text} is not written as {write_time(time)}")
    return time


def write_time(milliseconds: int) -> str:
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds" if milliseconds % 1000 else "seconds") + "Z"


# Changes (P13 to P17)

class Change(NamedTuple):
    """A change of one item; its kind says which indexes it has, and whether it has a content."""
    id: str
    old_index: Optional[int] = None
    new_index: Optional[int] = None
    content: Optional[str] = None

    @property
    def value(self) -> Any:
        """The content as `Item.value`; None for a change without a content."""
        return None if self.content is None else _value(self.content)


class Changes(NamedTuple):
    removed: Sequence[Change] = ()
    moved: Sequence[Change] = ()
    inserted: Sequence[Change] = ()
    updated: Sequence[Change] = ()

    @property
    def is_empty(self) -> bool:
        return not any(self)


def diff(old: Sequence[Item], new: Sequence[Item]) -> Changes:
    """The canonical change set between two lists: patience sorting finds the items that stay (P16)."""
    new_index = {item.id: index for index, item in enumerate(new)}
    old_ids = {item.id for item in old}
    matched = [(index, new_index[item.id]) for index, item in enumerate(old) if item.id in new_index]
    tops: List[int] = []
    link: Dict[int, Optional[int]] = {}
    for _, index in matched:
        pile = bisect.bisect_left(tops, index)
        link[index] = tops[pile - 1] if pile else None
        tops[pile:pile + 1] = [index]
    kept, last = set(), tops[-1] if tops else None
    while last is not None:
        kept.add(last)
        last = link[last]
    updated = [Change(old[a].id, a, b, new[b].content) for a, b in matched if old[a].content != new[b].content]
    return Changes(
        removed=[Change(item.id, a) for a, item in enumerate(old) if item.id not in new_index],
        moved=[Change(old[a].id, a, b) for a, b in matched if b not in kept],
        inserted=[Change(item.id, None, b, item.content) for b, item in enumerate(new) if item.id not in old_ids],
        updated=sorted(updated, key=lambda change: cast(int, change.new_index)))


def apply(items: Sequence[Item], changes: Changes, new_count: Optional[int] = None) -> List[Item]:
    """The new list (P15), if the changes are valid and fit the old one (P14)."""
    return _apply(items, changes, new_count)[0]


def _apply(items: Sequence[Item], changes: Any, new_count: Optional[int]) -> Tuple[List[Item], List[Run]]:
    """The new list, and the runs of items that are in both lists.

    A `Change` has the indexes and the content of its kind, which its type does not say.
    """
    removed, moved, inserted, updated = changes
    count = len(items) - len(removed) + len(inserted)
    if new_count not in (None, count):
        raise Mismatch("the counts of the changes do not add up")
    for name, array, place in zip(Changes._fields, changes, (1, 1, 2, 2)):
        places = [change[place] for change in array]
        bound = (len(items), count)[place - 1]
        if any(not a < b < bound for a, b in zip([-1] + places, places)):
            raise Mismatch(f"{name}: the indexes do not ascend, or lie outside of the list")
    for change in (*removed, *moved, *updated):
        if change.old_index >= len(items) or items[change.old_index].id != change.id:
            raise Mismatch(f"the item at {change.old_index} is not '{change.id}'")
    departures = {change.old_index for change in (*removed, *moved)}
    arrivals = {change.new_index: Item(change.id, change.content) for change in inserted}
    if any(change.new_index in arrivals for change in updated):
        raise Mismatch("an inserted item is updated")
    arrivals.update((change.new_index, items[change.old_index]) for change in moved)
    if len(departures) < len(removed) + len(moved) or len(arrivals) < len(inserted) + len(moved) \
            or max(arrivals, default=-1) >= count:
        raise Mismatch("two changes have the same index, or one lies outside of the list")
    leaving = sorted(departures) + [len(items)]
    result: List[Item] = []
    runs: List[Run] = []
    next_leaving = index = 0
    for place in [*sorted(arrivals), count]:
        while len(result) < place:
            while leaving[next_leaving] == index:
                next_leaving, index = next_leaving + 1, index + 1
            end = min(leaving[next_leaving], index + place - len(result))
            runs.append(Run(index, len(result), end - index))
            result += items[index:end]
            index = end
        result += [arrivals[place]] if place < count else []
    for change in updated:
        if result[change.new_index].id != change.id:
            raise Mismatch(f"'{change.id}' does not come to {change.new_index}")
        result[change.new_index] = Item(change.id, change.content)
    if inserted and len({item.id for item in result}) < count:
        raise Mismatch("an inserted item is in the list already")
    runs += [Run(change.old_index, change.new_index, 1) for change in moved]
    return result, list(_without([change.new_index for change in updated], sorted(runs, key=lambda run: run.new)))


def _without(indexes: Sequence[int], runs: Iterable[Run]) -> Iterator[Run]:
    """The runs without the items at some indexes of the new list."""
    for old, new, count in runs:
        end = new + count
        for index in [*indexes[bisect.bisect_left(indexes, new):bisect.bisect_left(indexes, end)], end]:
            if index > new:
                yield Run(old, new, index - new)
            old, new = old + index + 1 - new, index + 1


# Documents (P18 to P24)

_EMPTY_ROOT = root(())


class State(NamedTuple):
    """A list at one version. The root proves a copy; the cursor (P10) names it to the server."""
    cursor: Optional[str] = "0-" + "0" * 32
    count: int = 0  # type: ignore[assignment]
    root: str = _EMPTY_ROOT

    @property
    def version(self) -> int:
        return int((self.cursor or "0").partition("-")[0])


class Header(NamedTuple):
    """A proven state: the chain of its members proves that the root belongs to the cursor (P11).

    Only the root covers the count, so it is proven where the root is computed. The default is version 0.
    """
    version: int = 0
    committed_at: int = 0
    author: Optional[str] = None
    message: Optional[str] = None
    count: int = 0  # type: ignore[assignment]
    root: str = _EMPTY_ROOT
    previous: str = "0" * 64

    @property
    def chain(self) -> str:
        """The chain of the version. It is computed, never read."""
        version, milliseconds, author, message, _, root, previous = cast(Any, self)
        return chain(previous, version, milliseconds, author, message, root) if version else "0" * 64

    @property
    def state(self) -> State:
        return State(self.cursor, self.count, self.root)

    @property
    def cursor(self) -> str:
        return f"{self.version}-{self.chain[:32]}"

    @property
    def cursor_before(self) -> str:
        """The cursor of the version before."""
        return f"{self.version - 1}-{self.previous[:32]}"


def follows(cursor: str, headers: Sequence[Header]) -> bool:
    """Whether the headers, in ascending order, are those of the versions after a cursor in the same history.

    The cursor has 8 to 32 digits. Without any header the answer is no.
    """
    named = _cursor(cursor, 8)
    links = zip(headers, headers[1:])
    return named is not None and bool(headers) and headers[0].cursor_before.startswith(named) and all(
        (after.version, after.previous) == (before.version + 1, before.chain) for before, after in links)


class Delta(NamedTuple):
    """A document: the changes from a state to another, or the items of the whole list."""
    list: Optional[str]
    start: Optional[State]
    end: State
    changes: Optional[Changes]
    items: Optional[List[Item]]
    reason: str = "changes"
    more: bool = False
    header: Optional[Header] = None
    """That of the end; None if two files were compared."""
    note: Any = None
    """The note of the end (P52), unchecked."""


class Signed(NamedTuple):
    """Why a copy is trusted (P53): its note, the key that the replica was given, and the key that it trusts now."""
    note: str
    given: str
    key: str


@dataclass(frozen=True)
class Copy:
    """A verified list."""
    list: str
    state: State = State()
    items: Sequence[Item] = ()
    signed: Optional[Signed] = None
    """None without a key."""

    def applying(self, delta: Delta) -> Copy:
        """The copy that a document leads to (P23)."""
        items = delta.items
        if items is None:
            if delta.start is None or (len(self.items), self.state.root) != delta.start[1:]:
                raise Mismatch("the changes start from another list")
            items, runs = _apply(self.items, delta.changes, delta.end.count)
            tree = self._tree.after(items, runs)
        elif len({item.id for item in items}) < len(items):
            raise Mismatch("an item stands twice in the list")
        else:
            tree = HashTree.of(items)
        if (len(items), tree.root) != delta.end[1:]:
            raise Mismatch("the result is not the list that the document promises")
        after = Copy(self.list, delta.end, items)
        vars(after)["_tree"] = tree
        return after

    def signed_as(self, signed: Signed) -> Copy:
        """This copy with its note and keys."""
        copy = Copy(self.list, self.state, self.items, signed)
        vars(copy)["_tree"] = self._tree
        return copy

    @functools.cached_property
    def _tree(self) -> HashTree:
        return HashTree.of(self.items)


def _get(record: Any, name: str, read: Reader, *default: Any) -> Any:
    """A member, read by a function that gives None for a wrong value. Unknown members are ignored (P22)."""
    if isinstance(record, dict) and name in record:
        value = read(record[name])
        if value is not None:
            return value
    elif default:
        return default[0]
    raise Mismatch(f"'{name}' is missing or not of the format")


def _text(value: Any) -> Optional[str]:
    return value if isinstance(value, str) and not isinstance(value, Number) else None


def _matching(pattern: str) -> Reader:
    expression = re.compile(pattern, re.ASCII)
    return lambda value: value if _text(value) is not None and expression.fullmatch(value) else None


_id = _matching(r"(?s).+")
_list_name = _matching(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")


def _hex(digit_count: int) -> Reader:
    match = _matching(f"[0-9a-fA-F]{{{digit_count}}}")
    return lambda value: match(value) and value.lower()


def _cursor(value: Any, least: int = 32) -> Optional[str]:
    match = _matching(rf"0*\d{{1,18}}-[0-9a-fA-F]{{{least},32}}")
    number, hyphen, digits = (match(value) or "").partition("-")
    return f"{number.lstrip('0') or 0}-{digits.lower()}" if hyphen else None


def _index(value: Any) -> Optional[int]:
    """A whole number from 0 that every language has (P22)."""
    text = canonical_number(value) if isinstance(value, Number) else ""
    number = int(text) if re.fullmatch(r"\d+", text) else -1
    return number if 0 <= number < 2**53 else None


def _flag(value: Any) -> Optional[bool]:
    return value if isinstance(value, bool) else None


def _array(read: Reader) -> Reader:
    return lambda value: [read(element) for element in value] if isinstance(value, list) else None


def _check_others(record: Any, known: Any) -> Any:
    """Checks the depth of the members that are ignored. Contents are checked when they are made canonical."""
    if isinstance(record, dict) and not record.keys() <= known:
        for name in record.keys() - known:
            canonical(record[name])
    return record


def _item(record: Any) -> Item:
    _check_others(record, _ITEM)
    return Item(_get(record, "id", _id), _get(record, "content", canonical))


def _state(record: Any) -> State:
    return State(_get(record, "cursor", _cursor, None), _get(record, "count", _index), _get(record, "root", _hex(64)))


def _header(record: Any, previous: str) -> Header:
    """The header of a version after another chain. Its cursor is not checked."""
    author, message = (
        _get(record, name, _text) if record.get(name) is not None else None for name in ("author", "message"))
    return Header(_get(record, "version", _index), read_time(_get(record, "committed_at", _text)), author, message,
                  _get(record, "count", _index), _get(record, "root", _hex(64)), previous)


def _proven(record: Any) -> Header:
    """A state with its header, whose cursor must follow from the header. Version 0 has no header."""
    state = State(_get(record, "cursor", _cursor), *_state(record)[1:])
    if not _get(record, "version", _index):
        header, reason = Header(), "the state of the empty list, as version 0 is"
    else:
        header = _header(record, _get(record, "previous", _hex(64)))
        reason = "the cursor of the version, note, root and chain before beside it"
    if header.state != state:
        raise Mismatch(f"{state.cursor} is not {reason}")
    return header


_ITEM = {"id", "content"}
_CHANGE = {"id", "from", "to", "content"}
_DOCUMENT = {"changes": {*Changes._fields}, "snapshot": {"items"}}


def _changes(record: Any) -> Changes:
    def read(*names: str) -> Reader:
        readers = {"from": _index, "to": _index, "content": canonical}
        return _array(lambda change: Change(_get(_check_others(change, _CHANGE), "id", _id), *(
            _get(change, name, reader) if name in names else None for name, reader in readers.items())))
    return Changes(
        _get(record, "removed", read("from")), _get(record, "moved", read("from", "to")),
        _get(record, "inserted", read("to", "content")), _get(record, "updated", read("from", "to", "content")))


def read_delta(document: Text) -> Delta:
    """Reads a delta document of either kind (P19, P20)."""
    record = parse(document)
    _get(record, "format", _matching("list-delta/1"))
    kind = _get(record, "kind", _matching("changes|snapshot"))
    _check_others(record, _DOCUMENT[kind])
    end = _get(record, "to", _state)
    header = _get(record, "to", _proven) if end.cursor else None
    if kind == "changes":
        return Delta(_get(record, "list", _list_name, None), _get(record, "from", _state), end, _changes(record),
                     None, more=_get(record, "more", _flag, False), header=header, note=record.get("note"))
    _get(record, "oldest", _index)
    return Delta(_get(record, "list", _list_name), _get(record, "from", _state, None), end, None,
                 _get(record, "items", _array(_item)),
                 _get(record, "reason", _matching("first|too-old|diverged|smaller")),
                 _get(record, "more", _flag, False), header, record.get("note"))


def read_versions(document: Text) -> List[Header]:
    """Reads the headers of a list's versions, which a server gives newest first. The oldest one comes first here."""
    record = parse(document)
    canonical(record)  # checks the depth of the members that are ignored
    headers: Optional[List[Header]] = _array(_proven)(record)
    if headers is None:
        raise Mismatch("the versions are not an array")
    return headers[::-1]


def write_delta(start: State, end: State, changes: Changes) -> bytes:
    """The document of changes (P19) for a commit; the cursor of the end is not known."""
    def record(names: Sequence[str], values: Iterable[Any]) -> Dict[str, Any]:
        return {name: value for name, value in zip(names, values) if value is not None}
    arrays = {name: [record(("id", "from", "to", "content"), (*one[:3], one.content and Canonical(one.content)))
                     for one in array] for name, array in zip(Changes._fields, changes)}
    states = {"from": record(State._fields, start), "to": record(State._fields, end)}
    return canonical({"format": "list-delta/1", "kind": "changes", **states, **arrays}).encode()


# Bundles (P25 to P28)

def read_bundle(lines: Iterable[bytes], start: Optional[Copy] = None) -> Iterator[Tuple[Copy, Delta]]:
    """Reads the lines of a bundle, such as an open file, and proves each version: its copy, and the step to it.

    An incremental bundle continues `start`. The last line proves the rest, so use the versions only
    after the iteration has ended without an error.
    """
    stream, digest, line_count = iter(lines), hashlib.sha256(), 0

    def next_line() -> bytes:
        nonlocal line_count
        line, line_count = next(stream, b""), line_count + 1
        digest.update(line)
        check(line.endswith(b"\n"), "the bundle is cut off")
        return line

    def check(holds: Any, reason: str) -> None:
        if not holds:
            raise Mismatch(f"line {line_count}: {reason}")
    header = parse(next_line())
    _get(header, "format", _matching("list-bundle/1"))
    copy = Copy(_get(header, "list", _list_name))
    state, target = _get(header, "from", _proven), _get(header, "to", _proven)
    if _get(header, "kind", _matching("full|incremental")) == "incremental":
        copy = start or copy
        check(copy.state == state.state, f"the bundle continues {state.cursor}")
    elif state.version:
        check(state.version > 1, "a base is version 2 or later")
        items = [_item(parse(next_line())) for _ in range(state.count)]
        copy = copy.applying(Delta(copy.list, None, state.state, None, items))
    while state.version < target.version:
        step = read_delta(next_line())
        after = step.header or Header()
        check(step.changes and not step.changes.is_empty and step.start == state.state
              and (after.version, after.previous) == (state.version + 1, state.chain), f"not the step after {state.cursor}")
        new = copy.applying(step)
        check(diff(copy.items, new.items) == step.changes, "the step is not the canonical one")
        copy, state = new, after
        yield copy, step
    check(state == target, f"{state.cursor} is not the target")
    last = f'{{"lines":{line_count},"sha256":"{digest.hexdigest()}"}}\n'.encode()
    check(next(stream, b"") == last and not next(stream, b""), "the last line does not fit the lines before")


# Proofs of one item (list-proof/1)

class Proof(NamedTuple):
    """An item of a version. The name of the list is not proven: no chain covers it (P11)."""
    list: str
    item: Item
    index: int  # type: ignore[assignment]
    count: int  # type: ignore[assignment]
    header: Header


class PathGroup(NamedTuple):
    """A group of a tree on the path from an item to the root, or beside it."""
    count: int  # type: ignore[assignment]
    hashes: List[bytes]
    position: int = 0
    before: Optional[List[PathGroup]] = None
    after: Optional[List[PathGroup]] = None

    def hash(self, level: int) -> bytes:
        _require(level > 1 or self.count == len(self.hashes), "a group of level 1 does not count its hashes")
        return group_hash(level, self.count, b"".join(self.hashes))

    def start(self, level: int, count_below: int) -> int:
        """The number of its items before the group below on the path, or before the item (level 1).

        It follows from the counts of the groups on one side of the path, which their hashes cover.
        """
        if level == 1:
            return self.position
        _require((self.before is None) != (self.after is None), f"level {level} must have 'before' or 'after'")
        is_before, beside = self.before is not None, (self.before or []) + (self.after or [])
        hashes = self.hashes[:self.position] if is_before else self.hashes[self.position + 1:]
        _require([group.hash(level - 1) for group in beside] == hashes,
                 f"the groups in '{'before' if is_before else 'after'}' of level {level} are not those beside the path")
        count = sum(group.count for group in beside)
        start = count if is_before else self.count - count_below - count
        _require(0 <= start <= self.count, f"the groups of level {level} have more items than the group above them")
        return start


def check_proof(document: Text, cursor: str) -> Proof:
    """Checks a document that proves one item of a version.

    `cursor`, of 8 to 32 digits, must be one that the caller kept, or got from somebody trusted: that of the last
    header in the document. Without it nothing is proven.
    """
    record = _check_others(parse(document), {"item"})
    _get(record, "format", _matching("list-proof/1"))
    name, item = _get(record, "list", _list_name), _get(record, "item", _item)
    stated = _get(record["item"], "index", _index)
    path, headers = _get(record, "path", _path), _get(record, "headers", _array(_proven))
    named = _cursor(cursor, 8) or ""
    _require(named, f"'{cursor}' is not a cursor such as 7-3f9a1c2b7d40")
    _require(0 < len(path) <= 64 and headers, "a path has 1 to 64 levels, and a proof at least one header")
    digest, index, count = item_hash(item), 0, 1
    for level, group in enumerate(path, 1):
        _require(group.hashes[group.position:][:1] == [digest],
                 f"the {'item' if level == 1 else 'group below'} is not at the position that level {level} names")
        index += group.start(level, count)
        digest, count = group.hash(level), group.count
    end, last = headers[0], headers[-1].cursor
    _require((digest.hex(), count) == (end.root, end.count), f"the path does not lead to the root of {end.cursor}")
    _require(index == stated and index < count, f"the item is at {index} of {count}, not at {stated}")
    _require(follows(end.cursor_before, headers), "the headers do not follow one another")
    _require(last.startswith(named), f"the headers lead to {last}, not to {cursor}")
    return Proof(name, item, index, count, end)


def _require(holds: Any, reason: str) -> None:
    if not holds:
        raise Mismatch(f"not proven: {reason}")


def _path(groups: Any) -> Optional[List[PathGroup]]:
    return [_path_group(group, ("before", "after") if above else ()) for above, group in enumerate(groups)] \
        if isinstance(groups, list) else None


def _path_group(record: Any, sides: Sequence[str]) -> PathGroup:
    beside = {name: _get(record, name, _array(_group_beside), None) for name in sides}
    return _group_beside(record)._replace(position=_get(record, "position", _index), **beside)


def _group_beside(record: Any) -> PathGroup:
    return PathGroup(_get(record, "count", _index), _get(record, "hashes", _hashes))


def _hashes(value: Any) -> Optional[List[bytes]]:
    """The hashes of the 1 to 256 elements of a group."""
    texts = _array(_hex(64))(value) or []
    return [*map(bytes.fromhex, texts)] if 0 < len(texts) <= 256 and all(texts) else None


# HTTP (P29 to P38)

class Response(NamedTuple):
    status: int
    headers: Any
    body: bytes


BYTE_LIMIT = 256 << 20
"""The most bytes of an answer, unless a replica is given another limit."""
HEADER_LIMIT = 1000
"""The most versions that a server gives in one answer."""
SMALL_BYTE_LIMIT = 64 << 10
"""The most bytes of a problem document, and of a line of an event stream."""
IDLE_SECONDS = 30
"""The longest time without any data, beyond the wait that the server is asked for."""


class _TimedReader(io.RawIOBase):
    """What a socket receives. A read fails when nothing comes for a while, and when the time of the answer is over."""

    def __init__(self, connection: Any, idle_seconds: float, deadline: float):
        self._connection, self._idle_seconds, self._deadline = connection, idle_seconds, deadline
        self._file = connection.makefile("rb", buffering=0)  # keeps the socket open

    def makefile(self, *_: Any) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the answer was not whole within its time")
        self._connection.settimeout(min(left, self._idle_seconds))
        return self._file.readinto(buffer)

    def close(self) -> None:
        self._file.close()
        super().close()


class Exchange:
    """A request and its answer, whose head is read at once. It follows no redirection and uses no proxy (P38)."""

    def __init__(self, method: str, url: str, headers: Dict[str, str], body: Optional[bytes] = None,
                 idle_seconds: float = IDLE_SECONDS, seconds: float = 600):
        address = urlsplit(url)
        kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
        deadline = time.monotonic() + seconds
        self._connection = kind(address.hostname or "", address.port, timeout=min(idle_seconds, seconds))
        reader: Any = functools.partial(_TimedReader, idle_seconds=idle_seconds, deadline=deadline)  # in place of a socket
        make: Any = lambda connection, **options: http.client.HTTPResponse(reader(connection), **options)
        self._connection.response_class = make
        try:
            target = address.path + (f"?{address.query}" if address.query else "")
            self._connection.request(method, target, body, {**headers, "Connection": "close"})
            self.answer = self._connection.getresponse()
        except BaseException:
            self._connection.close()
            raise

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes. A body that is cut off ends with an error, and is not used (P32)."""
        left = self.answer.length
        while left is None or left > 0:
            piece = self.answer.read1(65_536 if left is None else min(left, 65_536))
            if not piece:
                break
            left = None if left is None else left - len(piece)
            yield piece
        if left:
            raise Unavailable("the answer was cut off")

    def lines(self) -> Iterator[bytes]:
        """The lines of an event stream; each must come whole within its bytes and its time."""
        rest, begun = bytearray(), time.monotonic()
        for piece in self.pieces():
            *whole, rest = (rest + piece).split(b"\n")
            yield from map(bytes, whole)
            begun = time.monotonic() if whole else begun
            if len(rest) > SMALL_BYTE_LIMIT or time.monotonic() - begun > 60:
                raise Unavailable(f"an event was not whole after {len(rest)} bytes")

    def close(self) -> None:
        self.answer.close()
        self._connection.close()

    def __enter__(self) -> Exchange:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def send(method: str, url: str, headers: Dict[str, str], body: Optional[bytes] = None, wait_seconds: float = 0,
         seconds: float = 600, byte_limit: int = BYTE_LIMIT) -> Response:
    """Sends a request and gets the whole answer, within limits of its time and bytes.

    `wait_seconds` is the wait that the server is asked for. A problem document that is too long has no members.
    """
    headers = {"Accept-Encoding": "gzip", **headers}
    try:
        with Exchange(method, url, headers, body, IDLE_SECONDS + wait_seconds, seconds + wait_seconds) as exchange:
            answer = exchange.answer
            limit = byte_limit if answer.status < 300 else SMALL_BYTE_LIMIT
            content = bytearray()
            for piece in _unpacked(exchange.pieces(), answer.headers.get("content-encoding", "identity").lower()):
                content += piece
                if len(content) > limit:
                    if answer.status >= 300:
                        content.clear()
                        break
                    raise TooLong(f"the answer has more than {limit} bytes")
            return Response(answer.status, answer.headers, bytes(content))
    except (OSError, http.client.HTTPException, zlib.error) as error:
        raise Unavailable(f"{type(error).__name__}: {error}") from error


def _unpacked(pieces: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """A body without its coding, in pieces of at most 64 kB."""
    if coding in ("", "identity"):
        yield from pieces
        return
    if coding not in ("gzip", "x-gzip"):
        raise Unavailable(f"the answer is coded as {coding}, not as asked")
    unpacker, has_begun = zlib.decompressobj(31), False
    for piece in pieces:
        has_begun = has_begun or bool(piece)
        while piece:
            if unpacker.eof:
                unpacker = zlib.decompressobj(31)
            yield unpacker.decompress(piece, 65_536)
            piece = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    yield unpacker.flush()
    if has_begun and not unpacker.eof:
        raise Unavailable("the answer was cut off")


def read_answer(response: Response, read: Reader = read_delta) -> Any:
    """The document of an answer, read by a function; None if nothing is new (P32, P33)."""
    status, headers, body = response
    if status in (200, 201):
        kind = headers.get("content-type", "application/json").lower().partition(";")[0].strip()
        if kind != "application/json" and not kind.endswith("+json"):
            raise Unavailable(f"the answer is {kind}, which is not from a ListSync server")
        return read(body)
    if status == 304:
        return None
    problem = _problem(body)
    kind = problem.get("type", "").partition("urn:listsync:problem:")[2]
    if (status, kind) in ((404, "no-such-version"), (409, "diverged"), (410, "too-old")):
        raise NoDelta("too-old" if status == 410 else "diverged")
    place = headers.get("location") if status in range(300, 400) else None
    words = problem.get("detail") or problem.get("title") or (f"it has moved to {place}" if place else "refused")
    error: Any = Refused(f"status {status}: {words}")
    if (status, kind) == (409, "conflicts"):
        error = Conflicts(f"status {status}: {words}")
        error.count, error.head, error.conflicts = _conflicts(body)
    if status in (408, 425, 429, 500) or status in range(502, 600) and status != 505:
        error, seconds = Unavailable(f"status {status}"), headers.get("retry-after", "")
        error.retry_after_seconds = int(seconds) if re.fullmatch(r"[0-9]{1,9}", seconds) else 0
    error.status, error.problem = status, problem
    raise error


def _problem(body: bytes) -> Dict[str, Any]:
    """The members of a problem document (P34); none if the body is another one. Texts are texts."""
    try:
        problem = json.loads(body, parse_float=exact, parse_int=exact)
    except (ValueError, RecursionError, ListSyncError):
        problem = None
    members = problem.items() if isinstance(problem, dict) else ()
    texts = ("type", "title", "detail")
    return {name: value for name, value in members if name not in texts or isinstance(value, str)}


def wait_seconds(failure_count: int, retry_after_seconds: float = 0, chance: Optional[float] = None) -> float:
    """The wait after a number of failures in a row (P42)."""
    full: float = min(60, 0.5 * 2 ** min(failure_count - 1, 30))
    return min(retry_after_seconds, 3600) + full * (0.5 + (random.random() if chance is None else chance) / 2)


# Publications (P47 to P50)

class DeltaLevel(NamedTuple):
    """The deltas of a level, which lead over as many versions as the base of the publication to the power of it."""
    count: int  # type: ignore[assignment]
    byte_count: int


class Whole(NamedTuple):
    state: Header
    file: str
    byte_count: int


class PublicationHead(NamedTuple):
    """The only file of a publication that changes (P47)."""
    list: str
    end: Header
    oldest: int
    base: int
    levels: Sequence[DeltaLevel]
    whole: Optional[Whole]
    note: Any
    """The note of the end (P52), unchecked."""

    def next_delta(self, version: int) -> Tuple[int, int]:
        """The longest delta from a version on that ends at the head or before: its level and its last version (P48)."""
        level, length = 0, 1
        while (level + 1 < len(self.levels) and version % (length * self.base) == 0
               and version + length * self.base <= self.end.version):
            level, length = level + 1, length * self.base
        return level, version + length

    def way(self, version: int) -> Optional[List[Tuple[int, int]]]:
        """The first and the last version of each delta that leads from a version to the head; None for more than 1,000."""
        way: List[Tuple[int, int]] = []
        while version < self.end.version and self.levels:
            if len(way) == 1000:
                return None
            way.append((version, self.next_delta(version)[1]))
            version = way[-1][1]
        return way

    def byte_count(self, version: int) -> float:
        """About how many bytes the deltas have that lead from a version to the head; infinite for more than 1,000."""
        way = self.way(version)
        levels = [self.levels[self.next_delta(start)[0]] for start, _ in way or ()]
        return math.inf if way is None else sum(level.byte_count // max(level.count, 1) for level in levels)


_file_name = _matching(r"(?=.{1,255}$)[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def _byte_count(value: Any) -> Optional[int]:
    count = _index(value)
    return count if count is not None and count <= 2**53 else None


def _gone(list: str, gone: Any) -> Refused:
    """The error of a list that was dropped or renamed."""
    _get(gone, "at", _text)
    new_name = None if gone.get("new_name") is None else _get(gone, "new_name", _list_name)
    words = f"is called '{new_name}' now" if new_name else "was dropped"
    error = Refused(f"status 410: the list '{list}' {words}")
    error.status, error.problem = 410, {"new_name": new_name}
    return error


def read_publication_head(document: Text) -> PublicationHead:
    """Reads the head of a publication; unknown members are ignored.

    Raises `Refused` with status 410 and the `new_name` in its problem for a list that was dropped or renamed.
    """
    record = parse(document)
    canonical(record)  # checks the depth of the members that are ignored
    _get(record, "format", _matching("list-publication/1"))
    if record.get("gone") is not None:
        raise _gone(_get(record, "list", _list_name), record["gone"])
    levels = _get(record, "levels", _array(
        lambda level: DeltaLevel(_get(level, "count", _index), _get(level, "bytes", _byte_count))))
    end = _get(record, "head", _proven)
    whole = _get(record, "whole", lambda stated: Whole(
        _proven(stated), _get(stated, "file", _file_name), _get(stated, "bytes", _byte_count)), None)
    head = PublicationHead(
        _get(record, "list", _list_name), end, _get(record, "oldest", _index), _get(record, "base", _index),
        levels, whole, record.get("note"))
    if not 2 <= head.base <= 65_536 or head.oldest > end.version:
        raise Mismatch("'base' or 'oldest' is not of the format")
    if whole and not head.oldest <= whole.state.version <= end.version:
        raise Mismatch("the whole list is not of a version from 'oldest' to 'head'")
    return head


class Publication:
    """The files of a list on any web server, object store or CDN, for one replica (P47 to P50)."""
    TRY_LIMIT = 3
    """The number of tries in a row before the replica starts over."""
    PATIENCE_SECONDS = 10.0
    """The wait before another try, where nobody says how long the head holds."""

    def __init__(self, url: str, list: str, get: Callable[[str, Dict[str, str]], Response], sleep: Callable[[float], Any],
                 byte_limit: int):
        self.url, self.list, self._get, self._sleep = f"{url}/{list}", list, get, sleep
        self.byte_limit = byte_limit  # of all deltas of a way
        self._head: Optional[PublicationHead] = None
        self._tag: Optional[str] = None
        self._lifetime: Optional[float] = None
        self._since = 0.0
        self._is_new = self._is_outdated = False
        self._reached: Optional[str] = None  # where the last answer on the way to this head leads
        self._way: List[Delta] = []  # the deltas from there to this head, the last one first
        self._received: Dict[str, Delta] = {}  # by their files, those of a way that is not complete
        self._bytes_left = byte_limit
        self._doubts_caches = False  # whether caches are asked for what the web server has now
        self._failures = 0

    def find(self) -> bool:
        """Whether the list has a publication. The next answer comes from its head."""
        response = self._request("head.json")
        if response.status == 200 and response.body.startswith(b'{"format":"list-publication/'):
            self._take(response)
            return True
        try:
            read_answer(response, lambda body: None)
        except (NoDelta, Refused):
            pass
        return False

    def ask(self, state: State, whole: bool, wait: float) -> Optional[Delta]:
        """The next delta on the way from a state to the head, or the whole list; None if there is nothing new."""
        self._doubts_caches = whole
        try:
            head = self._head_for(state, whole, wait)
            if head.list != self.list:
                raise Mismatch(f"the head is of the list {head.list}")
            delta = self._answer(head, state)
        except Behind as error:
            raise self._failure(error, whole) from error
        self._failures = 0
        if delta is None:
            return None
        self._reached = delta.end.cursor
        more = delta.end.cursor != head.end.cursor
        return delta._replace(more=more, note=None if more else head.note)

    @property
    def end(self) -> Tuple[Any, Optional[Header]]:
        """The note of the head, and its header, which count where nothing is new."""
        return (self._head.note, self._head.end) if self._head else (None, None)

    def header(self, cursor: str) -> List[Header]:
        """The header of a version, from the delta that leads to it alone; none if it was pruned."""
        head, version = self._head, State(cursor).version
        if head is None or not head.oldest < version <= head.end.version:
            return []
        self._doubts_caches = False
        try:
            delta, _ = self._delta(version - 1, cursor)
        except Behind as error:
            raise self._failure(error, True) from error
        return [delta.header] if delta.header else []

    def _failure(self, error: Behind, whole: bool) -> ListSyncError:
        self._is_outdated, self._failures = True, self._failures + 1
        if self._failures >= self.TRY_LIMIT and not whole and error.reason:
            self._failures = 0
            return NoDelta(error.reason)
        later = Unavailable(f"the publication, or a cache of it, is behind: {error}")
        later.retry_after_seconds = self.PATIENCE_SECONDS
        if self._lifetime:
            later.retry_after_seconds = max(self._since + self._lifetime - time.monotonic(), 1)
        return later

    def _request(self, file: str, headers: Optional[Dict[str, str]] = None) -> Response:
        """The answer for a file. A page of a network or host, and a 304 that nobody asked for, are none (P32, P40)."""
        fresh = {"Cache-Control": "no-cache"} if self._doubts_caches or self._failures else {}
        response = self._get(f"{self.url}/{file}", {**(headers or {}), **fresh})
        is_page = response.status == 200 and "html" in response.headers.get("content-type", "").lower()
        if is_page or (response.status == 304 and not headers):
            self._is_outdated = True  # Ask for the head first: hosts give pages for files that are gone, too.
            kind = PageInstead if is_page else Unavailable
            raise kind(f"{file} is {'HTML' if is_page else 'a 304 to another request'}, not from a publication")
        return response

    def _take(self, response: Response) -> None:
        lifetime = _lifetime(response.headers)
        if response.status == 200:
            head = read_publication_head(response.body)
            if not self._head or head.end != self._head.end:
                self._reached, self._way = None, []
                self._forget_received()
            self._head, self._tag, self._lifetime = head, response.headers.get("etag"), lifetime
        self._lifetime = self._lifetime if lifetime is None else lifetime
        self._since, self._is_new, self._is_outdated = time.monotonic(), True, False

    def _head_for(self, state: State, whole: bool, wait: float) -> PublicationHead:
        """The head to which an answer leads: the last one until the copy has reached it."""
        if self._head and not self._is_outdated:
            is_on_the_way = self._reached == state.cursor != self._head.end.cursor
            if self._is_new or (not whole and not wait and is_on_the_way):
                self._is_new = False
                return self._head
            # Clients that read the head together do not come back together.
            lifetime = wait if self._lifetime is None else self._lifetime
            rest = self._since + lifetime * (1 + random.random() / 10) - time.monotonic()
            if wait and rest > 0:
                self._sleep(rest)
        response = self._request("head.json", {"If-None-Match": self._tag} if self._tag else {})
        if response.status not in (200, 304):
            read_answer(response, lambda body: None)
        self._take(response)
        self._is_new = False
        if self._head is None:
            raise Unavailable("the head is not there")
        return self._head

    def _answer(self, head: PublicationHead, state: State) -> Optional[Delta]:
        start, end = state.version, head.end.version
        if state.cursor == head.end.cursor:
            return None
        if start > end:
            raise self._behind(f"its head is version {end}, and this copy has version {start}", "diverged")
        if start == end:
            raise NoDelta("diverged")
        if start < max(head.oldest, 1):
            reason = "too-old" if start else "first"
            return self._whole(head)._replace(start=None if start else state, reason=reason)
        whole = head.whole
        if whole and whole.state.version > start and (
                head.byte_count(start) > whole.byte_count + head.byte_count(whole.state.version)):
            return self._whole(head)._replace(start=state, reason="smaller")
        if not self._way or _start(self._way[-1]) != state.cursor:
            self._way = self._read_way(head, start)
        if not self._way:
            raise self._behind(f"its head names no way from version {start}")
        delta = self._way.pop()
        if _start(delta) != state.cursor:
            self._way = []
            if self._reached == state.cursor:  # The head contradicts itself.
                raise self._behind("its head is not of the history of its whole list", "")
            raise NoDelta("diverged")
        return delta

    def _read_way(self, head: PublicationHead, start: int) -> List[Delta]:
        """The deltas from a version to the head, the last one first: the start of each names the one before it (P48)."""
        cursor: Any = head.end.cursor
        way: List[Delta] = []
        for first, _ in reversed(head.way(start) or ()):
            file = _delta_file(first, cursor)
            if file not in self._received:
                self._received[file], size = self._delta(first, cursor)
                self._bytes_left -= size
                if self._bytes_left < 0:
                    raise TooLong(f"the deltas of the publication have more than {self.byte_limit} bytes")
            way.append(self._received[file])
            cursor = _start(way[-1])
        self._forget_received()
        return way

    def _forget_received(self) -> None:
        self._received, self._bytes_left = {}, self.byte_limit

    def _delta(self, start: int, cursor: str) -> Tuple[Delta, int]:
        return self._document(_delta_file(start, cursor), lambda delta: delta.changes is not None and delta.end.cursor == cursor
                              and State(_start(delta)).version == start)

    def _whole(self, head: PublicationHead) -> Delta:
        whole = head.whole
        if whole is None:
            raise self._behind("its head names no whole list")
        return self._document(whole.file, lambda delta: delta.items is not None and delta.end.cursor == whole.state.cursor)[0]

    def _document(self, file: str, is_right: Callable[[Delta], bool]) -> Tuple[Delta, int]:
        """Reads a file that never changes, and counts its bytes. If it is not the one of its name, as from a cache that keeps
        a former one, it is asked for once more, past caches (P50)."""
        while True:
            content = self._content(file)
            try:
                delta = read_delta(content)
                if is_right(delta):
                    return delta, len(content)
                raise Mismatch(f"{file} is not the file of its name")
            except Mismatch:
                if self._doubts_caches:
                    raise
                self._doubts_caches = True

    def _content(self, file: str) -> bytes:
        response = self._request(file)
        # Object stores answer 403 for a file that is not there to clients which may not list a folder.
        if response.status in (403, 404, 410):
            raise self._behind(f"{file} is not there")
        if response.status != 200:
            read_answer(response, lambda body: None)
        return response.body

    @staticmethod
    def _behind(text: str, reason: str = "too-old") -> Behind:
        error = Behind(text)
        error.reason = reason
        return error


def _delta_file(start: int, end: str) -> str:
    return f"delta/{State(end).version - start}/{end}.json"


def _start(delta: Delta) -> Optional[str]:
    return delta.start.cursor if delta.start else None


def _lifetime(headers: Any) -> Optional[float]:
    """The rest of `max-age` (RFC 9111), up to an hour; None if it is not said."""
    match = re.search(r'(?:^|[\s,])max-age="?(\d{1,15})', headers.get("cache-control", ""), re.ASCII | re.IGNORECASE)
    passed = headers.get("age", "")
    if not match or not int(match[1]):
        return None
    return min(max(int(match[1]) - (int(passed) if re.fullmatch(r"[0-9]{1,15}", passed) else 0), 1), 3600)


# Signed heads (P51 to P53)

Point = Tuple[int, int, int, int]


HIGHEST_VERSION = 2**32 - 2
_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME


def _point(data: bytes) -> Optional[Point]:
    """A point of the curve Ed25519 in extended coordinates (RFC 8032, 5.1.3); None for another encoding than the one
    that is allowed."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number % 2**255
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _PRIME) % _PRIME
    x = pow(square, (_PRIME + 3) // 8, _PRIME)
    if (x * x - square) % _PRIME:
        x = x * pow(2, (_PRIME - 1) // 4, _PRIME) % _PRIME
    if len(data) != 32 or not _is_canonical(data) or (x * x - square) % _PRIME:
        return None
    x = x if x % 2 == sign else _PRIME - x
    return x, y, 1, x * y % _PRIME


def _is_canonical(data: bytes) -> bool:
    """Whether bytes are the one encoding of a point that is allowed, if there is such a point."""
    number = int.from_bytes(data, "little")
    y = number % 2**255
    return y < _PRIME and not (number > y and y in (1, _PRIME - 1))


def _encoded(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, _PRIME)
    number: int = y * inverse % _PRIME + (x * inverse % _PRIME % 2 << 255)
    return number.to_bytes(32, "little")


def _sum(a: Point, b: Point) -> Point:
    """The sum of two points (RFC 8032, 5.1.4)."""
    difference, total = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    c, d = 2 * a[3] * b[3] * _D, 2 * a[2] * b[2]
    e, f, g, h = (value % _PRIME for value in (total - difference, d - c, d + c, total + difference))
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _product(number: int, point: Point) -> Point:
    result = (0, 1, 1, 0)
    for bit in f"{number:b}":
        result = _sum(result, result)
        if bit == "1":
            result = _sum(result, point)
    return result


_BASE = cast(Point, _point((4 * pow(5, -1, _PRIME) % _PRIME).to_bytes(32, "little")))


def _holds_in_python(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature holds (RFC 8032, 5.1.7, without the cofactor). The key is a point."""
    x, y, z, t = cast(Point, _point(public_key))
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    factor = int.from_bytes(digest, "little") % _ORDER
    negative = _product(factor, (-x % _PRIME, y, z, -t % _PRIME))
    found = _sum(_product(int.from_bytes(signature[32:], "little"), _BASE), negative)
    return _encoded(found) == signature[:32]


def _holds_in_library(public_key: bytes, signature: bytes, message: bytes) -> Optional[bool]:
    """The same by the package `cryptography`, which is faster; None where it is not there, or has no Ed25519."""
    try:
        from cryptography.exceptions import (  # type: ignore[import-not-found, unused-ignore]
            InvalidSignature, UnsupportedAlgorithm)
        from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # type: ignore[import-not-found, unused-ignore]
            Ed25519PublicKey)
    except ImportError:
        return None
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except InvalidSignature:
        return False
    except UnsupportedAlgorithm:
        return None
    return True


def signature_holds(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether an Ed25519 signature of a message holds."""
    is_number = len(signature) == 64 and int.from_bytes(signature[32:], "little") < _ORDER
    if not is_number or _point(public_key) is None:
        return False
    verdict = _holds_in_library(public_key, signature, message)
    return _holds_in_python(public_key, signature, message) if verdict is None else verdict


class Key(NamedTuple):
    """A public key, written NAME+ID+BASE64; the label is NAME+ID."""
    text: str
    label: str
    point: bytes


class Note(NamedTuple):
    """What a note states (P51), and its signatures: pairs of the label of the key, and bytes."""
    text: str
    list: str
    version: int
    root: str
    chain: str
    successor: Optional[Key]
    signatures: List[Tuple[str, bytes]]


# No white space of Unicode, no control character, no +.
_KEY_NAME = r"[^\x00-\x20+\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ud800-\udfff]+"
_KEY = re.compile(rf"({_KEY_NAME})\+([0-9a-f]{{8}})\+([^\n]+)")
_SIGNATURE = re.compile(rf"\u2014 ({_KEY_NAME}) ([^\n]+)")
_NOTE = re.compile(r"(list-head/1\n([^\n]+)\n(0|[1-9][0-9]{0,15})\n([0-9a-f]{64})\n([0-9a-f]{64})\n(?:([^\n]+)\n)?)"
                   r"\n((?:[^\n]+\n)+)")


def _base64(text: str) -> bytes:
    """The bytes of a base64 text (RFC 4648, section 4); none for another spelling, such as one without padding."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        return b""
    return data if base64.b64encode(data).decode() == text else b""


def read_key(text: Any) -> Optional[Key]:
    """Reads a key; None for another text."""
    match = _KEY.fullmatch(_text(text) or "")
    name, id, base64_text = match.groups() if match else ("", "", "")
    data = _base64(base64_text)
    if len(data) != 33 or data[0] != 1 or not _is_canonical(data[1:]):
        return None
    found = hashlib.sha256(f"{name}\n".encode() + data).hexdigest()[:8]
    return Key(text, f"{name}+{found}", data[1:]) if found == id else None


def read_note(note: Any) -> Optional[Note]:
    """Reads a note; None for another text."""
    match = _NOTE.fullmatch(_text(note) or "")
    if not match or len(note.encode()) > 16_384:
        return None
    text, list, digits, root, chain, successor, lines = match.groups()
    key, signatures = successor and read_key(successor), []
    for line in lines.split("\n")[:-1]:
        signature = _SIGNATURE.fullmatch(line)
        name, base64_text = signature.groups() if signature else ("", "")
        data = _base64(base64_text)
        if len(data) <= 4:
            return None
        signatures.append((f"{name}+{data[:4].hex()}", data[4:]))
    is_empty_list = (root, chain) == (State().root, Header().chain)
    if not _list_name(list) or (successor and not key) or len(signatures) > 16 or (digits == "0" and not is_empty_list) \
            or int(digits) > HIGHEST_VERSION:
        return None
    return Note(text, list, int(digits), root, chain, key or None, signatures)


def check_note(note: Any, key: Key, list: str) -> Note:
    """What a note states about a list, if a key has signed it, and the key that takes over, too. Raises `Untrusted`."""
    read = read_note(note)
    if not read:
        raise Untrusted(list, "false-signature", "its note has another form")
    labels = {label: None for label, _ in read.signatures}
    if key.label not in labels:
        names = "".join(one if one.isprintable() else "?" for one in ", ".join(labels))[:200]
        raise Untrusted(list, "other-key", f"it is signed by {names}, not by {key.label}")
    for signer in [key, read.successor] if read.successor else [key]:
        own = [data for label, data in read.signatures if label == signer.label]
        if not own or not all(signature_holds(signer.point, data, read.text.encode()) for data in own):
            raise Untrusted(list, "false-signature", f"the signature of {signer.label} does not hold")
    if read.list != list:
        raise Untrusted(list, "other-list", f"it is signed as that of {read.list}")
    return read


class Trust:
    """The key that a replica trusts. It makes the copies that the replica may show: those with a note of the key."""

    def __init__(self, key: str, list: str):
        given = read_key(key)
        if not given:
            raise ValueError("a key is a text such as NAME+ID+BASE64, as its owner has published it")
        self._list, self._given = list, given
        self._key = given  # The given key, or the one that has taken over from it.

    def restored(self, copy: Copy) -> Copy:
        """The saved copy, or an empty one if it has no note of the key."""
        signed = copy.signed
        if signed and signed.given == self._given.text:
            self._key = read_key(signed.key) or self._key
        try:
            return self.signed(copy, signed and signed.note, None, copy)
        except Untrusted:
            return Copy(self._list)

    def signed(self, copy: Copy, note: Any, chain: Optional[str], before: Copy, is_diverged: bool = False) -> Copy:
        """A copy with its note. Raises `Untrusted` if the note is refused.

        The chain is that of the copy's version; without it, the cursor counts. `before` is the copy that the replica
        shows; `is_diverged`: the server has told that this one is of another history.
        """
        if note is None:
            raise Untrusted(self._list, "unsigned", "it has no signature")
        read, state = check_note(note, self._key, self._list), copy.state
        cursor = f"{read.version}-{read.chain[:32]}"
        if (cursor, read.root) != (state.cursor, state.root) or chain not in (None, read.chain):
            raise Untrusted(self._list, "false-signature", f"it is signed for another state than {state.cursor}")
        last = read_note(before.signed.note) if before.signed else None
        if last and read.version < last.version:
            raise Untrusted(
                self._list, "older", f"it is version {read.version}, and this copy has version {last.version}")
        if before.signed and last and read.version == last.version and read[3:5] != last[3:5]:
            error = Untrusted(
                self._list, "forked", f"its owner has signed two histories up to version {read.version}")
            error.notes = (before.signed.note, note)
            raise error
        if last and read.version > last.version and is_diverged:
            raise Rewritten(f"the head of {self._list} is refused (rewritten): it does not continue the history of "
                            f"the copy's {before.state.cursor}")
        self._key = read.successor or self._key
        signed = Signed(note, self._given.text, self._key.text)
        return copy if copy.signed == signed else copy.signed_as(signed)


# The replica (P39 to P43)

class Storage(Protocol):
    """What keeps the copy of a replica: `FileStorage`, `SQLiteStorage`, or an object of your own with these functions."""

    def load(self, list: str, /) -> Copy:
        """The saved copy; an empty one, `Copy(list)`, if there is none. It must never be the copy of another list."""

    def save(self, copy: Copy, /) -> None:
        """Keeps the state, the items and `signed` of a copy together, or raises an error and keeps what was there."""


class FileStorage:
    """Keeps a copy in a file.

    The file is replaced as a whole, so it is never half written. It is replaced only if it is as this object has last
    read or written it, so a slower program does not put an older copy over a newer one.

    A save writes the new file beside the old one, as PATH.16DIGITS.new, and locks it, where system and disk have locks of
    files. What a killed program has left there is not locked any more: `load` removes it.
    """

    def __init__(self, path: str):
        self.path = path
        self._digest: Optional[bytes] = None  # Of the file, as it was last read or written here.

    def load(self, list: str) -> Copy:
        """The saved copy; an empty one if there is no file, or a damaged one. A file of something else is refused."""
        self._remove_left_overs()
        data = self._read()
        found = re.match(rb'\["([A-Za-z0-9._-]{1,100})",', data)
        if data and not found:
            raise ListSyncError(f"{self.path} is not a copy of a list: name another file, or remove this one")
        name = found[1].decode() if found else list
        if name != list:
            raise ListSyncError(f"{self.path} is a copy of {name}, not of {list}")
        self._digest = hashlib.sha256(data).digest()
        try:
            return _read_copy(list, *parse(data)[1:]) if data else Copy(list)
        except (ListSyncError, ValueError, TypeError, AttributeError):  # Damaged bytes can have any form.
            return Copy(list)

    def save(self, copy: Copy) -> None:
        """Replaces the file. Raises a `ListSyncError` if another program has written something else to it."""
        data = json.dumps([copy.list, copy.state, copy.items, *([copy.signed] if copy.signed else [])]).encode()
        digest = hashlib.sha256(data).digest()
        new, file = self._new_file()
        try:
            with contextlib.suppress(OSError):  # There may be no file yet.
                shutil.copymode(self.path, new)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if not fcntl:
                file.close()  # Windows replaces no open file.
            with _locked(os.path.dirname(self.path) or "."):
                found = self._read()
                if found and self._digest and hashlib.sha256(found).digest() not in (self._digest, digest):
                    raise ListSyncError(f"another program has written to {self.path}: give each program its own file")
                os.replace(new, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.remove(new)
            raise
        finally:
            file.close()
        self._digest = digest

    def _new_file(self) -> Tuple[str, BinaryIO]:
        """A file beside the old one, with a lock that ends with this program."""
        while True:
            new = f"{self.path}.{os.urandom(8).hex()}.new"
            file = open(new, "xb")
            try:
                # A program that found the file before its lock was there has taken it for a left-over.
                is_own = not fcntl or (_has_lock(file.fileno()) and os.path.exists(new))
            except OSError:
                is_own = True  # The disk has no locks, so nobody removes files.
            if is_own:
                return new, file
            file.close()

    def _remove_left_overs(self) -> None:
        folder, name = os.path.split(self.path)
        form = re.compile(re.escape(name) + r"\.[0-9a-f]{16}\.new")
        with contextlib.suppress(OSError):  # Whatever stays is removed at another start.
            for found in filter(form.fullmatch, os.listdir(folder or ".")):
                with contextlib.suppress(OSError), open(os.path.join(folder, found), "rb") as file:
                    if fcntl and _has_lock(file.fileno()):
                        os.remove(file.name)

    def _read(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""


class SQLiteStorage:
    """Keeps copies in an SQLite database, one of each list. A save writes what has changed.

    A row has the items of a group on level 1 of the tree of hashes (P7), which are 32 on average; so the next copy has
    nearly all rows of the copy before. As in a file of `FileStorage`, a copy is replaced only if it is as this object has
    last read or written it. Threads may share this object.
    """
    _APPLICATION = 0x4C697374  # "List"

    def __init__(self, path: str):
        self.path = path
        self._database: Any = None
        self._lock = threading.Lock()
        # Of each list: the mark of the save that was last read or written here, and the place of each row by its hash.
        self._known: Dict[str, Tuple[Optional[bytes], Dict[bytes, int]]] = {}

    def load(self, list: str) -> Copy:
        """The saved copy; an empty one if there is none, or a damaged one. Another program's database is refused."""
        with self._transaction("BEGIN") as database:
            head = self._head(database, list)
            rows = database.execute("SELECT place, items FROM items WHERE list = ? ORDER BY place", [list]).fetchall()
        self._known[list] = (head[0] if head else None, {})
        try:
            groups = [parse(items) for _, items in rows]
            state, signed = parse(head[1]) if head else (State(), None)
            copy = _read_copy(list, state, itertools.chain(*groups), signed) if head else Copy(list)
        except (ListSyncError, ValueError, TypeError, AttributeError):  # Damaged rows can have any form.
            return Copy(list)
        level = copy._tree.levels[0]
        if [*itertools.accumulate(map(len, groups))] == level.ends:
            self._known[list][1].update(zip(level.hashes, (place for place, _ in rows)))
        return copy

    def save(self, copy: Copy) -> None:
        """Writes the rows that the copy before does not have, in one transaction. Raises a `ListSyncError` if another
        program has written something else."""
        list, state, level = copy.list, json.dumps([copy.state, copy.signed]), copy._tree.levels[0]
        with self._transaction("BEGIN IMMEDIATE") as database:
            head = self._head(database, list)
            known, old = self._known.get(list, (None, {}))
            if head and list in self._known and head[0] != known:
                if head[1] != state:
                    raise ListSyncError(f"another program has written {list} to {self.path}: give each program its own file")
                self._known[list] = (head[0], {})
                return
            new, mark = _places(old, level.hashes), os.urandom(8)
            if not old:
                database.execute("DELETE FROM items WHERE list = ?", [list])
            database.executemany("DELETE FROM items WHERE list = ? AND place = ?",
                                 ((list, place) for place in {*old.values()}.difference(new.values())))
            database.executemany("INSERT OR REPLACE INTO items VALUES (?, ?, ?)", (
                (list, place, json.dumps(copy.items[start:end], ensure_ascii=False, separators=(",", ":")))
                for (hash, place), start, end in zip(new.items(), [0, *level.ends], level.ends) if old.get(hash) != place))
            database.execute("INSERT OR REPLACE INTO copies VALUES (?, ?, ?)", [list, mark, state])
        self._known[list] = (mark, new)

    def close(self) -> None:
        """Closes the database; the next use opens it again."""
        with self._lock:
            if self._database:
                self._database.close()
            self._database = None

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Any]:
        import sqlite3  # Not every Python has it.
        with self._lock:
            try:
                if not self._database:
                    database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
                    with contextlib.ExitStack() as stack:
                        stack.callback(database.close)
                        self._prepare(database)
                        stack.pop_all()  # It stays open.
                    self._database = database
                with self._database:
                    self._database.execute(begin)
                    yield self._database
            except sqlite3.OperationalError as error:
                raise ListSyncError(f"{self.path}: {error}") from error
            except sqlite3.Error as error:
                raise ListSyncError(f"{self.path}: {error}: name another file, or remove this one") from error

    def _prepare(self, database: Any) -> None:
        application, table_count = (database.execute(query).fetchone()[0] for query in (
            "PRAGMA application_id", "SELECT count(*) FROM sqlite_master"))
        if application != self._APPLICATION and table_count:
            raise ListSyncError(f"{self.path} has no copies of lists: name another file, or remove this one")
        database.executescript(f"""
            BEGIN IMMEDIATE;
            PRAGMA application_id = {self._APPLICATION};
            CREATE TABLE IF NOT EXISTS copies (list TEXT PRIMARY KEY, mark BLOB, state TEXT);
            CREATE TABLE IF NOT EXISTS items (list TEXT, place INTEGER, items TEXT, PRIMARY KEY (list, place));
            COMMIT""")

    @staticmethod
    def _head(database: Any, list: str) -> Any:
        return database.execute("SELECT mark, state FROM copies WHERE list = ?", [list]).fetchone()


def _places(old: Dict[bytes, int], hashes: Sequence[bytes], gap: int = 1 << 40) -> Dict[bytes, int]:
    """The place of a row for each hash, ascending: that of the old row with this hash, for as many as can stay."""
    found = [*map(old.get, hashes)]
    kept = [place for place in found if place is not None]
    if kept != sorted(kept):
        before, after = ([Item(hash.hex(), "") for hash in some] for some in (old, hashes))
        for change in diff(before, after).moved:
            found[cast(int, change.new_index)] = None
        kept = [place for place in found if place is not None]
    places: List[int] = []
    used = 0
    for is_new, run in itertools.groupby(found, lambda place: place is None):
        part: List[Any] = [*run]
        if is_new:
            # Before the first old row and behind the last one is room for any number of rows.
            width = gap * (len(part) + 1)
            start = places[-1] if places else kept[0] - width if kept else 0
            end = kept[used] if used < len(kept) else start + width
            part = [start + (end - start) * number // (len(part) + 1) for number in range(1, len(part) + 1)]
            if old and (end - start <= len(part) or max(-start, end) >= 1 << 62):
                return _places({}, hashes)  # There is no room: all rows are written.
        else:
            used += len(part)
        places += part
    return dict(zip(hashes, places))


def _read_copy(list: str, state: Any, items: Iterable[Any], signed: Any = None) -> Copy:
    """A saved copy, if it has its root."""
    read = _state(dict(zip(State._fields, state)))
    copy = Copy(list).applying(Delta(list, None, read, None, [Item(*item) for item in items]))
    return copy.signed_as(Signed(*signed)) if signed else copy


LOCK_SECONDS = 1.0


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Holds a lock among the programs that save in a folder, where system and disk have such locks.

    It waits for LOCK_SECONDS at most: whoever has started this program may hold the lock for long.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)  # Windows opens no folder.
            stack.callback(os.close, descriptor)
            until = time.monotonic() + LOCK_SECONDS
            while fcntl and not _has_lock(descriptor) and time.monotonic() < until:
                time.sleep(0.01)
        yield


def _has_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Held(NamedTuple):
    """What a replica with a key holds back until a note comes, and the reason for its first answer (P53)."""
    copy: Copy
    reason: str


class Update(NamedTuple):
    """A verified and saved step. Its indexes are those of the lists before and after."""
    before: Copy
    after: Copy
    changes: Changes
    reason: str
    """`changes`, or the reason for which the whole list was taken; `failed` for an error."""
    error: Optional[ListSyncError] = None
    """From `follow`: why this list ends. Nothing has changed."""


class Outcome(NamedTuple):
    """What a commit has done (P35, P36)."""
    outcome: str
    """Whose the version is: `committed` by this request; `merged` with newer versions by it; `repeated` if the same request
    made it before, and its answer was lost; `unchanged` if another author, or one with another message, made the same
    change, or nothing had to change.
    """
    head: State
    """The version that the commit leads to. The list may have newer ones, except after `committed` and `merged`."""


class Conflict(NamedTuple):
    """A member of an item, or the whole item, that both sides of a merge changed in different ways (P35)."""
    id: str
    kind: str
    """`changed`, `inserted`, `removed-by-mine` or `removed-by-theirs`."""
    path: str
    """The JSON Pointer of the member; empty for the whole content."""
    base: Any = None
    """The values of the three lists; None where a list has none, or null."""
    mine: Any = None
    theirs: Any = None


def _outcome(document: Union[str, bytes]) -> Outcome:
    record = parse(document)
    return Outcome(_get(record, "outcome", _text), _get(record, "head", _state))


def _conflicts(document: bytes) -> Tuple[int, str, Tuple[Conflict, ...]]:
    """The members of a problem about conflicts: how many there are, the head, and those that are listed."""
    try:
        record = parse(document)
        def read(one: Any) -> Conflict:
            values = (one.get(name) for name in ("base", "mine", "theirs"))
            return Conflict(_get(one, "id", _text), _get(one, "kind", _text), _get(one, "path", _text), *values)
        conflicts = tuple(_get(record, "conflicts", _array(read)))
        return _get(record, "conflict_count", _index), _get(record, "head", _text), conflicts
    except ListSyncError:  # another body (P34)
        return 0, "", ()


def _reason_of(error: ListSyncError) -> str:
    """Why a replica asks for the whole list after an error (P41)."""
    return str(error) if isinstance(error, NoDelta) else "mismatch"


def _is_address(text: str) -> bool:
    """Whether a server may have this address: its parts, and a port from 1 to 65535 if it has one."""
    try:
        return bool(re.fullmatch(r"https?://[^/@?#\s]+(/[^?#\s]*)?", text)) and urlsplit(text).port != 0
    except ValueError:
        return False


class Replica:
    """A copy of a list. One thread iterates over its updates; another one may stop it.

    The address is that of a server, or of the folder of a publication (P49).
    """

    def __init__(self, address: str, list: str, token: Optional[str] = None, storage: Optional[Storage] = None,
                 poll_seconds: int = 30, page_size: Optional[int] = None, try_limit: Optional[int] = None,
                 events: bool = False, byte_limit: int = BYTE_LIMIT, seconds: float = 600, prove: bool = False,
                 key: Optional[str] = None):
        if not _is_address(address):
            raise ValueError("the address of a server is http://HOST:PORT or https://HOST, without name, password or query")
        if not _list_name(list):
            raise ValueError("a list's name is 1 to 100 letters A to Z, a to z, digits, dots, underscores and hyphens, "
                             "and begins with none of . and -")
        self._root_url = address.rstrip("/")
        self.url, self.copy, self.storage = f"{self._root_url}/v1/lists/{list}", Copy(list), storage
        self.headers = {"Accept": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
        self.poll_seconds, self.page_size, self.try_limit = poll_seconds, page_size, try_limit
        self.byte_limit, self.seconds = byte_limit, seconds  # The bounds of a whole answer.
        self.events = events  # Wait for events, where the server offers them, in place of held requests.
        self.prove = prove  # Refuse each answer that is not proven to continue the copy's history.
        self._trust = None if key is None else Trust(key, list)  # Show and save only what the key has signed.
        self._stopped = threading.Event()
        self._results: queue.SimpleQueue[Any] = queue.SimpleQueue()  # What `_await` gets; None for a stop.
        self.sleep: Callable[[float], Any] = self._stopped.wait
        self._publication: Optional[Publication] = None
        self._is_server = False  # Known when one of both has answered.
        # P41, also from one call of `updates` to the next: whether no correct changes have come since the replica has
        # started over, and how often it has done so since the server last had nothing new.
        self._restarted, self._restarts = False, 0

    def start(self) -> Copy:
        """Loads the saved copy."""
        if self.storage and self.copy.state == State():
            saved = self.storage.load(self.copy.list)
            self.copy = self._trust.restored(saved) if self._trust else saved
        return self.copy

    def stop(self) -> None:
        """Ends the updates at once. Another thread may call it. A waiting request is left to its thread, which ends with
        the answer, or with the program."""
        self._stopped.set()
        self._results.put(None)

    def _await(self, work: Callable[[], Result]) -> Result:
        """The result of a function that waits for the network; `Stopped` once the replica is stopped.

        The function runs in a thread of its own: nothing else ends a wait for a name, a connection and an answer.
        """
        def run() -> None:
            try:
                self._results.put((done, work(), None))
            except BaseException as error:
                self._results.put((done, None, error))
        done = object()  # tells this result from one that was left behind, as by Ctrl-C
        if not self._stopped.is_set():
            threading.Thread(target=run, daemon=True).start()
        while not self._stopped.is_set():
            found = self._results.get()
            if found and found[0] is done:
                if found[2]:
                    raise found[2]
                return cast(Result, found[1])
        raise Stopped("the replica was stopped")

    def _send(self, method: str, url: str, headers: Dict[str, str], wait: int = 0) -> Response:
        return self._await(lambda: send(method, url, headers, None, wait, self.seconds, self.byte_limit))

    def updates(self, watch: bool = True) -> Iterator[Update]:
        """Catches up page by page, then waits for news until `stop`; without `watch` it ends instead."""
        try:
            yield from self._updates(watch)
        except Stopped:
            pass
        except Exception:
            self._restarted = False  # Whoever calls again after an error wants another try.
            raise

    def _updates(self, watch: bool) -> Iterator[Update]:
        self.start()
        failures = empty_pages = 0
        at_head, whole = False, None  # whole: the reason for asking for the whole list (P41)
        held: Optional[Held] = None
        while not self._stopped.is_set() and (watch or not at_head):
            begun, watches = time.monotonic(), at_head and not whole
            base = Copy(self.copy.list) if whole else held.copy if held else self.copy
            try:
                polls = watches and not (self.events and not self._publication and self._await(self._other_head))
                delta = self._ask(base, bool(whole), self.poll_seconds if polls else 0)
                after = self._verified(base, delta)
                self._check_history(self.copy if whole else base, delta, bool(whole))
                more = delta is not None and delta.more and after is not base  # What has nothing new has no more.
                is_empty = bool(more and delta and delta.changes and delta.changes.is_empty)
                empty_pages = empty_pages + 1 if is_empty else 0
                if empty_pages > 100:
                    empty_pages = 0
                    raise Mismatch("more than 100 pages in a row without a change")
                reason = held.reason if held else self._reason(delta, whole)
                is_held = bool(self._trust and more and delta and delta.note is None)
                if self._trust and not is_held:
                    after = self._signed(self._trust, after, delta, base, reason)
            except Unavailable as error:
                failures += 1
                if failures == self.try_limit:
                    raise
                self.sleep(wait_seconds(failures, error.retry_after_seconds))
                continue
            except (Mismatch, NoDelta) as error:
                if whole or self._restarted:
                    raise
                # A history that no note has reached says nothing about the copy.
                whole = Mismatch(str(error)) if held and str(error) == "diverged" else error
                self._check_reason(self.copy.state, _reason_of(whole))
                failures, at_head, held, self._restarted = 0, False, None, True
                continue
            failures, too_quick = 0, watches and time.monotonic() - begun < 1
            if is_held:
                held, at_head, whole = Held(after, reason), False, None
                continue
            if base is self.copy and after.state == self.copy.state:
                self._keep(after)  # Its note may be another one.
                at_head, self._restarts = not more, 0
            else:
                direct = delta.changes if delta and base is self.copy else None
                changes = diff(self.copy.items, after.items) if direct is None else direct
                update = Update(self.copy, after, changes, reason)
                self._keep(after)  # before anybody sees it (P43)
                at_head, whole, held = not more, None, None
                self._restarted = self._restarted and (update.reason != "changes" or update.changes.is_empty)
                self._restarts += update.reason in ("too-old", "diverged", "mismatch")
                yield update
                if self._restarts > 1:  # Two servers, or a server and a cache, have different histories.
                    self.sleep(wait_seconds(self._restarts - 1))
                too_quick = too_quick and update.changes.is_empty
            if too_quick:
                self.sleep(1 + random.random())

    def catch_up(self) -> Copy:
        """The newest version. Raises `Stopped` after `stop`, since the copy may then be behind."""
        for _ in self.updates(watch=False):
            pass
        if self._stopped.is_set():
            raise Stopped("the replica was stopped, so its copy may be behind: make a new one")
        return self.copy

    def _other_head(self) -> bool:
        """Waits for an event of another head than the copy's (P37). False if there are no events, or odd ones: the
        server then holds the next request, which tells the reason."""
        try:
            headers = {**self.headers, "Accept": "text/event-stream"}
            with Exchange("GET", f"{self.url}/events", headers, idle_seconds=60, seconds=math.inf) as exchange:
                if exchange.answer.status != 200 or exchange.answer.headers.get_content_type() != "text/event-stream":
                    return False
                for line in exchange.lines():
                    if self._stopped.is_set():
                        return True
                    if line.startswith(b"data:") and _get(parse(line[5:]), "cursor", _cursor) != self.copy.state.cursor:
                        return True
        except (ListSyncError, OSError, http.client.HTTPException):
            pass
        return False

    def _ask(self, base: Copy, whole: bool, wait: int) -> Optional[Delta]:
        cursor = base.state.cursor
        page = None
        if not self._is_server and not self._publication:
            page = self._find_publication()
        if self._publication:
            return self._publication.ask(base.state, whole, wait)
        parameters = {"since": cursor, "fallback": "snapshot", "wait": wait, "limit": self.page_size}
        query = urlencode({name: value for name, value in parameters.items() if value})
        condition = {} if whole else {"If-None-Match": f'"{cursor}"'}
        answer = self._send("GET", f"{self.url}/delta?{query}", {**self.headers, **condition}, wait)
        named = (answer.headers.get("etag") or str(cursor)).replace("W/", "").strip('"').partition("+")[0]
        if answer.status == 304 and (whole or named != cursor):
            raise Unavailable("the answer is for another copy")
        try:
            delta: Optional[Delta] = read_answer(answer)
        except Refused as error:
            # The page may have hidden a publication, whose host has nothing at the server's path.
            raise page if page and error.status == 404 and not error.problem else error
        self._is_server = True
        return delta

    def _ask_changed(self, mark: Optional[str], wait: int) -> ChangedLists:
        query, wait = ({"since": mark, "wait": wait}, wait) if mark else ({"limit": 0}, 0)
        answer = self._send("GET", f"{self._root_url}/v1/changes?{urlencode(query)}", self.headers, wait)
        if answer.status == 304:
            raise Unavailable("the answer is for another request")
        changed: ChangedLists = read_answer(answer, read_changed_lists)
        return changed

    def _find_publication(self) -> Optional[PageInstead]:
        """Looks for a publication. Returns the error of a page in place of its head, as of an app beside a server."""
        def get(url: str, headers: Dict[str, str]) -> Response:
            return self._send("GET", url, {**self.headers, **headers})
        publication = Publication(self._root_url, self.copy.list, get, lambda seconds: self.sleep(seconds), self.byte_limit)
        try:
            self._publication = publication if publication.find() else None
        except PageInstead as page:
            return page
        return None

    def _verified(self, base: Copy, delta: Optional[Delta]) -> Copy:
        """The copy after an answer; the same one if nothing is new (P23, P40)."""
        if delta is None:
            return base
        start = delta.start and delta.start.cursor
        if delta.list != base.list or delta.end.cursor is None:
            raise Mismatch("the answer is about another list, or names no cursor")
        if start != base.state.cursor and (start or delta.reason not in ("too-old", "diverged")):
            raise Unavailable("the answer is for another copy")
        after, changes = base.applying(delta), delta.changes
        is_same = after.state.cursor == base.state.cursor and not delta.more and changes and changes.is_empty
        if changes is not None and after.state.version <= base.state.version and not is_same:
            raise Mismatch(f"the changes lead to {after.state.cursor}, which is no later version")
        return base if after.state == base.state else after

    def _check_history(self, shown: Copy, delta: Optional[Delta], whole: bool) -> None:
        """Refuses an answer whose version does not continue that of a copy.

        The header of the next version names the chain before it. For a later version, and for the whole list, the
        headers in between are needed; the replica asks for them only with `prove`.
        """
        copy = shown.state
        if delta is None or delta.header is None or not copy.version:
            return
        end = delta.header
        continues = delta.changes is not None or delta.reason == "smaller"  # as the server says
        if continues and not whole and end.version == copy.version + 1:
            proven = follows(cast(str, copy.cursor), [end])
        elif self.prove:
            self._check_reason(copy, delta.reason)
            proven = self._continues(copy, end)
        else:
            return
        if not proven:
            raise Rewritten(f"the history was rewritten: {end.cursor} does not continue the copy's {copy.cursor}")

    def _check_reason(self, copy: State, reason: str) -> None:
        """Refuses a whole list that cannot be proven to continue a copy, by the reason for which it is sent."""
        reason = reason if self.prove and copy.version else ""
        if reason == "diverged":
            raise Rewritten(f"the history was rewritten: the server does not have the copy's {copy.cursor}")
        if reason == "too-old":
            raise Unproven(f"versions since the copy's {copy.cursor} were pruned, so nothing proves that the list "
                           "continues the copy: start again without a copy")

    def _continues(self, copy: State, end: Header) -> bool:
        """Whether the headers that the server shows, newest first, lead from the end back to the version of a copy."""
        version, link = end.version, end.chain
        while version > copy.version:
            headers = self._ask_headers(f"{version}-{link[:32]}", min(HEADER_LIMIT, version - copy.version))
            if not headers:
                raise Unproven(f"the server has no header of version {version}, so nothing proves that its list "
                               f"continues the copy's {copy.cursor}")
            if headers[-1].chain != link or not follows(headers[0].cursor_before, headers):
                return False
            version, link = headers[0].version - 1, headers[0].previous
        return f"{version}-{link[:32]}" == copy.cursor

    def _ask_headers(self, last: str, limit: int) -> List[Header]:
        if self._publication:
            return self._publication.header(last)
        url = f"{self.url}/versions?before={State(last).version + 1}&limit={limit}"
        answer = self._send("GET", url, self.headers)
        if answer.status == 304:
            raise Unavailable("the answer is for another request")
        headers: List[Header] = read_answer(answer, read_versions)
        return headers

    def _reason(self, delta: Optional[Delta], whole: Optional[ListSyncError]) -> str:
        if whole:
            return _reason_of(whole)
        is_first = self.copy.state == State() and (delta is None or delta.changes is not None)
        return "first" if is_first else delta.reason if delta else "changes"

    def _signed(self, trust: Trust, after: Copy, delta: Optional[Delta], base: Copy, reason: str) -> Copy:
        """The copy after an answer, with its note, which the key has signed (P53). A 304 needs none where the copy has one."""
        ends = [(delta.note, delta.header)] if delta else [self._publication.end] if self._publication else []
        if not ends and base.signed:
            return after
        note, header = ends[0] if ends else (None, None)
        return trust.signed(after, note, header and header.chain, self.copy, reason == "diverged")

    def _keep(self, copy: Copy) -> None:
        if self.storage and copy is not self.copy:
            self.storage.save(copy)
        self.copy = copy

    def commit(self, items: Iterable[Item], author: Optional[str] = None, message: Optional[str] = None,
               base: Optional[Copy] = None, prefer: Optional[str] = None) -> Outcome:
        """Commits the next version of the copy's list (P35); the copy follows with the next update.

        Raises a `ValueError` that names an item which cannot be in a list, `Refused` with status 412 if somebody else has
        committed. After `Unavailable`, call it again with the same arguments before the next update: a commit whose answer
        was lost is not made twice (P36), and its outcome is then `repeated`.

        With `base`, the copy that the items were made from, the commit is merged if others have committed since. Raises
        `Conflicts` if they changed the same in other ways, unless `prefer` (`mine` or `theirs`) decides. A copy whose version
        was pruned or is of another history raises `NoDelta`. The list then has more than these items: go on with the next
        update, not with them.
        """
        if prefer is not None and base is None:
            raise ValueError("prefer decides conflicts of a merge: give the base, too")
        new, old = [*items], base if base is not None else self.copy
        state = old.state
        merging = (("base", base and state.cursor), ("prefer", prefer))
        note = urlencode({name: value for name, value in (("author", author), ("message", message), *merging) if value})
        condition = {} if base is not None else {"If-Match": f'"{state.cursor}"'} if state.version else {"If-None-Match": "*"}
        changes = _changes_of_author(old.items, new)
        body = write_delta(state, State(None, len(new), root(new)), changes)
        headers = {**self.headers, **condition, "Content-Type": "application/json"}
        answer = send("PATCH", f"{self.url}?{note}", headers, body, 600, self.seconds, self.byte_limit)
        outcome: Optional[Outcome] = read_answer(answer, _outcome)
        if not outcome:
            raise Unavailable("the answer to a commit is a 304, which is not from a ListSync server")
        return outcome


def _changes_of_author(old: Sequence[Item], new: Sequence[Item]) -> Changes:
    """The changes of a commit. Raises a `ValueError` that says which item its author has to mend."""
    places: Dict[str, int] = {}
    for index, item in enumerate(new):
        if not isinstance(item, Item) or _text(item.id) in (None, "") or _text(item.content) is None:
            raise ValueError(f"item {index} is {repr(item)[:80]}: make it with Item.of(id, value), of a text that is not empty")
        if places.setdefault(item.id, index) != index:
            raise ValueError(f"items {places[item.id]} and {index} have the id '{item.id}': an id stands once in a list")
    changes = diff(old, new)
    for change in (*changes.inserted, *changes.updated):
        try:
            f"{change.id}{change.content}".encode()
            is_canonical = canonical(parse(cast(str, change.content))) == change.content
        except (Mismatch, UnicodeError) as error:
            raise ValueError(f"item {change.new_index} ({repr(change.id)[:80]}): {error}") from error
        if not is_canonical:
            raise ValueError(f"the content of '{change.id}' is not in canonical form: make the item with Item.of(id, value)")
    return changes


# Many lists (P54)

class ChangedLists(NamedTuple):
    """The lists of a server that have changed since a mark."""
    mark: str
    all: bool
    """The server does not know the mark that it was asked with."""
    heads: Dict[str, Optional[str]]
    """The cursor of each list; None for one that is gone."""
    more: bool = False


_mark = _matching(r"[A-Za-z0-9._-]{1,100}")


def read_changed_lists(document: Text) -> ChangedLists:
    record = parse(document)
    canonical(record)  # checks the depth of the members that are ignored
    gone: Dict[Any, Optional[str]] = dict.fromkeys(_get(record, "gone", _array(_list_name)))
    if None in gone:
        raise Mismatch("'gone' names no lists")
    lists = _get(record, "lists", _array(lambda list: (_get(list, "list", _list_name), _get(list, "head", _state).cursor)))
    return ChangedLists(_get(record, "mark", _mark), _get(record, "all", _flag), {**gone, **dict(lists)},
                        _get(record, "more", _flag, False))


def follow(replicas: Iterable[Replica]) -> Iterator[Tuple[Replica, Update]]:
    """The updates of many lists of one server, in one thread: one waiting request asks which lists have changed (P54).

    A replica that is stopped is left out. An error of a list, such as one that was dropped, ends this list alone, with an
    update whose reason is `failed`. Raises `Refused` with status 404 where a server does not know this request.
    """
    replicas = [*replicas]
    if len({(replica._root_url, replica.headers.get("Authorization")) for replica in replicas}) > 1:
        raise ValueError("the lists must be of one server, and with one token")
    mark: Optional[str] = None
    news: Dict[Replica, Optional[str]] = {}  # The named heads that copies do not have yet.
    failed: Set[Replica] = set()
    failures = late = 0
    while True:
        left = [replica for replica in replicas if replica not in failed and not replica._stopped.is_set()]
        if not left:
            return
        # Where news came before the version itself, as from a cache that is behind, the next wait is short.
        poll_seconds = min(left[0].poll_seconds, 2 ** late) if late else left[0].poll_seconds
        begun = time.monotonic()
        try:
            changed = left[0]._ask_changed(mark, poll_seconds)
        except Stopped:
            continue
        except (Unavailable, Mismatch) as error:
            failures += 1
            if failures == left[0].try_limit:
                raise
            left[0].sleep(wait_seconds(failures, getattr(error, "retry_after_seconds", 0)))
            continue
        failures = 0
        if changed.all:  # The server was started again, or there are several.
            mark = None
            left[0].sleep(1 + random.random())
            continue
        is_page = changed.more and changed.mark != mark
        too_quick = mark is not None and time.monotonic() - begun < 1 and not is_page
        # A mark tells what changes after it, so all are asked for after the first one.
        news = {replica: changed.heads.get(replica.copy.list, news.get(replica, replica.copy.state.cursor)) if mark else None
                for replica in left}
        mark = changed.mark
        for replica, head in news.items():
            if head == replica.copy.state.cursor:
                replica._restarts = 0  # The server has nothing new.
                continue
            try:
                for update in replica.updates(watch=False):
                    too_quick = False
                    yield replica, update
            except ListSyncError as error:
                error.list = replica.copy.list
                failed.add(replica)
                yield replica, Update(replica.copy, replica.copy, Changes(), "failed", error)
        news = {replica: head for replica, head in news.items()
                if head and State(head).version > replica.copy.state.version}
        late = min(late + 1, 30) if news else 0
        if too_quick:
            left[0].sleep(1 + random.random())


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="listsync-client", description="Follow a list of a ListSync server or publication.")
    parser.add_argument("address", metavar="URL", nargs="?")
    parser.add_argument("list", metavar="LIST", nargs="?")
    parser.add_argument("--copy", metavar="FILE", help="keep the copy in a file")
    parser.add_argument("--watch", action="store_true", help="wait for further changes")
    parser.add_argument("--until", metavar="VERSION", type=int, help="watch until the copy has this version")
    parser.add_argument("--json", action="store_true", help="print the state at the end, and no changes")
    parser.add_argument("--prove", action="store_true", help="refuse a history that does not continue the copy's")
    parser.add_argument("--key", help="take only what the owner of this key has signed: NAME+ID+BASE64")
    parser.add_argument("--check-proof", metavar="FILE", help="check the proof of an item, and print what it proves")
    parser.add_argument("--cursor", help="with --check-proof: a cursor that you trust")
    options = parser.parse_args(arguments)
    if options.check_proof and options.cursor and not options.address:
        return _check_proof_file(options.check_proof, options.cursor)
    if options.check_proof or options.cursor or not options.list:
        parser.error("give URL and LIST, or --check-proof FILE --cursor CURSOR")
    storage = FileStorage(options.copy) if options.copy else None
    try:
        replica = Replica(options.address, options.list, os.environ.get("LISTSYNC_TOKEN"), storage,
                          try_limit=None if options.watch else 4, events=options.watch, prove=options.prove,
                          key=options.key)
        waits = options.until is not None and replica.start().state.version < options.until
        for update in replica.updates(watch=options.watch or waits):
            state = update.after.state
            if not options.json:
                print(f"{options.list} {state.cursor}: {state.count} items ({update.reason})", flush=True)
                for sign, array in zip("->+~", update.changes):
                    for change in array:
                        places = (str(index) for index in change[1:3] if index is not None)
                        print(f"{sign} {' → '.join(places)}  {change.id}", flush=True)
            if options.until is not None and state.version >= options.until:
                break
    except KeyboardInterrupt:
        return 130
    except (ListSyncError, OSError, ValueError) as error:
        print(f"listsync-client: {error}{_saved_fork(error, options.copy)}", file=sys.stderr)
        return 1
    if options.json:
        state, ids = replica.copy.state, [item.id for item in replica.copy.items]
        print(json.dumps({**state._asdict(), "version": state.version, "ids": ids}))
    return 0


def _saved_fork(error: Exception, copy: Optional[str]) -> str:
    """Writes the notes of a fork beside a copy, and says so."""
    if not copy or not isinstance(error, Untrusted) or not error.notes:
        return ""
    try:
        with open(copy + ".fork", "w", encoding="utf-8", newline="\n") as file:
            file.write("\n".join(error.notes))
    except OSError as failure:
        return f"; its notes cannot be saved: {failure}"
    return f"; {copy}.fork has both notes"


def _check_proof_file(path: str, cursor: str) -> int:
    try:
        with open(path, "rb") as file:
            list, item, index, count, header = check_proof(file.read(), cursor)
    except (ListSyncError, OSError) as error:
        print(f"listsync-client: {error}", file=sys.stderr)
        return 1
    print(canonical({
        "list": list, "id": item.id, "content": Canonical(item.content), "index": index, "count": count,
        "cursor": header.cursor, "committed_at": write_time(header.committed_at), "author": header.author,
        "message": header.message}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
