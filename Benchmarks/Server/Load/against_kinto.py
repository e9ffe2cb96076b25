#!/usr/bin/env python3
"""The same list and the same changes in Kinto and in ListSync: "what changed since".

    pip install kinto          # into the environment that runs this; make benchmark-server does it
    python3 Benchmarks/Server/Load/against_kinto.py
"""

import gzip
import importlib.metadata
import json
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from measuring import (
    CHANGE_COUNT, CONNECTIONS, ITEM_COUNT, ROUNDS, SECONDS, check, cursor_of, fetch, free_port,
    fresh_store, interleaved, megabytes, memory, put, serving, table, versions)

# Everybody may make a bucket, and read: no password is hashed for a request.
SETTINGS = {"kinto.bucket_create_principals": "system.Everyone", "kinto.http_host": None,
            "kinto.batch_max_requests": "100"}


@contextmanager
def kinto(folder):
    """Kinto as `kinto init` sets it up, with the memory backend, one process."""
    programs, port = Path(sys.executable).parent, free_port()
    file = Path(folder, "kinto.ini")
    subprocess.run([programs / "kinto", "init", "--ini", file, "--backend", "memory",
                    "--cache-backend", "memory", "--host", "127.0.0.1"],
                   check=True, capture_output=True)
    text = file.read_text()
    for name, value in SETTINGS.items():
        lines = [line for line in text.splitlines() if not line.startswith(name)]
        if value is not None:
            lines.insert(lines.index("[app:main]") + 1, f"{name} = {value}")
        text = "\n".join(lines) + "\n"
    # Its requests are not logged one by one: neither are this server's.
    for level in ("DEBUG", "INFO"):
        text = text.replace(f"level = {level}", "level = WARNING")
    file.write_text(text)
    with open(Path(folder, "kinto.log"), "wb") as log:
        process = subprocess.Popen(
            [programs / "kinto", "start", "--ini", file, "--port", str(port)],
            stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v1"
    try:
        end = time.monotonic() + 60
        while True:
            try:
                if fetch(f"{url}/").status == 200:
                    break
            except OSError:
                pass
            check(time.monotonic() < end and process.poll() is None,
                  f"kinto did not start: {Path(folder, 'kinto.log').read_text()[-2000:]}")
            time.sleep(0.2)
        yield url, process.pid
    finally:
        process.terminate()
        process.wait()


def send(url, method, body):
    answer = fetch(url, ["Content-Type: application/json"], method, json.dumps(body).encode())
    check(answer.status in (200, 201), f"{method} {url}: {answer.status} {answer.body[:500]!r}")
    return json.loads(answer.body)


def fill_kinto(url):
    """The same versions, each as the changes that make it; gives where the records are, and the
    timestamp before each."""
    everyone = {"permissions": {"read": ["system.Everyone"], "write": ["system.Everyone"]}}
    send(f"{url}/buckets/bench", "PUT", everyone)
    send(f"{url}/buckets/bench/collections/parks", "PUT", {})
    records, before, timestamps = f"{url}/buckets/bench/collections/parks/records", {}, []
    for items in versions():
        after = {item["id"]: item for item in items}
        requests = [{"method": "DELETE", "path": f"/buckets/bench/collections/parks/records/{key}"}
                    for key in before.keys() - after.keys()]
        requests += [{"method": "PUT", "body": {"data": item},
                      "path": f"/buckets/bench/collections/parks/records/{key}"}
                     for key, item in after.items() if before.get(key) != item]
        for start in range(0, len(requests), 100):
            answers = send(f"{url}/batch", "POST", {"requests": requests[start:start + 100]})
            wrong = [a for a in answers["responses"] if a["status"] not in (200, 201)]
            check(not wrong, f"kinto refused: {wrong[:1]}")
        before = after
        timestamps.append(fetch(records, method="HEAD").headers["etag"])
    return records, timestamps


def fill_listsync(url):
    etag, etags = None, []
    for items in versions():
        etag = put(f"{url}/v1/lists/parks", items, etag)
        etags.append(etag)
    return etags


def rows(kinto_url, url):
    records, stamps = fill_kinto(kinto_url)
    etags = fill_listsync(url)
    cursors, delta = [cursor_of(etag) for etag in etags], f"{url}/v1/lists/parks/delta"
    last, stamp = cursors[-1], stamps[-1]
    return {
        f"changes since the version before ({CHANGE_COUNT} changes)": (
            (f"{records}?_since={quoted(stamps[-2])}", []),
            (f"{delta}?since={cursors[-2]}", [])),
        f"changes since ten versions before ({10 * CHANGE_COUNT} changes)": (
            (f"{records}?_since={quoted(stamps[-11])}", []),
            (f"{delta}?since={cursors[-11]}", [])),
        "nothing new, conditional (304)": (
            (f"{records}?_since={quoted(stamp)}", [f"If-None-Match: {stamp}"]),
            (f"{delta}?since={last}", [f"If-None-Match: {etags[-1]}"])),
        f"the whole list ({ITEM_COUNT:,} items)": ((records, []), (f"{url}/v1/lists/parks", [])),
    }


def quoted(etag):
    return etag.replace('"', "%22")


def changed_ids(body):
    """The ids that are new or changed, and those that are gone, to see that both tell the same."""
    document = json.loads(body)
    if "data" in document:
        gone = {record["id"] for record in document["data"] if record.get("deleted")}
        return {record["id"] for record in document["data"]} - gone, gone
    return ({change["id"] for kind in ("inserted", "updated") for change in document[kind]},
            {change["id"] for change in document["removed"]})


def packed(body):
    """How many bytes gzip makes of a body."""
    return len(gzip.compress(body)) if body else 0


def check_same_answers(pair):
    (theirs, ours) = (fetch(*request) for request in pair)
    check(theirs.status == ours.status, f"{pair}: {theirs.status} and {ours.status}")
    if theirs.status == 200 and "since" in pair[0][0]:
        (told, buried), (expected, removed) = changed_ids(theirs.body), changed_ids(ours.body)
        check(told == expected, f"{pair}: {len(told)} and {len(expected)} changes")
        # Kinto also names what came and went in between.
        check(buried >= removed, f"{pair}: {len(buried)} and {len(removed)} items gone")
    return len(theirs.body), len(ours.body), packed(theirs.body), packed(ours.body)


def main():
    with fresh_store() as store, serving(store) as server, kinto(store.folder) as (url, pid):
        pairs = rows(url, server.url)
        sizes = {name: check_same_answers(pair) for name, pair in pairs.items()}
        subjects = {(name, who): pair[place] for name, pair in pairs.items()
                    for place, who in enumerate(("kinto", "listsync"))}
        pids = {"kinto": pid, "listsync": server.process.pid}
        found = interleaved(subjects, lambda name: pids[name[1]])
        resident = [megabytes(memory(one)[0]) for one in (pid, server.process.pid)]
    lines = []
    for name in pairs:
        theirs, ours = found[name, "kinto"], found[name, "listsync"]
        theirs_bytes, ours_bytes, theirs_packed, ours_packed = sizes[name]
        lines.append([name, theirs, ours, f"{ours.median / theirs.median:,.0f}",
                      f"{theirs_bytes:,} ({theirs_packed:,})", f"{ours_bytes:,} ({ours_packed:,})"])
    lines.append(["resident memory afterwards", resident[0], resident[1], "", "", ""])
    version = importlib.metadata.version
    table(f"Kinto {version('kinto')} (memory backend, waitress {version('waitress')}, one process) and "
          f"listsyncd, requests a second, wrk -t1 -c{CONNECTIONS} -d{SECONDS}s, {ROUNDS} rounds",
          ["request", "kinto", "listsyncd", "ratio", "kinto: bytes (gzip)",
           "listsyncd: bytes (gzip)"], lines)


if __name__ == "__main__":
    main()
