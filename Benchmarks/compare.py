#!/usr/bin/env python3
"""Compares listsync with git-history and sqlite-chronicle on the same work.

    python3 -m venv /tmp/compare && /tmp/compare/bin/pip install git-history sqlite-chronicle
    make build
    /tmp/compare/bin/python Benchmarks/compare.py [git-history|sqlite-chronicle] ...

git-history: the first versions of two real lists (which lie beside the checkout, or where
LISTSYNC_SHARED says), from a git repository that is made for them. Whole histories (--first 0) take
git-history many minutes. sqlite-chronicle: versions of a generated list. Seconds are wall time of
whole processes, except where a line says "in process"; bytes are those of the database after its
write-ahead log is in it.
"""

import argparse
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LISTSYNC_SHARED", ROOT.parent / "shared"))

# How git-history is to read a row, and what listsync is to be told. The id column of gov-domains
# changes its name in the middle of the history, and its first version holds an id twice.
LISTS = {
    "regions": dict(first=60, id="id", rule="id", row="r", options=[]),
    "gov-domains": dict(
        first=20,
        id="Domain Name",
        rule="Domain Name|Domain name",
        row="{('Domain Name' if k == 'Domain name' else k): v for k, v in r.items()}",
        options=["--duplicates", "keep-first"],
    ),
}


def timed(command, **options):
    """Seconds that a command takes; an error of the command ends the comparison."""
    start = time.perf_counter()
    done = subprocess.run(list(map(str, command)), capture_output=True, **options)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr.decode()[-2000:]}")
    return seconds


def byte_count(database):
    with sqlite3.connect(database) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    return pages * size


class Table:
    """Prints findings as they come: lines of a Markdown table, or of JSON for programs."""

    def __init__(self, is_json):
        self.is_json = is_json
        if not is_json:
            print("| work | | listsync | other | ratio |\n|---|---|---|---|---|")

    def add(self, work, unit, listsync, other, value):
        """How much of a unit listsync took, and how much another system, which is named."""
        if self.is_json:
            line = json.dumps(
                {"work": work, "unit": unit, "listsync": listsync, "other": other, "value": value})
        else:
            theirs, ratio = f"{value:,.3f} ({other})", f"{listsync / value:.3f}"
            line = f"| {work} | {unit} | {listsync:,.3f} | {theirs} | {ratio} |"
        print(line, flush=True)


# git-history


def make_repository(folder, name, versions):
    """A repository with one file; every version of it is a commit."""
    file_name = name + versions[0].suffix
    stream = bytearray()
    for number, version in enumerate(versions, 1):
        message, content = f"version {number}".encode(), version.read_bytes()
        stream += b"commit refs/heads/main\n"
        time_ = 1_600_000_000 + 3_600 * number
        stream += b"committer Ranger <ranger@example.org> %d +0000\n" % time_
        stream += b"data %d\n%s\n" % (len(message), message)
        stream += f"M 100644 inline {file_name}\n".encode()
        stream += b"data %d\n%s\n" % (len(content), content)
    repository = folder / "repository"
    timed(["git", "init", "-q", "-b", "main", repository])
    timed(["git", "-C", repository, "fast-import", "--quiet"], input=bytes(stream))
    timed(["git", "-C", repository, "repack", "-adq"])
    timed(["git", "-C", repository, "reset", "-q", "--hard"])
    return repository, file_name


def import_with_listsync(listsync, store, name, repository, file_name, rules):
    """Seconds for the history."""
    options = ["--id", rules["rule"], *rules["options"], "--store", store]
    command = [listsync, "import-git", repository, file_name, "--list", name]
    return timed([*command, *options])


def compare_git_history(table, listsync, name, first):
    rules = LISTS[name]
    program = Path(sys.executable).with_name("git-history")
    if not program.exists():
        sys.exit(f"git-history is not installed beside {sys.executable}: see --help")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        timed(["tar", "-xJf", SHARED / "data" / name / "versions.tar.xz", "-C", folder])
        versions = sorted((folder / "versions").iterdir())
        count = len(versions)
        versions = versions[:first or count]
        repository, file_name = make_repository(folder, name, versions)
        store, other = folder / "listsync.db", folder / "git-history.db"
        ours = import_with_listsync(listsync, store, name, repository, file_name, rules)
        rows = "csv.DictReader(io.StringIO(content.decode('utf-8-sig')))"
        theirs = timed([
            program, "file", other, repository / file_name, "--repo", repository,
            "--branch", "main", "--id", rules["id"], "--ignore-duplicate-ids", "--silent",
            "--import", "csv", "--import", "io", "--convert", f"[{rules['row']} for r in {rows}]",
        ])
        work = f"history of {name}, {len(versions)} of {count} versions"
        table.add(work, "s", ours, "git-history", theirs)
        table.add(work, "bytes", byte_count(store), "git-history", byte_count(other))
        export = folder / "export.db"
        exported = timed([listsync, "export", name, "-o", export, "--store", store])
        table.add(f"{work}, exported", "s", exported, "git-history", theirs)
        table.add(f"{work}, exported", "bytes", byte_count(export), "git-history", byte_count(other))
        timed([listsync, "compact", "--vacuum", "--store", store])
        table.add(f"{work}, merged", "bytes", byte_count(store), "git-history", byte_count(other))


