#!/usr/bin/env python3
"""Counts the requests and bytes of clients that catch up from a publication, beside other ways of publishing a list.

    make benchmark-publications           # the real lists beside the checkout
    Benchmarks/Publications/measure.py --listsync .build/release/listsync STORE:LIST ...

For each of the newest heads of a list, and for each base, the list is published at that head. The Python client's own
`Publication` then asks for files from a version that is 1, 10, 100 and all versions behind; it gets the compressed
bytes of each file. Beside it, compressed too: the whole list, one file for each step, and the line patches of
`diff --ed` between the versions (an item on each line), as apt's pdiffs are, without their index. Prints a table in
Markdown; `all deltas` are the bytes of all deltas against those of the steps.
"""
import argparse
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Clients/Python"))
from listsync_client import Publication, Response, State  # noqa: E402

DISTANCES = [1, 10, 100, None]


class Lists:
    """A list in a store, and a copy of it that ends at an earlier version."""

    def __init__(self, listsync, store, name, folder):
        self.program, self.store, self.name, self.folder = listsync, store, name, folder
        self.earlier = folder / f"{name}.db"
        records = json.loads(self.run("log", name, "--json"))
        self.states = {one["version"]: State(one["cursor"], one["count"], one["root"]) for one in records}
        self.texts = {}

    def run(self, *words, store=None, stdin=None):
        command = [self.program, *map(str, words), "--store", str(store or self.store)]
        return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout

    def advance(self, since, to):
        start = ["--since", since] if since else []
        bundle = self.run("bundle", "create", self.name, *start, "--to", to, "-o", "-")
        self.run("bundle", "apply", "-", store=self.earlier, stdin=bundle)

    def patch(self, version):
        """The compressed bytes of the line patch from the version before."""
        if version not in self.texts:
            for number in (version - 1, version):
                path = self.folder / f"{self.name}-{number}.json"
                if not path.exists():
                    path.write_bytes(self.run("show", f"{self.name}@{number}"))
            old, new = (self.folder / f"{self.name}-{number}.json" for number in (version - 1, version))
            done = subprocess.run(["diff", "--ed", old, new], capture_output=True, check=False)
            self.texts[version] = len(gzip.compress(done.stdout, 9))
            old.unlink()
        return self.texts[version]


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
        publication = Publication("file:///", name, self.get, lambda seconds: None)
        publication.url = f"file:///{name}"
        assert publication.find()
        while True:
            delta = publication.ask(state, False, 0)
            if delta is None:
                return self.requests, self.bytes
            state = delta.end
            if not delta.more:
                return self.requests, self.bytes


def measure(lists, bases, head_count):
    last = max(lists.states)
    heads = range(max(2, last - head_count + 1), last + 1)
    costs = {(base, distance): [] for base in bases for distance in DISTANCES}
    ratios, wholes, before = {base: [] for base in bases}, [], None
    for head in heads:
        lists.advance(before, head)
        before = head
        for base in bases:
            folder = lists.folder / f"{lists.name}-{base}"
            lists.run("publish", lists.name, "-o", folder, "--base", base, store=lists.earlier)
            about = json.loads((folder / lists.name / "head.json").read_bytes())
            deltas, steps = sum(level["bytes"] for level in about["levels"]), about["levels"][0]["bytes"]
            ratios[base].append(deltas / steps)
            wholes.append(about["whole"]["bytes"])
            for distance in DISTANCES:
                start = head - distance if distance else about["oldest"]
                if start < about["oldest"]:
                    continue
                one_step = [(folder / f"{lists.name}/{about['deltas']}/0/{n}.json.gz").stat().st_size
                            for n in range(start, head)] if base == bases[0] else []
                patches = sum(lists.patch(n + 1) for n in range(start, head)) if base == bases[0] and distance == 10 else 0
                requests, size = Folder(folder).catch_up(lists.name, lists.states[start])
                costs[base, distance].append((requests, size, sum(one_step), len(one_step), patches))
    whole = statistics.mean(wholes)
    rows = []
    for base in bases:
        row = [lists.name, str(base), f"{statistics.mean(ratios[base]):.2f}"]
        for distance in DISTANCES:
            found = costs[base, distance]
            if not found:
                row.append("—")
                continue
            requests = [one[0] for one in found]
            share = statistics.mean(one[1] for one in found) / whole * 100
            row.append(f"{statistics.mean(requests):.1f}, at most {max(requests)}; {share:.0f} %")
        rows.append(row)
    steps = {distance: statistics.mean(one[2] for one in costs[bases[0], distance]) / whole * 100
             for distance in DISTANCES if costs[bases[0], distance]}
    patches = statistics.mean(one[4] for one in costs[bases[0], 10]) / whole * 100
    rows.append([lists.name, "one file for each step", "1", *(
        f"{distance or 'all'}; {steps[distance]:.0f} %" if distance in steps else "—" for distance in DISTANCES)])
    rows.append([lists.name, "line patches", "", "", f"10; {patches:.0f} %", "", ""])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listsync", required=True, help="the program")
    parser.add_argument("--heads", type=int, default=20, help="how many of the newest heads are published (20)")
    parser.add_argument("--bases", default="2,4,8")
    parser.add_argument("lists", nargs="+", metavar="STORE:LIST")
    options = parser.parse_args()
    bases = [int(base) for base in options.bases.split(",")]
    print("| list | base | all deltas | 1 behind | 10 behind | 100 behind | all behind |", "|---" * 7 + "|", sep="\n")
    for one in options.lists:
        store, _, name = one.rpartition(":")
        with tempfile.TemporaryDirectory() as folder:
            for row in measure(Lists(options.listsync, store, name, Path(folder)), bases, options.heads):
                print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
