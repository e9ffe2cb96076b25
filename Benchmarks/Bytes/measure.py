#!/usr/bin/env python3
"""Measures the files of stores as users get them, beside git's pack of the same versions.

    make benchmark-bytes
    Benchmarks/Bytes/measure.py .build/release --growth .build/growth movies-top250 ranking

Each real list, which lies beside the checkout or where LISTSYNC_SHARED says, and each generated
shape comes into a store in three ways: by `import-git`; by one `listsync commit` for each version;
and by one PUT for each version to a `listsyncd`, which is idle between them. Nobody packs or
vacuums anything. The bytes are those of the file when its write-ahead log is in it, less those of a
store with one item. They are divided by the pack of `git gc --aggressive` of the same versions. The
log itself may have 4 MB and more while a server runs.

Prints a table in Markdown: the ratio at the end, the highest ratio after a version (for an import:
the highest bytes meanwhile, beside the last pack), and the ratio after `compact --vacuum`. Git
packs about 30 of the versions; the packs between them are interpolated. `--growth` names a folder,
which gets a file for each list and way, with a line for each version: its number, the bytes of the
store after it, and those of git's pack.
"""

import argparse
import bisect
import http.client
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from shapes import SHAPES

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("LISTSYNC_SHARED", ROOT.parent / "shared"))
sys.path.append(str(ROOT / "Tests/Interop"))
import interop  # noqa: E402

AUTHOR = "Ranger <ranger@example.org>"


class History:
    """The versions of a list as files, oldest first."""

    def __init__(self, name, ids, files):
        self.name, self.ids, self.files = name, ids, files
        self.path = "list" + files[0].suffix


def histories(folder, words):
    """Those whose names contain one of the words; all without words."""
    is_wanted = lambda name: not words or any(word in name for word in words)
    if not (SHARED / "data").is_dir():
        print(f"SKIPPED: the real lists are not in {SHARED}", file=sys.stderr)
    for spec in sorted((SHARED / "data").glob("*/spec.json")):
        name, ids = spec.parent.name, json.loads(spec.read_text())["id"]
        if is_wanted(name):
            with tarfile.open(spec.parent / "versions.tar.xz") as archive:
                archive.extractall(folder / name, filter="data")
            yield History(name, ids, sorted((folder / name / "versions").iterdir()))
    for name, count, rule, versions in SHAPES:
        if is_wanted(name):
            place = folder / name.replace(" ", "-")
            place.mkdir()
            files = [place / f"{number:06}.ndjson" for number in range(1, count + 1)]
            for file, content in zip(files, versions(count)):
                file.write_bytes(content)
            yield History(f"{name}, {count:,} versions", [rule], files)


# Git


class Packs:
    """A repository of a history, and the bytes of its pack after some of the versions."""

    def __init__(self, history, folder):
        self.history, self.repository = history, folder / "repository"
        self.numbers, self.sizes, count = [], [], len(history.files)
        shutil.rmtree(self.repository, ignore_errors=True)
        self.git("init", "-q", "--bare", "-b", "main")
        done = 0
        while done < count:
            step = min(count - done, max(1, done // 6))
            self.git("fast-import", "--quiet", input=self.stream(done, done + step))
            done += step
            self.git("gc", "--quiet", "--aggressive", "--prune=now")
            packs = (self.repository / "objects/pack").glob("*.pack")
            self.numbers.append(done)
            self.sizes.append(sum(pack.stat().st_size for pack in packs))

    def git(self, verb, *words, **options):
        place = [self.repository] if verb == "init" else []
        where = [] if verb == "init" else ["-C", self.repository]
        subprocess.run(["git", *where, verb, *words, *place], check=True, **options)

    def stream(self, start, end):
        parts = [b"reset refs/heads/main\nfrom refs/heads/main^0\n"] if start else []
        for number in range(start, end):
            message, content = b"version %d" % (number + 1), self.history.files[number].read_bytes()
            parts.append(
                b"commit refs/heads/main\ncommitter %s %d +0000\ndata %d\n%s\n"
                b"M 100644 inline %s\ndata %d\n%s\n"
                % (AUTHOR.encode(), seconds_of(number), len(message), message,
                   self.history.path.encode(), len(content), content))
        return b"".join(parts)

    def size(self, number):
        """The bytes of the pack of the first so many versions."""
        after = bisect.bisect_left(self.numbers, number)
        if self.numbers[after] == number:
            return self.sizes[after]
        low, high = self.numbers[after - 1], self.numbers[after]
        part = (number - low) / (high - low)
        return self.sizes[after - 1] + part * (self.sizes[after] - self.sizes[after - 1])


def seconds_of(number):
    return 1_600_000_000 + 86_400 * number


# Ways into a store. Each gives the bytes after some of the versions, by their numbers.


def byte_count(store):
    """The bytes of the file with all committed pages, also of those that are still in the log."""
    with closing(sqlite3.connect(f"file:{store.file}?mode=ro", uri=True)) as database:
        (count,), (size,) = (database.execute(f"PRAGMA page_{one}").fetchone()
                             for one in ("count", "size"))
    return count * size


def reading(history):
    ids = [word for rule in history.ids for word in ("--id", rule)]
    return [*ids, "--duplicates", "keep-first"]


def by_import(store, history, packs):
    """The highest bytes of the file meanwhile count as those of the last version, too."""
    highest, is_done = 0, threading.Event()

    def watch():
        nonlocal highest
        while not is_done.wait(0.005):
            if store.file.exists():
                highest = max(highest, store.file.stat().st_size)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        store.listsync(
            "import-git", packs.repository, history.path, "--list", "list", *reading(history))
    finally:
        is_done.set()
        watcher.join()
    return [(len(history.files), highest), (len(history.files), byte_count(store))]


def by_commits(store, history, packs):
    sizes = []
    for number, file in enumerate(history.files):
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds_of(number)))
        store.listsync(
            "commit", "list", file, *reading(history), "--at", date, "--author", AUTHOR,
            "-m", f"version {number + 1}")
        sizes.append((number + 1, byte_count(store)))
    return sizes


