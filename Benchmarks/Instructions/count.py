#!/usr/bin/env python3
"""Counts the instructions of the built listsync in small works, and compares them with those in counts.json.

    count.py LISTSYNC [--update]

A count does not depend on how busy the machine is, so a difference of more than 5 % has its cause in the code. --update
writes the counts of this run. Needs valgrind. The counts are for one version of Swift and one architecture: where these
differ, they are shown but not compared.
"""

import json
import os
import platform
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COUNTS = Path(__file__).with_name("counts.json")
TOLERANCE = 0.05
ITEMS, CHANGES = 3500, 100

# Copying and hashing have other instructions on other processors. These are the same on each.
SAME_PROCESSOR = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-AVX512F,-AVX512VL,-ERMS,-FSRM",
    "OPENSSL_ia32cap": "~0x1000000000000000:~0x20000120",
    "SWIFT_DETERMINISTIC_HASHING": "1",
}


def items(count, random):
    numbers = random.sample(range(10 * count), count)
    return [
        {"id": f"park-{number:07}", "name": f"Park {number}", "area": round(random.uniform(1, 9000), 1),
         "states": random.sample(["AK", "CA", "FL", "ME", "UT", "WA"], 2), "visitors": random.randrange(10**7)}
        for number in numbers]


def changed(old, count, random):
    """As many items, of which a quarter each was removed, inserted, moved and updated."""
    new = [dict(item) for item in old]
    part = count // 4
    for _ in range(part):
        new.pop(random.randrange(len(new)))
    for item in items(part, random):
        item["id"] = f"new-{random.getrandbits(64):016x}"
        new.insert(random.randrange(len(new)), item)
    for _ in range(part):
        new.insert(random.randrange(len(new)), new.pop(random.randrange(len(new))))
        random.choice(new)["visitors"] += 1
    return new


class Works:
    """Runs works in a folder of their own, one after another."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.counts = {}

    def run(self, name, *arguments):
        """Counts the instructions of listsync with arguments."""
        log = self.folder / "valgrind.log"
        environment = {**os.environ, **SAME_PROCESSOR, "LISTSYNC_STORE": "parks.db", "NO_COLOR": "1"}
        command = [
            "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}", self.program, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"instructions: {name}: exit {done.returncode}: {done.stderr}")
        self.counts[name] = int(re.search(r"Collected : (\d+)", log.read_text())[1])

    def run_all(self):
        generator = random.Random(1)
        first = items(ITEMS, generator)
        (self.folder / "1.json").write_text(json.dumps(first))
        (self.folder / "2.json").write_text(json.dumps(changed(first, CHANGES, generator)))
        time = "2026-01-01"
        self.run("start: --version", "--version")
        self.run(f"first commit of {ITEMS} items", "commit", "parks", "1.json", "--at", time)
        self.run("the same items again", "commit", "parks", "1.json")
        self.run(f"the list with {CHANGES} changes", "commit", "parks", "2.json", "--at", time)
        self.run("an edit of one item", "edit", "parks", "--remove", first[7]["id"])
        self.run(f"delta of {CHANGES} changes", "delta", "parks", "--since", "1", "--to", "2")
        self.run("show", "show", "parks")
        self.run("compare two files", "compare", "1.json", "2.json")
        self.run("verify", "verify")
        self.run("verify --deep", "verify", "--deep")
        self.run("show --item of version 1", "show", "parks@1", "--item", first[9]["id"])
        self.run("grep", "grep", "parks", "Park 77")
        self.counts["bytes of the store"] = (self.folder / "parks.db").stat().st_size
        self.run("compact", "compact")
        self.run("compact again, with nothing to do", "compact", "--vacuum")
        self.run("show, merged", "show", "parks")
        self.run(f"delta of {CHANGES} changes, merged", "delta", "parks", "--since", "1", "--to", "2")
        self.run("an edit of one item, merged", "edit", "parks", "--remove", first[8]["id"])
        self.run("verify --deep, merged", "verify", "--deep")
        self.counts["bytes of the store, merged"] = (self.folder / "parks.db").stat().st_size
        self.make_bundle(first[:300], generator)
        self.run("bundle apply of 30 versions", "bundle", "apply", "history.bundle", "--store", "other.db")
        self.run("replay --check of 30 versions", "replay", "parks", "--check", "--store", "other.db")
        self.counts["bytes of 30 versions"] = (self.folder / "other.db").stat().st_size

    def make_bundle(self, rows, generator):
        """A history of 30 versions of 300 items."""
        environment = {**os.environ, "LISTSYNC_STORE": "history.db"}
        for day in range(30):
            (self.folder / "rows.json").write_text(json.dumps(rows))
            commit = ["commit", "parks", "rows.json", "--at", f"2026-01-{day + 1:02}"]
            subprocess.run([self.program, *commit], cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            rows = changed(rows, 12, generator)
        make = ["bundle", "create", "parks", "-o", "history.bundle"]
        subprocess.run([self.program, *make], cwd=self.folder, env=environment, check=True, stdout=subprocess.DEVNULL)


def machine():
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return f"Swift {re.search(r'Swift version ([0-9.]+)', swift)[1]}, {platform.machine()}"


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        works = Works(program, Path(folder))
        works.run_all()
    if sys.argv[2:] == ["--update"]:
        COUNTS.write_text(json.dumps({"machine": machine(), "counts": works.counts}, indent=2) + "\n")
    known = json.loads(COUNTS.read_text())
    is_same = known["machine"] == machine()
    failed = False
    for name, count in works.counts.items():
        ratio = count / known["counts"].get(name, count)
        is_off = abs(ratio - 1) > TOLERANCE
        failed = failed or is_off
        print(f"{count:>14,}  {ratio:6.3f}  {name}{'  OFF' if is_off else ''}")
    if not is_same:
        print(f"instructions: not compared: the counts are of {known['machine']}, and this is {machine()}")
    elif failed:
        sys.exit(
            "instructions: more than 5 % from counts.json. If the code is meant to do more or less work, write the new counts "
            "with 'make instructions UPDATE=1', and say why in the commit.")


if __name__ == "__main__":
    main()
