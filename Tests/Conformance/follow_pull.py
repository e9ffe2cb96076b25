#!/usr/bin/env python3
"""Follows a list with the built `listsync pull`, as README.md beside this file asks of a client.

    follow_pull.py FOLDER URL LIST --copy FILE --json [--until VERSION] [--key KEY]

FOLDER has listsync. The ids come from the changes that it prints, and are kept in FILE.ids between two runs.
"""
import argparse
import json
import signal
import subprocess
import sys
from pathlib import Path


def documents(lines):
    """The documents that a pull prints, of one line or of several."""
    text = ""
    for line in lines:
        text += line
        try:
            document = json.loads(text)
        except ValueError:
            continue
        text = ""
        yield document


def applied(ids, document):
    """The ids after a document of changes (P15)."""
    leaving = {change["from"] for change in document["removed"] + document["moved"]}
    placed = {change["to"]: change["id"] for change in document["moved"] + document["inserted"]}
    kept = iter([id for index, id in enumerate(ids) if index not in leaving])
    return [placed[place] if place in placed else next(kept) for place in range(document["to"]["count"])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("folder", "address", "list"):
        parser.add_argument(name)
    parser.add_argument("--copy", required=True)
    parser.add_argument("--until", type=int)
    parser.add_argument("--key")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    file, state = Path(f"{options.copy}.ids"), None
    ids = json.loads(file.read_text("utf-8")) if file.exists() else []
    command = [Path(options.folder).resolve() / "listsync", "pull", options.list, options.address, "--copy", options.copy, "--json"]
    command += ["--key", options.key] if options.key else []
    process = subprocess.Popen(command + ["--watch"] * bool(options.until), stdout=subprocess.PIPE, text=True)
    for document in documents(process.stdout):
        ids, state = applied(ids, document), document["to"]
        file.write_text(json.dumps(ids), "utf-8")
        if options.until and state["version"] >= options.until:
            process.send_signal(signal.SIGINT)
    if process.wait() != (130 if options.until else 0):
        return 1
    print(json.dumps({**{name: state[name] for name in ("cursor", "version", "count", "root")}, "ids": ids}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
