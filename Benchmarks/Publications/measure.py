#!/usr/bin/env python3
"""Counts the requests and bytes of clients that catch up from a publication, beside other ways of publishing a list.

    make benchmark-publications           # the real lists beside the checkout
    Benchmarks/Publications/measure.py --listsync .build/release/listsync STORE:LIST ...

For each of the newest heads of a list, and for each base, the list is published at that head. The Python client's own
`Publication` then asks for files from a version that is 1, 10, 100 and all versions behind; it gets the compressed
bytes of each file. Beside it, compressed too: the whole list, one file for each step, and apt's pdiffs of the list
(`pdiffs.py`), which need the Debian package reprepro.

Prints a table in Markdown. `all deltas` are the bytes of all deltas, or patches, against those of the steps; the other
bytes are in percent of the whole list. `a version writes` are the bytes of files that a head adds or changes.
"""
import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Clients/Python"))
from listsync.client import Publication, Response, State  # noqa: E402

from pdiffs import KINDS, Pdiffs  # noqa: E402

DISTANCES = [1, 10, 100, None]


class Lists:
    """A list in a store, and a copy of it that ends at an earlier version."""

    def __init__(self, listsync, store, name, folder):
        self.program, self.store, self.name, self.folder = listsync, store, name, folder
        self.earlier = folder / f"{name}.db"
        records = json.loads(self.run("log", name, "--json"))
        self.states = {one["version"]: State(one["cursor"], one["count"], one["root"]) for one in records}
        self.dates = {one["version"]: re.sub(r"T(..):(..):(..)Z", r"-\1\2.\3", one["committed_at"]) for one in records}

    def run(self, *words, store=None, stdin=None):
        command = [self.program, *map(str, words), "--store", str(store or self.store)]
        return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout

    def advance(self, since, to):
        start = ["--since", since] if since else []
        bundle = self.run("bundle", "create", self.name, *start, "--to", to, "-o", "-")
        self.run("bundle", "apply", "-", store=self.earlier, stdin=bundle)


class Folder:
    """A publication, and the cost of a client that follows it."""

    def __init__(self, path):
        self.path, self.requests, self.bytes = path, 0, 0

    def get(self, url, headers):
        self.requests += 1
        file = self.path / url.removeprefix("file:///")
        if not file.exists():
            return Response(404, {}, b"")
        self.bytes += Path(f"{file}.gz").stat().st_size
        return Response(200, {}, file.read_bytes())

    def catch_up(self, name, state):
        """The requests and bytes from a state to the head."""
        self.requests = self.bytes = 0
        publication = Publication("file:///", name, self.get, lambda seconds: None, 1 << 30)
        publication.url = f"file:///{name}"
        assert publication.find()
        while True:
            delta = publication.ask(state, False, 0)
            if delta is None:
                return self.requests, self.bytes
            state = delta.end
            if not delta.more:
                return self.requests, self.bytes


def written(before, after):
    """The bytes of files that are new or have changed."""
    return sum(len(content) for name, content in after.items() if before.get(name) != content)


class Costs:
    """What one way of publishing costs clients and the server, over all heads."""

    def __init__(self, title):
        self.title, self.files = title, None
        self.shares, self.written, self.totals, self.clients = [], [], [], {distance: [] for distance in DISTANCES}

    def publish(self, files, share):
        """Notes the files at a head."""
        if self.files is not None:
            self.written.append(written(self.files, files))
        self.files = files
        self.shares.append(share)
        self.totals.append(sum(map(len, files.values())))

    def row(self, name, whole):
        cells = [name, self.title, f"{statistics.mean(self.shares):.2f}"]
        for costs in self.clients.values():
            requests = [one[0] for one in costs]
            share = statistics.mean(one[1] for one in costs) / whole * 100 if costs else 0
            cells.append(f"{statistics.mean(requests):.1f}, at most {max(requests)}; {share:.0f} %" if costs else "—")
        sums = (statistics.mean(sizes) if sizes else 0 for sizes in (self.written, self.totals))
        return cells + [f"{size / whole * 100:,.0f} %" for size in sums]


def measure(lists, bases, head_count):
    last = max(lists.states)
    heads = range(max(2, last - head_count + 1), last + 1)
    published = {base: Costs(str(base)) for base in bases}
    others = {kind: Costs(kind) for kind in KINDS}
    pdiffs, wholes, before, one_step = Pdiffs(lists), [], None, {distance: [] for distance in DISTANCES}
    for head in heads:
        lists.advance(before, head)
        pdiffs.advance(head)
        before = head
        for base, costs in published.items():
            folder = lists.folder / f"{lists.name}-{base}"
            lists.run("publish", lists.name, "-o", folder, "--base", base, store=lists.earlier)
            about = json.loads((folder / lists.name / "head.json").read_bytes())
            deltas, steps = sum(level["bytes"] for level in about["levels"]), about["levels"][0]["bytes"]
            costs.publish({path: path.read_bytes() for path in folder.rglob("*.json.gz")}, deltas / steps)
            wholes.append(about["whole"]["bytes"])
        starts = {distance: head - distance if distance else about["oldest"] for distance in DISTANCES}
        starts = {distance: start for distance, start in starts.items() if start >= about["oldest"]}
        for base, costs in published.items():
            for distance, start in starts.items():
                found = Folder(lists.folder / f"{lists.name}-{base}").catch_up(lists.name, lists.states[start])
                costs.clients[distance].append(found)
        for kind, files in pdiffs.repositories().items():
            others[kind].publish(files, sum(len(one) for name, one in files.items() if isinstance(name, int)) / steps)
            for distance, start in starts.items():
                others[kind].clients[distance].append(pdiffs.catch_up(kind, files, start))
        for distance, start in starts.items():
            one_step[distance].append(sum(
                next((folder / f"{lists.name}/delta/1").glob(f"{n}-*.json.gz")).stat().st_size
                for n in range(start + 1, head + 1)))
    whole = statistics.mean(wholes)
    rows = [costs.row(lists.name, whole) for costs in published.values()]
    rows.append([lists.name, "one file for each step", "1", *(
        f"{distance or 'all'}; {statistics.mean(sizes) / whole * 100:.0f} %" if sizes else "—"
        for distance, sizes in one_step.items()), "", ""])
    return rows + [costs.row(lists.name, whole) for costs in others.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listsync", required=True, help="the program")
    parser.add_argument("--heads", type=int, default=20, help="how many of the newest heads are published (20)")
    parser.add_argument("--bases", default="2,4,8")
    parser.add_argument("lists", nargs="+", metavar="STORE:LIST")
    options = parser.parse_args()
    if not shutil.which("rredtool"):
        sys.exit("rredtool is not installed: apt-get install reprepro")
    bases = [int(base) for base in options.bases.split(",")]
    behind = [f"{distance or 'all'} behind" for distance in DISTANCES]
    titles = ["list", "base", "all deltas", *behind, "a version writes", "all files"]
    print("| " + " | ".join(titles) + " |", "|---" * len(titles) + "|", sep="\n")
    for one in options.lists:
        store, _, name = one.rpartition(":")
        with tempfile.TemporaryDirectory() as folder:
            for row in measure(Lists(options.listsync, store, name, Path(folder)), bases, options.heads):
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
