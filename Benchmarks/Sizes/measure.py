#!/usr/bin/env python3
"""Times works of listsync over sizes, so that a cost which grows faster than the work is seen.

    make benchmark-sizes                  # measures, and draws Documentation/Images/*.svg
    Benchmarks/Sizes/measure.py --listsync .build/release/listsync --rounds 3 > sizes.json

Two series: lists of 1,000 to 1,000,000 items, and 10 to 100,000 versions of a list of 20 items.
Seconds are the least wall time of whole processes. Prints JSON: {"series": {"items" or "versions":
{"work": {"size": seconds}}}, "start": seconds}.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = "Grand Lake Prairie Canyon Crater Rock Island Shore River Mountain Valley Forest".split()


def park(number, visitors):
    name = f"{WORDS[number % 12]} {WORDS[number // 12 % 12]} {number}"
    return {"id": f"park-{number:07}", "name": name, "state": "CA", "visitors": visitors}


class Bench:
    def __init__(self, listsync, folder, rounds):
        self.listsync, self.folder, self.rounds = listsync, Path(folder), rounds

    def run(self, *words, store=None):
        """Seconds that a verb takes; an error of the verb ends the benchmark."""
        place = ["--store", str(store)] if store else []
        command = [self.listsync, *map(str, words), *place]
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seconds = time.perf_counter() - start
        if done.returncode != 0:
            sys.exit(f"{command}: {done.stderr.decode()[-2000:]}")
        return seconds

    def least(self, *words, store):
        return min(self.run(*words, store=store) for _ in range(self.rounds))

    def least_on_copies(self, *words, store):
        """The same for a verb that writes: each round gets a copy of the store."""
        copy, seconds = self.folder / "copy.db", []
        for _ in range(self.rounds):
            remove(copy)
            if store.exists():
                shutil.copy(store, copy)
            seconds.append(self.run(*words, store=copy))
        remove(copy)
        return min(seconds)


def remove(store):
    for ending in ("", "-wal", "-shm"):
        Path(f"{store}{ending}").unlink(missing_ok=True)


def write_array(path, parks):
    with open(path, "w") as file:
        file.write("[\n" + ",\n".join(json.dumps(p) for p in parks) + "\n]\n")


def measure_items(bench, count):
    """A list of `count` items: its first version, the next one with 100 changes, and readings."""
    chance = random.Random(count)
    parks = [park(number, chance.randrange(5_000_000)) for number in range(count)]
    chance.shuffle(parks)
    first, second, item = (bench.folder / name for name in ("1.json", "2.json", "item.json"))
    write_array(first, parks)
    for index in chance.sample(range(count), 100):
        parks[index] = dict(parks[index], visitors=-1)
    write_array(second, parks)
    item.write_text(json.dumps(dict(parks[count // 2], visitors=-2)))
    store, middle = bench.folder / "items.db", parks[count // 2]["id"]
    remove(store)
    yield "first commit", bench.least_on_copies("commit", "parks", first, store=store)
    bench.run("commit", "parks", first, store=store)
    yield "commit, 100 changes", bench.least_on_copies("commit", "parks", second, store=store)
    bench.run("commit", "parks", second, store=store)
    yield "edit of one item", bench.least_on_copies("edit", "parks", "--put", item, store=store)
    yield "show", bench.least("show", "parks", store=store)
    yield "show --item", bench.least("show", "parks", "--item", middle, store=store)
    yield "grep, one match", bench.least("grep", "parks", middle, store=store)
    yield "delta, 100 changes", bench.least("delta", "parks", "--since", 1, store=store)
    yield "verify --deep", bench.least("verify", "--deep", store=store)


def import_history(bench, store, count):
    """Seconds to import `count` versions of 20 items, each with one change."""
    repository, chance = bench.folder / "repository", random.Random(count)
    shutil.rmtree(repository, ignore_errors=True)
    subprocess.run(["git", "init", "-q", "-b", "main", repository], check=True)
    parks = [park(number, 0) for number in range(20)]
    git = subprocess.Popen(
        ["git", "-C", repository, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    for version in range(count):
        parks[chance.randrange(20)]["visitors"] = version + 1
        text = "".join(json.dumps(p) + "\n" for p in parks).encode()
        git.stdin.write(
            b"commit refs/heads/main\ncommitter R <r@example.org> %d +0000\ndata 0\n\n"
            b"M 100644 inline parks.ndjson\ndata %d\n%s\n"
            % (1_600_000_000 + 3_600 * version, len(text), text))
    git.stdin.close()
    if git.wait() != 0:
        sys.exit("git fast-import failed")
    remove(store)
    return bench.run("import-git", repository, "parks.ndjson", "--list", "parks", store=store)


def measure_versions(bench, count):
    """A list of 20 items with `count` versions."""
    store = bench.folder / "versions.db"
    yield "import-git", import_history(bench, store, count)
    yield "show, in the middle", bench.least("show", f"parks@{count // 2}", store=store)
    yield "log --item", bench.least("log", "parks", "--item", "park-0000003", store=store)
    yield "delta since version 1", bench.least("delta", "parks", "--since", 1, store=store)
    yield "replay --check", bench.least("replay", "parks", "--check", store=store)
    yield "verify --deep", bench.least("verify", "--deep", store=store)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--listsync", default=".build/release/listsync")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", type=int, default=1_000_000, help="the largest size measured")
    options = parser.parse_args()
    series = {
        "items": (measure_items, [1_000, 10_000, 100_000, 1_000_000]),
        "versions": (measure_versions, [10, 100, 1_000, 10_000, 100_000]),
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(options.listsync).resolve(), folder, options.rounds)
        start = min(bench.run("--version") for _ in range(options.rounds * 10))
        for name, (measure, sizes) in series.items():
            for size in (size for size in sizes if size <= options.largest):
                for work, seconds in measure(bench, size):
                    found.setdefault(name, {}).setdefault(work, {})[size] = round(seconds, 4)
                    print(f"{name} {size:>9,} {work:<24} {seconds:8.3f} s", file=sys.stderr)
    print(json.dumps({"start": round(start, 4), "series": found}, indent=1))


if __name__ == "__main__":
    main()