# sqlite-chronicle


class Parks:
    """A list of [id, visitors] that is edited: mostly updates, removals and insertions alike."""

    def __init__(self, count):
        self.dice = random.Random(5)
        self.items = [[f"park-{number:09}", number] for number in range(count)]

    def edit(self, count):
        """What changed: ids removed, and items inserted and updated."""
        removed, inserted, updated = [], [], []
        for number in range(count):
            place = self.dice.randrange(len(self.items))
            if number % 5 == 0:
                removed.append(self.items.pop(place)[0])
            elif number % 5 == 1:
                item = [f"park-{self.dice.randrange(10**9):09}", self.dice.randrange(10**6)]
                self.items.insert(place, item)
                inserted.append(item)
            else:
                self.items[place][1] += 1
                updated.append(self.items[place])
        return removed, inserted, updated

    def write(self, file):
        file.write_text("[" + ",\n".join(map(self.content, self.items)) + "]")

    @staticmethod
    def content(item):
        return json.dumps({
            "established": 1919, "id": item[0], "name": "Grand Cañon " + item[0][-3:],
            "state": "AZ", "visitors": item[1],
        }, ensure_ascii=False)


class Chronicle:
    """A table of parks that sqlite-chronicle watches, as durable as listsync's store."""

    def __init__(self, path, parks):
        import sqlite_chronicle

        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        self.connection.execute("CREATE TABLE parks (id TEXT PRIMARY KEY, content TEXT)")
        self.apply([], parks.items, [])
        sqlite_chronicle.enable_chronicle(self.connection, "parks")
        query = "SELECT max(__version) FROM _chronicle_parks"
        (self.first,) = self.connection.execute(query).fetchone()

    def apply(self, removed, inserted, updated):
        rows = lambda items: ((Parks.content(item), item[0]) for item in items)
        run = self.connection.executemany
        self.connection.execute("BEGIN")
        run("DELETE FROM parks WHERE id = ?", ((id,) for id in removed))
        run("INSERT INTO parks (content, id) VALUES (?, ?)", rows(inserted))
        run("UPDATE parks SET content = ? WHERE id = ?", rows(updated))
        self.connection.execute("COMMIT")

    def changed_since_first(self):
        import sqlite_chronicle

        return sum(1 for _ in sqlite_chronicle.updates_since(self.connection, "parks", self.first))


def clocked(work, *arguments):
    start = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - start, result


def compare_sqlite_chronicle(table, listsync, item_count, version_count, edit_count):
    parks = Parks(item_count)
    with tempfile.TemporaryDirectory() as folder:
        store, other = Path(folder, "listsync.db"), Path(folder, "chronicle.db")
        file = Path(folder, "parks.json")
        commit = [listsync, "commit", "parks", file, "--store", store]
        parks.write(file)
        ours = timed(commit)
        theirs, chronicle = clocked(Chronicle, other, parks)
        work = f"{item_count:,} items"
        table.add(f"{work}: first version", "s", ours, "chronicle, in process", theirs)
        before = byte_count(store), byte_count(other)
        table.add(f"{work}: first version", "bytes", before[0], "chronicle", before[1])
        ours = theirs = 0
        for _ in range(version_count):
            edits = parks.edit(edit_count)
            parks.write(file)
            ours += timed(commit)
            theirs += clocked(chronicle.apply, *edits)[0]
        work = f"a version of {edit_count} edits ({version_count} of them)"
        table.add(
            f"{work}, whole list against edits alone", "s", ours / version_count,
            "chronicle, in process", theirs / version_count)
        after = byte_count(store), byte_count(other)
        table.add(
            f"{work}, kept against overwritten", "bytes", (after[0] - before[0]) / version_count,
            "chronicle", (after[1] - before[1]) / version_count)
        ours = timed([listsync, "delta", "parks", "--since", 1, "--store", store])
        theirs, count = clocked(chronicle.changed_since_first)
        table.add(
            f"what changed since the first version ({count} rows)", "s", ours,
            "chronicle, in process", theirs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "systems", nargs="*", metavar="SYSTEM", help="git-history, sqlite-chronicle; all of them")
    parser.add_argument("--listsync", default=ROOT / ".build/release/listsync", type=Path)
    parser.add_argument("--lists", nargs="*", default=list(LISTS), choices=list(LISTS))
    parser.add_argument(
        "--first", type=int, metavar="N",
        help="git-history: so many versions of each list, 0 for all (default: 60 of regions, 20 of "
        "gov-domains)")
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--versions", type=int, default=200)
    parser.add_argument("--edits", type=int, default=10)
    parser.add_argument("--json", action="store_true", help="answer a line of JSON a finding")
    given = parser.parse_args()
    listsync = given.listsync.resolve()
    systems = given.systems or ["git-history", "sqlite-chronicle"]
    table = Table(given.json)
    if "git-history" in systems:
        for name in given.lists:
            first = LISTS[name]["first"] if given.first is None else given.first
            compare_git_history(table, listsync, name, first)
    if "sqlite-chronicle" in systems:
        compare_sqlite_chronicle(table, listsync, given.items, given.versions, given.edits)


if __name__ == "__main__":
    main()
