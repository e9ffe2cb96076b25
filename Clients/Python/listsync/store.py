"""A store of ListSync, by its program: each function runs `listsync` with `--json`, and reads its answer.

    store = Store("parks.db")
    store.commit("parks", [{"id": "zion", "name": "Zion"}], message="The first park")
    for item in store.items("parks", at=1):
        print(item["name"])
"""
from __future__ import annotations

import contextlib
import datetime
import decimal
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union, cast

from .client import Conflict, Delta, ListSyncError, State, canonical, exact, read_delta, read_time, write_time

Revision = Union[int, str, datetime.date]
"""A version: its number, a cursor, a tag, `head~2`, or a day or time, which names the newest version until then."""
Time = Union[str, datetime.date]
"""A day, or a time with its zone; as text a day or RFC 3339."""


class ProgramError(ListSyncError):
    """An error of the program. Its text is the message and the advice."""

    def __init__(self, problem: Dict[str, Any]):
        self.problem = problem
        """The whole error, as Documentation/CommandLine.schema.json describes it."""
        self.kind: str = problem.get("type", "").rpartition(":")[2]
        """Such as `no-such-version`; empty for an error that no server has."""
        self.message: str = problem["detail"]
        self.advice: str = problem.get("advice", "")
        """What to do now; may be empty."""
        self.exit_code: int = problem["exit_code"]
        """3 for no such list, version or item, 4 for a failed expectation …; negative for a signal that ended the program."""
        super().__init__(f"{self.message}\n{self.advice}".rstrip())


class ConflictError(ProgramError):
    """A merge is refused, since others changed the same in other ways. Nothing is stored."""

    def __init__(self, problem: Dict[str, Any]):
        super().__init__(problem)
        self.count: int = problem["conflict_count"]
        self.conflicts: Tuple[Conflict, ...] = _conflicts(problem)
        """The first ones, if they are long; `count` is the number of all."""
        self.head: str = problem["head"]
        """The cursor of the version that the commit was to be merged into."""


class Counts(NamedTuple):
    """How many items a version removed, moved, inserted and updated."""
    removed: int
    moved: int
    inserted: int
    updated: int


class Commit(NamedTuple):
    """What a commit has done."""
    outcome: str
    """`committed` or `merged`; `repeated` if the same commit was made before; `unchanged` if nothing had to change."""
    head: State
    """The version that the commit leads to."""
    changes: Optional[Counts]
    """None if the commit made no version."""
    conflicts: Tuple[Conflict, ...] = ()
    """Those that `prefer` decided; the first ones, if they are long."""


class Version(NamedTuple):
    version: int
    cursor: str
    committed_at: datetime.datetime
    author: Optional[str]
    message: Optional[str]
    count: int  # type: ignore[assignment]
    """The number of its items."""
    root: str
    changes: Counts


class MemberChange(NamedTuple):
    """A member of an item that a version changed. A value is None where the item has none, or null."""
    path: str
    """Its JSON Pointer."""
    old: Any
    new: Any


class ItemChange(NamedTuple):
    """A version that changed an item."""
    version: Version
    old_index: Optional[int]
    """None if the item was inserted."""
    new_index: Optional[int]
    """None if the item was removed."""
    is_moved: bool
    """Whether the item itself moved; other changes may have shifted it."""
    content: Any
    """The item since this version; None if it was removed."""
    members: Tuple[MemberChange, ...]


