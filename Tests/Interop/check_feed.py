#!/usr/bin/env python3
"""feedparser and sfeed read the feed of a publication; chromium opens what its entries link to.

    check_feed.py [--built FOLDER]

sfeed is skipped where it is not installed.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import feedparser
from playwright.sync_api import expect, sync_playwright

import interop
from interop import Store, check, check_equal, run, say

ADDRESS = "http://lists.example/parks/"
MESSAGES = ["Frühling <&> \"x\"\n\nIt was cold.\n", "", None, "\n  Late spring \nmore", "one \u0001 two"]


def published(folder, count, seed):
    """A published list with messages of many kinds; its last version is dated before the others."""
    store = Store(folder, f"{seed}.db")
    for number in range(1, count + 1):
        message = MESSAGES[number % len(MESSAGES)]
        items = [{"id": f"{seed}-{n}", "n": n * number} for n in range(number % 3)]
        when = ["--at", f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"]
        store.listsync("commit", "parks", "-", *when, *(["-m", message] if message is not None else []),
                       "--author", "Ann & Bob", stdin=json.dumps([*items, {"id": "last", "n": number}]).encode())
    store.listsync("publish", "parks", "-o", Path(folder) / seed)
    return store, Path(folder) / seed / "parks"


def feed_of(place):
    found = feedparser.parse((place / "feed.xml").read_bytes(), response_headers={
        "content-location": ADDRESS + "feed.xml", "content-type": "application/xml"})
    check(not found.bozo, f"feedparser: {found.get('bozo_exception')}")
    check_equal(found.version, "atom10", "the form of the feed")
    return found


def feedparser_reads(place, count):
    found = feed_of(place)
    entries = found.entries
    check_equal(len(entries), min(count, 50), "entries")
    for version, entry in zip(range(count, 0, -1), entries):
        message = (MESSAGES[version % len(MESSAGES)] or "").replace("\u0001", "\ufffd")
        lines = [line.strip() for line in message.splitlines() if line.strip()]
        check_equal(entry.title, (lines or [f"Version {version}"])[0], f"title of version {version}")
        check_equal(entry.link, f"{ADDRESS}index.html#/parks/diff/{version - 1}..{version}", f"link of version {version}")
        check_equal(entry.author, "Ann & Bob", "author")
        number = version % 3 + 1
        check(entry.summary.endswith(f"; {number} {'item' if number == 1 else 'items'}"), f"summary {entry.summary!r}")
        if len(lines) > 1:
            check_equal(entry.content[0].value.split(), message.split(), f"content of version {version}")
    check_equal(len({entry.id for entry in entries}), len(entries), "ids of entries")
    check_equal(found.feed.updated_parsed, max(entry.updated_parsed for entry in entries), "updated")
    return found


def sfeed_reads(place):
    if not shutil.which("sfeed"):
        return say("sfeed: SKIPPED, since it is not installed")
    done = subprocess.run(["sfeed", ADDRESS + "feed.xml"], input=(place / "feed.xml").read_bytes(), capture_output=True, timeout=60)
    check_equal((done.returncode, done.stderr), (0, b""), "sfeed")
    rows = [line.split("\t") for line in done.stdout.decode().splitlines()]
    check_equal(len(rows), 50, "rows of sfeed")
    check(all(row[0].isdigit() and row[1] and row[2].startswith(ADDRESS + "index.html#/parks/diff/") for row in rows), f"sfeed: {rows[0]}")
    for place, name in ((2, "links"), (5, "ids")):
        check_equal(len({row[place] for row in rows}), len(rows), f"{name} of sfeed")
    return say("sfeed: 50 rows, each with a link and an id of its own")


def links_lead_to_the_page(place, found):
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        for entry in (found.entries[0], found.entries[-1]):
            page.goto(entry.link.replace(ADDRESS, f"file://{place}/"))
            before, after = entry.link.rpartition("/")[2].split("..")
            expect(page.locator("h1")).to_contain_text(after, timeout=60_000)
            check(f"diff/{before}..{after}" in page.url, page.url)
        browser.close()


def body():
    with tempfile.TemporaryDirectory(prefix="listsync-interop-") as folder:
        store, place = published(folder, 60, "a")
        found = feedparser_reads(place, 60)
        say("feedparser: 50 entries with one-line titles, and links and ids of their own")
        sfeed_reads(place)
        links_lead_to_the_page(place, found)
        say("chromium: the links open the changes of their versions")
        store.listsync("commit", "parks", "-", "--at", "2025-01-01T00:00:00Z", "--allow-earlier-date", stdin=b"[]")
        store.listsync("publish", "parks", "-o", place.parent)
        later = feed_of(place)
        check_equal((later.feed.id, later.feed.updated), (found.feed.id, found.feed.updated), "id and time after an earlier date")
        _, other = published(folder, 2, "b")
        check(feed_of(other).feed.id != found.feed.id, "two publishers have one id")
        say("feedparser: the id stays, and is another one for another list of the name; the time never goes back")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--built", metavar="FOLDER", type=Path, help="the folder of the built programs")
    interop.BUILD = (parser.parse_args().built or interop.BUILD).resolve()
    run("feed", body)