def by_puts(store, history, packs):
    sizes, condition = [], {"If-None-Match": "*"}
    with interop.serving(store) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        for number, file in enumerate(history.files):
            query = [("id", rule) for rule in history.ids] + [
                ("duplicates", "keep-first"), ("author", AUTHOR),
                ("message", f"version {number + 1}")]
            # The first bytes of a list of strings look like those of CSV.
            query += [("format", "ndjson")] if file.suffix == ".ndjson" else []
            connection.request(
                "PUT", f"/v1/lists/list?{urlencode(query)}", file.read_bytes(), condition)
            answer = connection.getresponse()
            body = answer.read()
            interop.check(answer.status in (200, 201), f"PUT of {file}: {body[:300]!r}")
            condition = {"If-Match": "*"}
            wait_until_idle(server.process.pid)
            sizes.append((number + 1, byte_count(store)))
        connection.close()
    sizes.append((len(history.files), byte_count(store)))
    return sizes


def wait_until_idle(process):
    before = None
    while before != (before := interop.processor_seconds(process)):
        time.sleep(0.03)


WAYS = {"import-git": by_import, "a commit a day": by_commits, "a PUT a day": by_puts}


def empty_byte_count(folder):
    """The bytes of a store with one item, which belong to no history."""
    store = interop.Store(folder, "empty.db")
    store.commit("list", [{"id": "a"}])
    return byte_count(store)


def row(history, way, packs, sizes, compacted, empty):
    ratio = lambda number, size: max(0, size - empty) / packs.size(number)
    highest, version = max((ratio(*one), one[0]) for one in sizes)
    last, size = sizes[-1]
    return (
        f"| {history.name} | {way} | {packs.size(last) / 1000:,.0f} kB | {size / 1000:,.0f} kB "
        f"| {ratio(last, size):.2f} | {highest:.2f}, version {version:,} "
        f"| {ratio(last, compacted):.2f} |")


def write_growth(folder, history, way, packs, sizes):
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{number} {size} {packs.size(number):.0f}\n" for number, size in sizes]
    name = re.sub("[^A-Za-z0-9]+", "-", f"{history.name} {way}")
    (folder / f"{name}.txt").write_text("".join(lines))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="the folder with listsync and listsyncd")
    parser.add_argument("lists", nargs="*", help="words of the names of lists and shapes")
    parser.add_argument("--growth", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    interop.BUILD = Path(options.programs).resolve()
    ways = dict(WAYS)
    if not (interop.BUILD / "listsyncd").exists():
        print(f"SKIPPED: PUT, since there is no {interop.BUILD}/listsyncd", file=sys.stderr)
        del ways["a PUT a day"]
    print("| list | way | git | store | at the end | highest | compact --vacuum |")
    print("|---" * 7 + "|", flush=True)
    with tempfile.TemporaryDirectory(prefix="listsync-bytes-") as folder:
        folder = Path(folder)
        empty = empty_byte_count(folder)
        for history in histories(folder, options.lists):
            packs = Packs(history, folder)
            for way, measure in ways.items():
                store = interop.Store(folder, "list.db")
                for file in folder.glob("list.db*"):
                    file.unlink()
                sizes = measure(store, history, packs)
                if options.growth:
                    write_growth(options.growth, history, way, packs, sizes)
                store.listsync("compact", "--vacuum")
                print(row(history, way, packs, sizes, byte_count(store), empty), flush=True)


if __name__ == "__main__":
    main()