class Store:
    """The lists of a store: a file, or the address of a PostgreSQL database.

    It holds nothing open, so any number of threads may use it. Numbers keep each digit: they are an `int`, a `float` that is
    written in the same way, or else a `decimal.Decimal`. Every function raises `ProgramError`. An iterator reads while it is
    used, and raises at its end; one that is left early ends the program.
    """

    def __init__(self, path: Union[str, os.PathLike[str]], program: Union[str, os.PathLike[str], None] = None):
        """`program` is `listsync`, if not the one of this package or else of the system."""
        self.path = os.fspath(path)
        self.program = os.fspath(program) if program else _program()

    def commit(self, list: str, items: Iterable[Any], *, id: Union[str, Sequence[str], None] = None,
               title: Optional[str] = None, message: Optional[str] = None, author: Optional[str] = None,
               at: Optional[Time] = None, expect: Optional[Revision] = None, max_removed: Union[int, str, None] = None,
               max_updated: Union[int, str, None] = None) -> Commit:
        """Makes items the next version of a list; the store is created if there is none. Nothing is stored if `items` raises.

        `id` is the member with the id of an item (`id`), several of them, or `.` for items that are their ids; `title` the
        JSON Pointer of the member to show; `expect` a version that must still be the newest one; `max_removed` how many
        items may be removed, such as `100` or `20%`; `max_updated` how many may be updated. The list remembers `id`, `title`
        and both limits.
        """
        options = _options(id=id, title=title, message=message, author=author, at=_time(at),
                           expect=_revision(expect), max_removed=max_removed, max_updated=max_updated)
        return self._commit(list, items, options)

    def merge(self, list: str, items: Iterable[Any], base: Revision, *, prefer: Optional[str] = None,
              id: Union[str, Sequence[str], None] = None, message: Optional[str] = None, author: Optional[str] = None,
              at: Optional[Time] = None) -> Commit:
        """Commits items that were made from the version `base`, and merges them with newer versions.

        It raises `ConflictError` where both sides changed the same, unless `prefer` is `mine` or `theirs`. The list may have
        more than `items` then: read it again.
        """
        options = _options(base=_revision(base), prefer=prefer, id=id, message=message, author=author, at=_time(at))
        return self._commit(list, items, options)

    def items(self, list: str, at: Revision = "head") -> Iterator[Any]:
        """The items of a version, in their order."""
        return map(_decode, self._lines("show", "--format=ndjson", "--", f"{list}@{_revision(at)}"))

    def versions(self, list: str) -> Iterator[Version]:
        """The versions of a list, newest first."""
        return map(_version, self._records("--", list))

    def history(self, list: str, item: Union[str, Sequence[str]]) -> Iterator[ItemChange]:
        """The versions that changed an item, newest first. `item` is its id, or the fields of a compound one."""
        return map(_item_change, self._records(*_options(item=item), "--", list))

    def changes(self, list: str, since: Revision, to: Revision = "head") -> Delta:
        """The fewest changes from one version to another, whose roots and cursors are in `start` and `end`.

        The `value` of an inserted or updated item is its new content.
        """
        return read_delta(self._run("delta", *_options(since=_revision(since), to=_revision(to)), "--", list))

    def run(self, *arguments: Union[str, os.PathLike[str]]) -> Any:
        """Runs any verb, such as `run("export", "parks", "-o", "history.db")`, and returns its one answer."""
        return _decode(self._run(*(os.fspath(one) for one in arguments)))

    def _commit(self, list: str, items: Iterable[Any], options: List[str]) -> Commit:
        with self._running("commit", "--format=json", *options, "--", list, "-", has_input=True) as process:
            stdin = cast(IO[bytes], process.stdin)
            # An array shows its end. If this program is killed before, the store refuses the rest as cut off.
            with contextlib.suppress(BrokenPipeError):  # The program has ended, with an error.
                stdin.write(b"[")
                for index, item in enumerate(items):
                    stdin.write(b"%s\n%s" % (b"," if index else b"", _encode(item, index)))
                stdin.write(b"\n]")
                stdin.close()
            answer = cast(IO[bytes], process.stdout).read()
        record = _decode(answer)
        return Commit(record["outcome"], State(*(record["head"][name] for name in State._fields)),
                      Counts(**record["changes"]) if "changes" in record else None, _conflicts(record.get("merge", {})))

    def _records(self, *arguments: str) -> Iterator[Any]:
        return map(_decode, self._lines("log", "--format=ndjson", *arguments))

    def _run(self, *arguments: str) -> bytes:
        return b"".join(self._lines(*arguments))

    def _lines(self, *arguments: str) -> Iterator[bytes]:
        with self._running(*arguments) as process:
            yield from cast(IO[bytes], process.stdout)

    @contextlib.contextmanager
    def _running(self, *arguments: str, has_input: bool = False) -> Iterator[subprocess.Popen[bytes]]:
        """Runs the program as long as the block, and raises its error after it."""
        # A file, since nobody reads a pipe meanwhile.
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                [self.program, f"--store={self.path}", "--json", *arguments], stdout=subprocess.PIPE, stderr=errors,
                stdin=subprocess.PIPE if has_input else subprocess.DEVNULL)
            try:
                yield process
            except BaseException:
                process.kill()
                raise
            finally:
                for pipe in (process.stdin, process.stdout):
                    with contextlib.suppress(BrokenPipeError):
                        if pipe:
                            pipe.close()
                process.wait()
            errors.seek(0)
            _check(process.returncode, errors.read().decode(errors="replace"))


def _check(exit_code: int, errors: str) -> None:
    """Raises the error of a program that has ended; passes on what else it has told."""
    *notes, last = errors.splitlines() or [""]
    problem: Any = None
    with contextlib.suppress(ValueError):
        problem = _decode(last)
    if exit_code and isinstance(problem, dict) and "detail" in problem:
        raise (ConflictError if "conflicts" in problem else ProgramError)(problem)
    # With 1 and no error, a verb has found nothing, or differences.
    if exit_code not in (0, 1) or (exit_code and errors):
        raise ProgramError({"detail": errors.strip() or f"listsync ended with {exit_code}", "exit_code": exit_code})
    sys.stderr.write(errors)


def _program() -> str:
    own = Path(__file__).with_name("bin") / "listsync"
    found = str(own) if own.exists() else shutil.which("listsync")
    if not found:
        raise FileNotFoundError("the program listsync is not installed; of this package, only the wheel for Linux has it")
    return found


def _options(**values: Any) -> List[str]:
    """Options of a command; a sequence is an option that is repeated."""
    return [f"--{name.replace('_', '-')}={one}" for name, value in values.items() if value is not None
            for one in ([value] if isinstance(value, (str, int)) else value)]


def _time(time: Optional[Time]) -> Optional[str]:
    if not isinstance(time, datetime.datetime):
        return time.isoformat() if isinstance(time, datetime.date) else time
    if time.tzinfo is None:
        raise ValueError(f"{time} has no zone")
    return write_time((time - _EPOCH) // datetime.timedelta(milliseconds=1))


def _revision(revision: Optional[Revision]) -> Optional[str]:
    return str(revision) if isinstance(revision, int) else _time(revision)


_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_float=exact, parse_int=exact)


def _encode(item: Any, index: int) -> bytes:
    """The JSON of an item. The fast encoder knows no decimals."""
    try:
        try:
            return _ENCODER.encode(item).encode()
        except (TypeError, ValueError):
            _check_types(item)
            return canonical(item).encode()
    except (ListSyncError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"item {index} cannot be in a list: {error}") from error


def _check_types(value: Any) -> None:
    if isinstance(value, dict):
        for name, element in value.items():
            if not isinstance(name, str):
                raise TypeError(f"a member has the name {name!r}, which is not a str")
            _check_types(element)
    elif isinstance(value, (list, tuple)):
        for element in value:
            _check_types(element)
    elif value is not None and not isinstance(value, (str, int, float, decimal.Decimal)):
        raise TypeError(f"JSON has no {type(value).__name__}")


def _decode(text: Union[str, bytes]) -> Any:
    return _DECODER.decode(text if isinstance(text, str) else text.decode())


def _version(record: Dict[str, Any]) -> Version:
    time = _EPOCH + datetime.timedelta(milliseconds=read_time(record["committed_at"]))
    known = {**record, "committed_at": time, "changes": Counts(**record["changes"])}
    return Version(*(known[name] for name in Version._fields))


def _item_change(record: Dict[str, Any]) -> ItemChange:
    members = tuple(MemberChange(one["path"], one.get("old"), one.get("new")) for one in record["members"])
    return ItemChange(_version(record), record.get("from"), record.get("to"), record["moved"], record.get("content"), members)


def _conflicts(record: Dict[str, Any]) -> Tuple[Conflict, ...]:
    return tuple(Conflict(*(one.get(name) for name in Conflict._fields)) for one in record.get("conflicts", ()))
