#!/usr/bin/env python3
"""The page of listsyncd in Debian's chromium: every view, live updates, proof, tokens, hostile contents, access.

check_page.py [CHECK …]: all checks, or those functions. Three processes share them, each with a store, a server and a browser of
its own, since a check often waits. Only `figures` must be named: it measures the page with long lists
and long histories, as Documentation/Performance.md states.
"""

import base64
import gzip
import http.client
import http.server
import inspect
import json
import multiprocessing
import re
import shutil
import signal
import socketserver
import statistics
import sys
import tarfile
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zlib
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from interop import ROOT, Store, check, check_equal, eventually, fresh_store, run, say, serving

HEARTBEAT_SECONDS = 15
SHOTS = ROOT / ".build/screenshots"
PARKS = ["Acadia", "Arches", "Badlands", "Big Bend", "Denali", "Glacier", "Grand Canyon", "Olympic", "Yosemite", "Zion"]


def park(number, **more):
    name = PARKS[number % len(PARKS)] + (f" {number}" if number >= len(PARKS) else "")
    return {"id": f"park-{number:05}", "Name": name, "rating": number % 6, "state": "UT", **more}


class Visit:
    """A page whose requests, console and errors are watched."""

    def __init__(self, browser, url, **options):
        self.context = browser.new_context(viewport={"width": 1200, "height": 860}, **options)
        self.page = self.context.new_page()
        self.url, self.faults, self.strangers = url, [], []
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("request", self.requested)
        self.page.on("dialog", lambda dialog: (self.faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        # A failed request is a console message of the browser; the tests of failures expect some.
        self.expected = []

    def heard(self, message):
        if message.type in ("error", "warning") and not any(part in message.text for part in self.expected):
            self.faults.append(f"{message.type}: {message.text}")

    def requested(self, request):
        if not request.url.startswith((self.url + "/", "data:")):
            self.strangers.append(request.url)

    def go(self, address):
        self.page.goto(f"{self.url}/#/{address}")
        self.until("document.getElementById('main').dataset.shown === location.hash")

    def shot(self, name):
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")

    def until(self, condition):
        """Waits for a condition in the page, whose policy forbids Playwright's own way."""
        eventually(condition, lambda: self.page.evaluate(condition))

    def proof(self):
        seal = self.page.locator(".proof")
        expect(seal).to_contain_text("root verified")
        return self.page.locator(".proof .digest").inner_text()

    def end(self):
        check_equal((self.faults, self.strangers), ([], []), "console errors, and requests to other hosts")
        self.context.close()


@contextmanager
def visit(browser, url, **options):
    one = Visit(browser, url, **options)
    yield one
    one.end()


def of_each(locator, expression):
    """What an expression in `one` tells of each element. One that the page has replaced since it was found would tell nothing of its layout."""
    while (told := locator.evaluate_all(f"all => all.every((one) => one.isConnected) && all.map((one) => {expression})")) is False:
        pass
    return told


def texts_of(locator):
    """What each of the elements shows."""
    return of_each(locator, "one.innerText")


def ask(url, **headers):
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def fill(store):
    """Ten versions of ten parks with every kind of change, and a long list."""
    parks = [park(n) for n in range(10)]
    for version in range(10):
        if version % 3 == 1:
            parks.insert(0, parks.pop())
        if version % 3 == 2:
            parks[version % len(parks)] = {**parks[version % len(parks)], "rating": 10 + version, "note": f"seen {version}"}
        if version == 4:
            parks.pop(3)
        if version == 5:
            parks.insert(2, park(40))
        parks[-1] = {**parks[-1], "visitors": version * 1000}
        store.listsync("commit", "parks", "-", "-m", f"Change {version}", "--author", "Ann", "--title", "/Name",
                       "--at", f"2026-0{1 + version // 4}-{10 + version}", stdin=json.dumps(parks).encode())
    for version in range(11, 14):
        store.commit("parks", [park(n, seen=version) for n in range(12)])
    store.listsync("tag", "parks", "spring", "4")
    for version in range(4):
        store.commit("pruned", [park(n, version=version if n == 0 else 0) for n in range(5)])
    store.listsync("prune", "pruned", "--keep-last", "2", "--author", "Bob")
    store.commit("long", [park(n) for n in range(100_000)])
    films_of_two_scripts(store)


def programs_and_browsers(browser, server):
    status, headers, body = ask(f"{server.url}/")
    check_equal((status, headers["Content-Type"]), (404, "application/problem+json"), "a program's GET /")
    status, headers, body = ask(f"{server.url}/", Accept="text/html,*/*;q=0.8")
    check_equal((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"), "a browser's GET /")
    policy = headers["Content-Security-Policy"]
    check("default-src 'none'" in policy and "unsafe" not in policy, f"the policy is weak: {policy}")
    check("Accept" in headers["Vary"], "the answer varies with Accept")
    size = len(body) + sum(len(ask(f"{server.url}/page/{name}")[2]) for name in (
        "live.js", "page.js", "parts.js", "views.js", "rows.js", "charts.js", "elements.js", "exact.js", "listsync.js", "documents.js",
        "lists.js", "roots.js", "page.css", "icon.svg"))
    check(size < 195_000, f"the page has {size} bytes")
    with visit(browser, server.url) as one:
        loaded = []
        one.page.on("request", lambda request: loaded.append(request.url.rpartition("/")[2]))
        one.go("parks")
        check("item.js" not in loaded and "replay.js" not in loaded, "a view is loaded before it is shown")
        one.go("parks/item/park-00001")
        one.go("parks/replay")
        check("item.js" in loaded and "replay.js" in loaded, "a view is not loaded")
    say(f"browsers get the page ({size // 1000} kB in all, strict policy), programs a problem")


def lists_are_live(browser, server, store):
    store.commit("alive", [park(0)])
    with visit(browser, server.url) as one:
        page = one.page
        one.go("")
        row = page.locator("tr", has_text="alive")
        expect(row.locator("td").nth(1)).to_have_text("1")
        expect(page.locator("#status")).to_have_text("Live")
        expect(page.locator(".spark").first).to_be_visible()
        one.shot("lists")
        latest = 0
        for version in range(2, 5):
            store.commit("alive", [park(n, seen=version) for n in range(12)])
            returned = time.monotonic()
            expect(row.locator("td").nth(1)).to_have_text(str(version))
            latest = max(latest, time.monotonic() - returned)
        # Without the event, the page would ask after 15 s.
        check(latest < 10, f"a new version was shown {latest:.2f} s after its commit")
        say(f"a commit of another process is shown at most {latest:.2f} s after it returned")


def history_and_difference(browser, server):
    with visit(browser, server.url) as one:
        page = one.page
        one.go("parks")
        expect(page.locator("h1")).to_have_text("parks")
        expect(page.get_by_role("img", name="bars from version 1 to 13")).to_be_visible()
        expect(page.locator(".tag")).to_have_text("spring")
        page.get_by_role("button", name="Verify the whole history").click()
        expect(page.locator(".proof")).to_contain_text("13 versions and their chain verified")
        one.shot("history")
        expect(page.locator(".flag")).to_have_count(1)
        page.get_by_role("img", name="bars from version 1 to 13").hover(position={"x": 350, "y": 100})
        expect(page.locator(".tip")).to_contain_text("Version 5")
        expect(page.locator(".tip")).to_contain_text("Ann · “Change 4”")
        page.get_by_label("Versions", exact=True).fill("2")
        page.get_by_label("to", exact=True).fill("9")
        page.get_by_role("button", name="Zoom").click()
        expect(page.get_by_role("img", name="bars from version 2 to 9")).to_be_visible()
        check("from=2" in page.url and "to=9" in page.url, f"the range is not in the address: {page.url}")
        page.get_by_label("Compare from version 3").check()
        page.get_by_label("Compare to version 6").check()
        page.get_by_role("button", name="Compare the two selected").click()
        expect(page.locator("h1")).to_have_text("From version 3 to 6")
        record = json.loads(ask(f"{server.url}/v1/lists/parks/versions?before=7&limit=1")[2])[0]
        check_equal(one.proof(), record["root"], "the shown root")
        for kind in ("removed", "moved", "inserted", "updated"):
            check(page.locator(f".change.{kind}").count() > 0, f"no {kind} item in the difference")
        expect(page.locator(".slopes")).to_be_visible()
        one.shot("difference")
        page.get_by_label("within the whole list").check()
        expect(page.locator(".change.kept").first).to_be_visible()
        check("all=1" in page.url, "the whole list is not in the address")
        expect(page.locator(".summed-up summary")).to_contain_text("/visitors in ")
        expect(page.locator(".summed")).to_be_hidden()
        page.locator(".summed-up summary").click()
        # The table is made when the browser tells that it is open, some time after the click.
        expect(page.locator(".summed tbody tr").first).to_be_visible()
        one.shot("difference-members")
        one.shot("difference-whole")
        page.locator(".change.updated a").first.click()
        expect(page.get_by_role("heading", name="Every change")).to_be_visible()
        expect(page.locator(".timeline li").nth(1)).to_be_visible()
        one.shot("item")
        page.reload()
        expect(page.get_by_role("heading", name="Every change")).to_be_visible()
        expect(page.locator(".values").first).to_be_visible()
        one.go("parks/at/head")
        page.get_by_label("On", exact=True).fill("2026-01-12")
        expect(page.locator("h1")).to_have_text("parks at version 3")
        check("/at/2026-01-12" in page.url, "the date is not in the address")
        one.proof()
        one.go("pruned")
        expect(page.locator(".prunings")).to_contain_text("Versions 1 to 2 were pruned")
        expect(page.locator(".prunings")).to_contain_text("by Bob")
        expect(page.locator("path.pruned")).to_have_count(1)
        one.shot("pruned")
        for number, text in ((0, "before version 4"), (3, "none since version 3")):
            one.go(f"pruned/item/park-0000{number}")
            expect(page.locator(".facts")).to_contain_text(text)
        say("history, difference and item: everything is in the address, and proved")


def merged_versions(browser, server, store):
    """A version that merged two sides says so, and shows its message without the lines that are for programs."""
    def commit(ratings, *options):
        items = [park(n, **({"rating": ratings[n]} if n in ratings else {})) for n in range(3)]
        store.listsync("commit", "merged", "-", *options, stdin=json.dumps(items).encode())

    commit({})
    cursor = json.loads(ask(f"{server.url}/v1/lists/merged/versions?limit=1")[2])[0]["cursor"]
    commit({0: 10}, "--author", "Ann", "-m", "Rate the first")
    commit({1: 20}, "--author", "Bob", "-m", "Rate the second", "--base", cursor)
    commit({2: 30}, "--base", cursor)
    records = json.loads(ask(f"{server.url}/v1/lists/merged/versions?limit=4")[2])
    check_equal([f"Merge-Base: {cursor}" in (record["message"] or "") for record in records], [True, True, False, False], "versions that are merges")
    store.listsync("report", "merged", "-o", store.folder / "merged.html")
    with visit(browser, server.url) as one, visit(browser, f"file://{store.folder}") as other:
        other.page.goto(f"file://{store.folder}/merged.html#/merged")
        other.until("document.getElementById('main').dataset.shown === location.hash")
        one.go("merged")
        for page in (one.page, other.page):
            rows = page.locator(".versions tbody tr")
            expect(rows.locator(".tag")).to_have_text(["merged from 1", "merged from 1"])
            expect(rows.nth(0)).to_contain_text("Merge changes to version 1")
            expect(rows.nth(1)).to_contain_text("Bob Rate the second merged from 1")
            expect(rows.nth(2)).to_contain_text("Ann Rate the first")
        one.shot("merged")
        one.page.get_by_role("img", name="bars from version 1 to 4").hover(position={"x": 600, "y": 100})
        expect(one.page.locator(".tip")).to_contain_text("Bob · “Rate the second”")
        for address in ("merged", "merged/diff/2..3", "merged/item/park-00001", "merged/at/3", "merged/replay?at=3"):
            one.go(address)
            expect(one.page.locator("h1")).to_be_visible()
            expect(one.page.get_by_text("Loading…")).to_have_count(0)
            check("Merge-" not in one.page.locator("body").inner_text(), f"{address} shows the lines for programs")
        one.go("merged/diff/2..3")
        expect(one.page.locator(".change.updated")).to_have_count(1)
        one.shot("merged-difference")
    say("versions that merged two sides say so")


def differences_that_are_none(browser, server, store):
    """No change is said of two versions only if there is none: not of pruned versions, other names, or the newer one first."""
    for version in range(5):
        store.commit("trimmed", [park(n, version=version if n == 0 else 0) for n in range(5)])
    store.commit("once", [park(n) for n in range(3)])
    store.listsync("prune", "trimmed", "--keep-last", "3")
    with visit(browser, server.url) as one:
        page = one.page
        one.go("trimmed")
        expect(page.locator(".versions tbody th")).to_have_text(["5", "4", "3"])
        expect(page.locator(".versions tbody th a")).to_have_count(2)
        for range_ in ("2..3", "1..2", "3..3"):
            one.go(f"trimmed/diff/{range_}")
            expect(page.get_by_role("alert")).to_contain_text("the versions before 3 were pruned")
        one.go("trimmed/at/2")
        expect(page.get_by_role("alert")).to_contain_text("This version was pruned")
        one.go("trimmed/diff/3..4")
        expect(page.locator(".change.updated")).to_have_count(1)
        expect(page.get_by_role("navigation", name="Other versions").get_by_role("link")).to_have_text(["Newer →", "Items at 4"])
        one.go("trimmed/diff/5..3")
        expect(page.locator("h1")).to_have_text("From version 3 to 5")
        expect(page.locator(".change.updated")).to_have_count(1)
        one.go("trimmed/diff/spring..head")
        expect(page.get_by_role("alert")).to_contain_text("not of “spring”")
        one.go("once")
        page.get_by_role("link", name="Last change").click()
        expect(page.locator(".change.inserted")).to_have_count(3)
    say("what a pruned version changed is not said to be nothing")


def film(number, **more):
    return {"id": f"film-{number}", "title": f"Film {number}", "country": "US", "cast": [f"Actor {number + n}" for n in range(4)], "year": 1990 + number,
            "rating": {"press": number, "readers": 7}, **more}


def runs_of(places, count=None):
    """The runs of versions, newest first, of an item's index at each version: with a count, of those below it."""
    runs = []
    for version, index in enumerate(places, 1):
        if index is None or (count and index >= count):
            continue
        last = runs[-1] if runs else None
        if last and last["to"] == version - 1 and (count or last["index"] == index):
            last["to"], last["index"] = version, min(index, last["index"])
        else:
            runs.append({"from": version, "to": version, "index": index})
    return runs[::-1]


def places_over_time(browser, server, store):
    """The places of items are those in each whole list, by the API, by the page and by a report."""
    films, ids = [film(n) for n in range(12)], []
    for version in range(40):
        films.insert(version * 5 % 9, films.pop(version * 7 % 12))
        films[version % 11] = {**films[version % 11], "seen": version}
        if version == 15:
            films = [one for one in films if one["id"] != "film-5"]
        if version == 30:
            films.insert(3, film(5))
        while len(films) < 12:
            films.append(film(100 + version + len(films)))
        store.listsync("commit", "films", "-", "--at", f"2026-{1 + version // 20:02}-{1 + version % 20:02}", stdin=json.dumps(films).encode())
        ids.append([one["id"] for one in films])
    versions = len(json.loads(ask(f"{server.url}/v1/lists/films/versions?limit=1000")[2]))
    check_equal(versions, 40, "the versions")
    places = {id: [at.index(id) if id in at else None for at in ids] for id in {id for at in ids for id in at}}
    for id, expected in places.items():
        for query, count in (("", None), ("&first=3", 3)):
            runs = json.loads(ask(f"{server.url}/v1/lists/films/places?item={id}&limit=1000{query}")[2])
            check_equal([{name: run[name] for name in ("from", "to", "index")} for run in runs], runs_of(expected, count), f"the places of {id}")
    with visit(browser, server.url) as one:
        page = one.page
        one.go("films/item/film-5")
        drawn = page.locator(".places path.place").get_attribute("d")
        check_equal(drawn.count("H"), len(runs_of(places["film-5"])), "lines of the plot")
        # Where the item comes back, the line begins again.
        check_equal(drawn.count("M"), 2, "parts of the plot")
        expect(page.locator(".places figcaption")).to_contain_text("at every version")
        box = page.locator(".places .chart").bounding_box()
        for version in (1, 9, 15, 20, 31, 40):
            edge, room = 8, 960 - 2 * 8
            page.mouse.move(box["x"] + (edge + room * (version - 0.5) / 40) * box["width"] / 960, box["y"] + 60)
            index = places["film-5"][version - 1]
            expect(page.locator(".places .tip")).to_contain_text(f"Version {version} · " + ("not in the list" if index is None else f"at {index + 1} since"))
        count, run = next((count, run) for count in range(2, 12) for run in runs_of(places["film-5"], count) if run["from"] < run["to"] < 20)
        page.get_by_label("In the first").fill(str(count))
        expect(page.locator(".spans li")).to_have_count(len(runs_of(places["film-5"], count)))
        check(f"first={count}" in page.url, f"the number is not in the address: {page.url}")
        page.reload()
        spans = page.locator(".spans li")
        expect(spans.first).to_be_visible()
        expect(spans.filter(has_text=f"from version {run['from']} to {run['to']}, ")).to_contain_text(
            f"{run['to'] + 1 - run['from']} days: Jan {run['from']}, 2026 to Jan {run['to'] + 1}, 2026")
        one.shot("places")
        shown = texts_of(page.locator(".spans, .places figcaption"))
    store.listsync("report", "films", "-o", store.folder / "films.html")
    store.listsync("report", "films", "-o", store.folder / "later.html", "--since", "12")
    with visit(browser, f"file://{store.folder}") as one:
        for file in ("films", "later"):
            one.page.goto(f"file://{store.folder}/{file}.html#/films/item/film-5?first={count}")
            one.until("document.getElementById('main').dataset.shown === location.hash")
            line = one.page.locator(".places path.place").get_attribute("d")
            if file == "films":
                check_equal(line, drawn, "the plot of the report")
                check_equal(texts_of(one.page.locator(".spans, .places figcaption")), shown, "the places in the report")
            else:
                check_equal(line.count("H"), len(runs_of([None] * 11 + places["film-5"][11:])), "lines of the later report")
    say(f"the places of {len(places)} items at 40 versions are those of the whole lists")


def values_as_lists(browser, server, store):
    """Arrays and objects are lists; a row leaves out what all rows have alike."""
    films = [film(n) for n in range(8)]
    films[4]["cast"] = [f"Player {n}" for n in range(50)]
    films[5]["cast"] = [{"name": "Ann", "role": "self"}, {"name": "Bob", "role": None}]
    store.commit("casts", films)
    films[0]["cast"] = ["Actor 0", "Actor 9", "Actor 2", "Actor 3"]
    films[1]["cast"] = films[1]["cast"][::-1]
    films[4]["cast"] = ["First"] + films[4]["cast"][1:]
    films[6]["year"] = [1990, 1991]
    del films[7]["rating"]
    store.commit("casts", films)
    store.commit("alike", [film(n % 9, id=f"f{n}", country="FR" if n == 3 else "US", cast=[]) for n in range(400)])
    with visit(browser, server.url) as one:
        page = one.page
        one.go("casts/at/1")
        details = page.locator(".row .details")
        expect(details.nth(0)).to_have_text("cast Actor 0, Actor 1, Actor 2, Actor 3  ·  rating press 0, readers 7  ·  year 1990")
        expect(details.nth(5)).to_contain_text("cast (name Ann, role self), (name Bob, role null)")
        one.shot("values-rows")
        one.go("alike/at/head")
        expect(details.nth(2)).to_have_text("rating press 2, readers 7  ·  year 1992")
        # A row that differs from all others says so.
        expect(details.nth(3)).to_contain_text("country FR")
        one.go("casts/item/film-4")
        cast = page.locator(".now tr", has_text="cast").first.locator("> td > .listed > li")
        expect(cast).to_have_count(21)
        page.get_by_role("button", name="30 more").click()
        expect(cast).to_have_count(50)
        expect(cast.last).to_have_text("Player 49")
        check("[" not in page.locator(".now").inner_text(), "JSON is shown")
        expect(page.locator(".timeline .listed del")).to_have_text("Player 0")
        expect(page.locator(".timeline .listed ins")).to_have_text("First")
        expect(page.locator(".timeline .hint").first).to_have_text("49 the same")
        one.shot("values-item")
        one.go("casts/item/film-5")
        expect(page.locator(".now .listed .listed").first.locator("li")).to_have_text(["name: Ann", "role: self"])
        one.go("casts/diff/1..2")
        rows = page.locator(".change.updated")
        expect(rows.nth(0).locator("td").nth(1).locator("li")).to_have_text(["Actor 0", "Actor 9", "Actor 2", "Actor 3"])
        expect(rows.nth(0).locator("ins")).to_have_text("Actor 9")
        # Only the order differs.
        expect(rows.nth(1).locator("del")).to_have_count(4)
        expect(page.locator("tr", has_text="/rating").locator("td").nth(1)).to_have_text("none")
        expect(page.locator("tr", has_text="/year").locator("td").nth(1).locator("li")).to_have_text(["1990", "1991"])
        one.shot("values-difference")
    say("arrays and objects are shown as lists, and rows without what is the same in all of them")


LIST_COUNT = 2000


def many_lists(browser):
    """The first rows come with the first answer, and what is asked for does not grow with the number of lists."""
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="listsync-lists-", dir=memory) as folder, serving(Store(folder)) as server:
        begun = time.monotonic()
        sender = Sender(server)
        for n in range(LIST_COUNT):
            sender.put(f"/v1/lists/list-{n:04}", [{"id": "a"}], isNew=True)
        made = time.monotonic() - begun
        with visit(browser, server.url) as one:
            page, asked = one.page, []
            page.on("request", lambda request: asked.append(request.url.removeprefix(server.url)))
            begun = time.monotonic()
            one.go("")
            expect(page.locator("tbody tr").first).to_be_visible()
            first = time.monotonic() - begun
            expect(page.locator(".spark").first).to_be_visible()
            page.wait_for_timeout(1000)
            first_count = len([path for path in asked if path.startswith("/v1/")])
            check(first_count < 50, f"{first_count} requests for the first page of lists")
            one.shot("many-lists")
            expect(page.locator("tbody tr")).to_have_count(100)
            page.mouse.move(600, 500)
            page.mouse.wheel(0, 100_000)
            expect(page.locator("tbody tr").last.locator(".spark")).to_be_visible()
            page.get_by_role("link", name="Next page").click()
            expect(page.locator("tbody tr th").first).to_have_text("list-0100")
            page.get_by_label("Find lists").fill("list-177")
            expect(page.locator("tbody tr")).to_have_count(10)
            check("find=list-177" in page.url, "the search is not in the address")
            one.shot("many-lists-found")
            sender.put("/v1/lists/list-1775", [{"id": "a"}, {"id": "b"}])
            row = page.locator("tbody tr", has_text="list-1775")
            expect(row.locator("td").nth(1)).to_have_text("2")
            sender.put("/v1/lists/list-177x", [{"id": "a"}], isNew=True)
            expect(page.locator("tbody tr")).to_have_count(11)
            row.get_by_role("link").click()
            expect(page.locator("h1")).to_have_text("list-1775")
            expect(page.locator(".facts")).to_contain_text("Version\n2", use_inner_text=True)
            count = len([path for path in asked if path.startswith("/v1/")])
            check(count < 200, f"{count} requests in all")
        say(f"{LIST_COUNT:,} lists (made in {made:.0f} s): the first row after {first:.2f} s and {first_count} requests; {count} in all")


def long_lists(browser, server, store):
    with visit(browser, server.url) as one:
        page = one.page
        begun = time.monotonic()
        one.go("long/at/head")
        expect(page.locator(".row").first).to_be_visible()
        first = time.monotonic() - begun
        one.proof()
        check(page.locator(".row").count() < 60, "rows that are not visible are elements")
        page.locator(".rows").evaluate("rows => { rows.scrollTop = rows.scrollHeight; }")
        expect(page.locator(".row", has_text="park-99999")).to_be_visible()
        page.get_by_label("Find in the items").fill("park-0777")
        expect(page.get_by_text("10 items found")).to_be_visible()
        check("find=park-0777" in page.url, "the search is not in the address")
        one.shot("items")
        page.get_by_label("Find in the items").fill("")
        expect(page.get_by_text("items found")).to_have_count(0)
        page.locator(".rows").evaluate("rows => { rows.scrollTop = 0; }")
        store.listsync("edit", "long", "--from", "-", stdin=b'{"put":{"id":"park-00003","Name":"Renamed"}}\n')
        expect(page.locator('.row[data-mark="updated"]')).to_contain_text("Renamed")
        expect(page.locator("h1")).to_have_text("long at version 2")
        one.proof()
        say(f"100,000 items: shown {first:.2f} s after the address was opened; scrolled, searched, followed")


def items_follow_the_list(browser, server, store):
    """What is said beside the items of the newest version is of the version that is shown."""
    for version in range(2):
        store.commit("followed", [park(n, version=version) for n in range(3)])
    with visit(browser, server.url) as one:
        page = one.page
        one.go("followed/at/head")
        change, empty = page.get_by_role("link", name="Its change"), page.get_by_text("The list is empty at this version.")
        for version, items in ((3, [park(0)]), (4, []), (5, [park(1)])):
            store.listsync("commit", "followed", "-", "--max-removed", "none", stdin=json.dumps(items).encode())
            expect(page.locator("h1")).to_have_text(f"followed at version {version}")
            check_equal(change.get_attribute("href"), f"#/followed/diff/{version - 1}..{version}", "the change of the shown version")
            check_equal(empty.is_visible(), not items, f"whether version {version} is said to be empty")
            expect(page.locator(".row")).to_have_count(len(items))
    say("what is said beside the newest items follows them")


def finding_items(browser, server, store):
    """What a row shows is found, also what JSON or a compound id spells otherwise."""
    films = [{"title": 'The "best" of 5"', "year": 1990}, {"title": "C:\\films", "year": 1991}, {"title": "Plain", "year": 1992}]
    store.listsync("commit", "found", "-", "--id", "title", "--id", "year", stdin=json.dumps(films).encode())
    with visit(browser, server.url) as one:
        one.go("found/at/head")
        for text, title in (('"best" of 5"', films[0]["title"]), ("c:\\films", films[1]["title"]), ("plain · 1992", "Plain"), ('"plain"', "Plain")):
            one.page.get_by_label("Find in the items").fill(text)
            expect(one.page.get_by_text("1 item found")).to_be_visible()
            expect(one.page.locator(".row .what a")).to_have_text(title)
    say("items are found by what their rows show")


def a_search_and_a_link(browser, server, store):
    """A text that was typed just before a link was followed does not change the address of the next view."""
    store.commit("left", [park(n) for n in range(3)])
    with visit(browser, server.url) as one:
        one.go("left/at/head")
        one.page.evaluate("""() => {
          const find = document.getElementById('find');
          find.value = 'park';
          find.dispatchEvent(new Event('input'));
          document.querySelector('.row a').click();
        }""")
        expect(one.page.locator("h1")).to_have_text("Acadia")
        one.page.wait_for_timeout(300)
        check(one.page.url.endswith("#/left/item/park-00000"), f"the address of the item is {one.page.url}")
    say("the address is that of the shown view")


def earlier_dates(browser, server, store):
    """Versions whose dates go back are drawn inside of the chart, and replayed to the last one."""
    for version, date in enumerate(("2026-05-10", "2026-05-20", "2026-05-05", "2026-05-12")):
        store.listsync("commit", "back", "-", "--at", date, "--allow-earlier-date", stdin=json.dumps([park(0, version=version)]).encode())
    with visit(browser, server.url) as one:
        page = one.page
        one.go("back?by=date")
        places = page.evaluate("[...document.querySelectorAll('.history g rect')].map(bar => Number(bar.getAttribute('x')))")
        check(len(places) == 4 and all(0 < place < 960 for place in places), f"the bars are at {places}")
        check(places[2] < places[0] < places[3] < places[1], f"the bars are not in the order of their dates: {places}")
        expect(page.locator(".ends")).to_have_text("May 5, 2026May 20, 2026")
        one.go("back/replay?speed=time&at=2")
        page.get_by_role("button", name="Play").click()
        expect(page.locator("h1")).to_have_text("back at version 4")
    say("dates that go back stay in the chart and in the replay")


def mouse_buttons(browser, server, store):
    """Only a click with the first button, which began on the chart, opens a version."""
    for version in range(4):
        store.commit("clicked", [park(0, version=version)])
    with visit(browser, server.url) as one:
        one.go("clicked")
        chart = one.page.locator(".history .chart")
        chart.click(button="right")
        box = chart.bounding_box()
        one.page.mouse.move(box["x"] + 100, box["y"] - 20)
        one.page.mouse.down()
        one.page.mouse.move(box["x"] + 100, box["y"] + 50)
        one.page.mouse.up()
        check(one.page.url.endswith("#/clicked"), f"the chart has led to {one.page.url}")
        chart.click(position={"x": box["width"] - 120, "y": 100})
        expect(one.page.locator("h1")).to_have_text("Version 4")
    say("menus of the chart open no version")


def whole_changes(browser, server, store):
    """All changed members can be seen, and no character is cut into its two units."""
    names = ["mood 😀 x" + "😀" * 100, "😀" * 100 + "mood 😁 x" + "😀" * 100, "😀" * 150, "a😀b", "a🤀b", "ab", "ab😀"]
    for version, name in enumerate(names):
        items = [{"id": "a", "Name": name, "many": {f"m{n:03}": version for n in range(100)}}, {"id": "b", "Name": f"{version}" + "😀" * 300}]
        store.commit("whole", items if version % 2 else items[::-1])
    with visit(browser, server.url) as one:
        for address in ("whole/at/head", "whole/item/a", *(f"whole/diff/{n}..{n + 1}" for n in range(1, len(names)))):
            one.go(address)
            expect(one.page.locator("h1")).to_be_visible()
            cut = one.page.evaluate("""() => {
              const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), cut = [];
              while (texts.nextNode()) if (!texts.currentNode.data.isWellFormed()) cut.push(texts.currentNode.data);
              return cut;
            }""")
            check_equal(cut, [], f"cut characters in {address}")
        one.go("whole/diff/4..5")
        rows = one.page.locator(".change", has_text="a🤀b").locator(".members tbody tr")
        check_equal(rows.locator("del").first.inner_text() + rows.locator("ins").first.inner_text(), "😀🤀", "the marked characters")
        expect(rows).to_have_count(61)
        one.page.get_by_role("button", name="41 more").first.click()
        expect(rows).to_have_count(101)
        expect(rows.last).to_contain_text("/many/m099")
    say("every changed member can be seen, and every character is whole")


def long_and_short_histories(browser, server, store):
    """An item with more changes than an answer has, and one of which only the removal was not pruned."""
    sender, begun = Sender(server), time.time()
    sender.put("/v1/lists/busy", [park(0), park(1)], isNew=True)
    made = time.time()
    for version in range(1100):
        sender.put("/v1/lists/busy/items/park-00001", park(1, version=version))
    for version in range(4):
        store.commit("gone", [park(0, version=version)] + [park(1, seen="here")] * (version < 3))
    store.listsync("prune", "gone", "--keep-last", "2")
    with visit(browser, server.url) as one:
        page = one.page
        one.go("busy/item/park-00001")
        expect(page.locator(".facts")).to_contain_text("at least 1,000")
        days = page.evaluate("times => times.map(time => new Intl.DateTimeFormat('en', {dateStyle: 'medium', timeZone: 'UTC'}).format(time * 1000))",
                             [begun, made])
        expect(page.locator(".facts .fact").last).to_have_text(re.compile("First seen(" + "|".join(days) + ")"))
        expect(page.get_by_role("heading", name="The newest 1,000 changes")).to_be_visible()
        page.get_by_text("changed at least 1,000 times").click()
        expect(page.get_by_text("and 950 times before")).to_be_visible()
        # Its history is in groups of two versions.
        one.go("busy?from=12&to=18")
        expect(page.get_by_role("img", name="7 bars from version 12 to 18: 7 updated")).to_be_visible()
        expect(page.locator("p.sum")).to_contain_text("Versions 12 to 18")
        one.go("busy?from=12&to=1100")
        expect(page.locator("p.sum")).to_contain_text("Versions 12 to 1,101: ~ 1,090")
        one.go("gone/item/park-00001")
        expect(page.locator(".facts")).to_contain_text("removed in version 4")
        expect(page.locator("h1")).to_have_text("Arches")
        expect(page.locator(".now tr", has_text="seen")).to_contain_text("here")
    say("an item's changes are counted as far as they are known, and a removed item is shown as it was")


def places_in_views(browser, server, store):
    """A view begins at its top, and is where it was when it is come back to."""
    for version in range(2):
        store.commit("tall", [park(n, version=version) for n in range(400)])
    with visit(browser, server.url) as one:
        page = one.page
        one.go("tall/diff/1..2")
        expect(page.locator(".change.updated")).to_have_count(200)
        page.evaluate("window.scrollTo(0, 4000)")
        page.get_by_role("link", name="Glacier 115").click()
        expect(page.locator("h1")).to_have_text("Glacier 115")
        one.until("document.activeElement.tagName === 'H1' && scrollY === 0")
        page.evaluate("window.scrollTo(0, 50)")
        page.go_back()
        expect(page.locator(".change.updated")).to_have_count(200)
        one.until("scrollY > 3000")
        one.go("tall/at/2")
        page.locator(".rows").evaluate("rows => rows.scrollTo(0, 9000)")
        page.get_by_role("link", name="Acadia 210").click()
        expect(page.locator("h1")).to_have_text("Acadia 210")
        page.go_back()
        expect(page.get_by_role("link", name="Acadia 210")).to_be_visible()
    say("a view begins at its top, and comes back where it was")


def other_time_zones(browser, server, store):
    """A date that the page shows is that of the log, and finds the version."""
    for day in (10, 11):
        store.listsync("commit", "zoned", "-", "--at", f"2026-05-{day}T00:30:00Z", stdin=json.dumps([park(0, day=day)]).encode())
    for zone in ("America/Los_Angeles", "Pacific/Kiritimati"):
        with visit(browser, server.url, timezone_id=zone) as one:
            one.go("zoned")
            expect(one.page.locator(".versions time")).to_have_text(["May 11, 2026, 12:30 AM UTC", "May 10, 2026, 12:30 AM UTC"])
            one.go("zoned/item/park-00000")
            expect(one.page.locator(".facts")).to_contain_text("May 10, 2026")
            one.go("zoned/at/head")
            one.page.get_by_label("On", exact=True).fill("2026-05-10")
            expect(one.page.locator("h1")).to_have_text("zoned at version 1")
    say("dates are the same ones everywhere")


def paper(browser, server, store):
    """All items are printed, and no empty pages; those of a very long list up to a number, which is said."""
    store.commit("printed", [park(n) for n in range(100)])
    store.commit("too-long", [park(n) for n in range(3000)])
    with visit(browser, server.url) as one:
        page = one.page
        for list_, count, pages in (("printed", 100, 6), ("too-long", 2000, 120)):
            one.go(f"{list_}/at/head")
            page.evaluate("""() => {
              window.addEventListener('beforeprint', () => {
                window.told = [...document.querySelectorAll('.row .where')].map(place => place.textContent);
                window.more = document.querySelector('.canvas').innerText.split('\\n').pop();
              }, {once: true});
            }""")
            page.locator(".rows").evaluate("rows => rows.scrollTo(0, 3000)")
            made = page.pdf().count(b"/Type /Page\n")
            check(1 < made < pages, f"{count} items are printed on {made} pages")
            check_equal(page.evaluate("told"), [f"{n:,}" for n in range(1, count + 1)], "the printed items")
            check_equal(page.evaluate("more").startswith("and 1,000 more"), count == 2000, "what is said of the others")
            one.until("document.querySelectorAll('.row').length < 60")
            expect(page.locator(".row", has_text="Acadia 70")).to_be_visible()
    say("all items are printed")


def small_changes(browser, server, store):
    """Changes of spaces, and of strings that say what another value is, can be seen."""
    store.commit("small", [{"id": "a", "end": "Zion", "inner": "a b", "number": "5", "null": "null"}])
    store.commit("small", [{"id": "a", "end": "Zion ", "inner": "a  b", "number": 5, "null": None}])
    with visit(browser, server.url) as one:
        one.go("small/diff/1..2")
        rows = one.page.locator(".members tbody tr")
        for row in (rows.nth(0), rows.nth(1)):
            width = row.locator("ins").evaluate("mark => mark.getBoundingClientRect().width")
            check(width > 4, f"an added space is {width} pixels wide")
        check_equal([texts_of(rows.nth(n).locator("td")) for n in (2, 3)], [['"null"', "null"], ['"5"', "5"]], "a string and another value")
    say("small changes can be seen")


def replay(browser, server, store):
    items = [park(n) for n in range(19)]
    sender = Sender(server)
    for version in range(300):
        items.insert(version % 7, items.pop(7 + version % 12))
        sender.put("/v1/lists/replayed", items, isNew=version == 0)
    with visit(browser, server.url) as one:
        page = one.page
        one.go("replayed/replay")
        expect(page.locator("h1")).to_have_text("replayed at version 1")
        page.get_by_role("button", name="Play").click()
        one.until("document.querySelector('h1').textContent > 'replayed at version 15'")
        one.shot("replay")
        page.get_by_role("button", name="Pause").click()
        slider = page.get_by_label("Version")
        slider.focus()
        page.keyboard.press("End")
        expect(page.locator("h1")).to_have_text("replayed at version 300")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("h1")).to_have_text("replayed at version 299")
        one.until("location.hash.includes('at=299')")
        one.proof()
        frames = page.evaluate("""() => new Promise(resolve => {
          const rows = document.querySelector('.rows'); let n = 0; const begun = performance.now();
          const frame = () => {
            rows.dispatchEvent(new CustomEvent('scrub', {detail: (n * 37) % 300})); n += 1;
            if (performance.now() - begun < 2000) requestAnimationFrame(frame); else resolve(n / 2);
          };
          requestAnimationFrame(frame);
        })""")
        check(frames >= 15, f"scrubbing runs at {frames:.0f} frames per second")
        say(f"replay plays, pauses and scrubs by keyboard; {frames:.0f} frames per second while scrubbing")


def hostile_contents(browser, server, store):
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    items = [
        {"id": "<b>bold</b>", "Name": evil},
        {"id": "javascript:alert(3)", "Name": "javascript:alert(3)", "link": "javascript:alert(4)"},
        {"id": "bidi", "Name": "\u202egnp.exe\u2066 and \u05d0\u05d1\u05d2"},
        {"id": "../../?x=1#y&z=%00", "Name": "path", "__proto__": {"polluted": True}, "constructor": "c"},
        {"id": "ten-megabytes", "Name": "x" * 10_000_000},
    ]
    store.listsync("commit", "hostile", "-", "--author", evil, "-m", evil, stdin=json.dumps(items[:3]).encode())
    store.listsync("commit", "hostile", "-", "--author", "\u202e", "-m", evil, stdin=json.dumps(items).encode())
    with visit(browser, server.url) as one:
        page = one.page
        for address in ("hostile", "hostile/at/head", "hostile/diff/1..2", "hostile/replay", *(
                f"hostile/item/{quote(item['id'], safe='')}" for item in items)):
            one.go(address)
            expect(page.locator("h1")).to_be_visible()
            expect(page.get_by_text("Loading…")).to_have_count(0)
            check_equal(page.locator(".alarm, .notice").count(), 0, f"complaints about {address}")
            found = page.evaluate("""() => ({
              scripts: document.querySelectorAll('main script, main img, main iframe, main b').length,
              links: [...document.querySelectorAll('a')].filter(a => a.protocol === 'javascript:').length,
              polluted: ({}).polluted, longest: Math.max(...[...document.querySelectorAll('main *')]
                .map(e => [...e.childNodes].filter(c => c.nodeType === 3).reduce((n, c) => n + c.length, 0))),
              marks: /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)})""")
            check_equal((found["scripts"], found["links"], found.get("polluted"), found["marks"]), (0, 0, None, False),
                        f"what {address} made of hostile contents")
            check(found["longest"] < 5000, f"{address} shows a text of {found['longest']} characters")
        one.go("hostile/at/head")
        expect(page.get_by_text(evil[:30]).first).to_be_visible()
        one.shot("hostile")
        say("scripts, links, directions and 10 MB of text stay text")


LONG_NAME = "n" * 100


BEGINNING = "The National Monument of the Confederated Tribes and Bands of the "
CJK = "千と千尋の神隠し（宮崎駿監督作品・特別版）完全保存版コレクション"


def films_of_two_scripts(store):
    """Twelve versions of items whose titles have one long beginning; one moves and one is updated in each."""
    ends = ["Yakama Nation", "Warm Springs", "Colville (north)", "Colville (south)"]
    films = [{"id": f"m{n}", "title": BEGINNING + end, "year": 2000 + n} for n, end in enumerate(ends)]
    films += [{"id": f"c{n}", "title": f"{CJK}第{n}部", "year": 1990 + n} for n in range(4)]
    for version in range(12):
        films.insert(version * 5 % 7, films.pop(version * 3 % 8))
        films[version % 8] = {**films[version % 8], "rating": version}
        store.listsync("commit", "one-beginning", "-", "--author", "Ann of the Archive", "-m", f"Week {version}: what people watched in the cinemas",
                       "--title", "/title", stdin=json.dumps(films).encode())


NARROW = """() => {
  const seen = (element) => element.checkVisibility({contentVisibilityAuto: true, opacityProperty: true, visibilityProperty: true}) && !element.closest('.unseen, .skip');
  const all = [...document.querySelectorAll('body *')].filter(seen), faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  for (const element of all) {
    const style = getComputedStyle(element), box = element.getBoundingClientRect(), name = `${element.tagName}.${element.getAttribute('class')}`;
    if (/auto|scroll/.test(style.overflowX) && element.scrollWidth > element.clientWidth + 1) faults.push(`${name} scrolls sideways: ${element.scrollWidth} in ${element.clientWidth} px`);
    if (element.matches('input, button, select, summary, .tabs a') && Math.min(box.width, box.height) < 24) faults.push(`${name} has ${box.width} x ${box.height} px for a finger`);
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    if (!text) continue;
    const size = parseFloat(style.fontSize) * (element.ownerSVGElement ? element.getScreenCTM().a : 1);
    if (size < 11) faults.push(`“${text.slice(0, 30)}” has letters of ${size} px`);
    const range = document.createRange();
    range.selectNodeContents(element);
    const {left, right} = range.getBoundingClientRect();
    if ((left < -1 || right > innerWidth + 1) && style.textOverflow !== 'ellipsis') faults.push(`“${text.slice(0, 30)}” is from ${left} to ${right} px`);
  }
  return [...new Set(faults)];
}"""


def a_phone(browser, server, store):
    """On 390 pixels, each view fits, can be read and touched, and begins with its main fact."""
    store.commit("alone", [park(0)])
    with visit(browser, server.url, is_mobile=True, has_touch=True, reduced_motion="reduce") as one:
        page = one.page
        page.set_viewport_size({"width": 390, "height": 844})
        for name, address in (("lists", ""), ("history", "one-beginning"), ("by-date", "parks?by=date"), ("difference", "one-beginning/diff/3..9"),
                              ("whole", "one-beginning/diff/3..9?all=1"), ("items", "one-beginning/at/head"), ("replay", "one-beginning/replay?at=7"),
                              ("item", "one-beginning/item/c1"), ("one-version", "alone"), ("one-item", "alone/item/park-00000"), ("pruned", "pruned"), ("gone", "pruned/at/1")):
            one.go(address)
            expect(page.locator("h1")).to_be_visible()
            one.shot(f"phone-{name}")
            check_equal(page.evaluate(NARROW), [], f"/#/{address} on a phone")
            digits = page.locator(".digest")
            check(not any(one.is_visible() for one in digits.all()), f"the digits of a root come before the content of /#/{address}")
        one.go("one-beginning")
        row = page.locator(".versions tbody tr").first
        for part in (row.locator(".chip").first, row.locator("a").last, row.get_by_text("Week 11")):
            box = part.bounding_box()
            check(box["x"] >= 0 and box["x"] + box["width"] <= 390, f"a part of a version is at {box}")
        one.go("one-beginning/diff/3..9")
        check(page.locator(".change").first.bounding_box()["y"] < 844, "no change is on the first screen")
        page.locator(".proof summary").click()
        check_equal(len(one.proof()), 64, "digits of the root, when they are asked for")
        check_equal(page.evaluate(NARROW), [], "the digits on a phone")
        # The choice is kept for the next view.
        one.go("one-beginning/at/head")
        expect(page.locator(".digest")).to_be_visible()
    say("on a phone, every view fits, has letters and buttons of some size, and begins with its content")


def names_with_one_beginning(browser, server, store):
    """Names that differ at their ends look different, and none is wider than its place."""
    store.commit("long-beginning", [{"id": f"l{n}", "title": f"{BEGINNING * 5}😀 {n}"} for n in range(8)])
    with visit(browser, server.url) as one:
        for width in (390, 1200):
            one.page.set_viewport_size({"width": width, "height": 844})
            for address, names, count in (("one-beginning/at/head", ".row .what .short", 8), ("one-beginning/diff/11..12", ".slopes .short", 16),
                                          ("long-beginning/at/head", ".row .what .short", 8)):
                one.go(address)
                expect(one.page.locator(names)).to_have_count(count)
                shown = of_each(one.page.locator(names), """{
                  const place = one.closest('li, .what').getBoundingClientRect(), end = one.lastElementChild.getBoundingClientRect();
                  return [one.lastElementChild.textContent, end.left >= place.left && end.right <= place.right + 1];
                }""")
                check(all(fits for _, fits in shown), f"the ends of names are cut at {width} pixels: {shown}")
                check_equal(len({end for end, _ in shown}), 8, f"names that look different at {width} pixels")
    say("names with one beginning look different, in every script")


def scales_and_lines(browser, server, store):
    """Bars have a scale, lines of kept items are seen in light and dark, and forced colours keep what colours tell."""
    contrast = """([line, ground]) => {
      const light = (element, name) => getComputedStyle(document.querySelector(element))[name].match(/[\d.]+/g).slice(0, 3)
        .map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
        .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0.05);
      const [a, b] = [light(line, 'stroke'), light(ground, 'backgroundColor')];
      return Math.max(a, b) / Math.min(a, b);
    }"""
    for scheme in ("light", "dark"):
        with visit(browser, server.url, color_scheme=scheme) as one:
            one.go("one-beginning/diff/11..12")
            kept = one.page.evaluate(contrast, [".slopes path:not(.moved, .moved *)", ".slopes"])
            check(kept >= 3, f"lines of kept items have a contrast of {kept:.1f} ({scheme})")
            one.go("one-beginning")
            scales = one.page.locator(".history .scale")
            expect(scales.first).to_have_text("80")
            expect(scales.last).to_have_text("8")
            expect(one.page.locator(".history figcaption")).to_contain_text("Changes (bars, left)")
            bars = of_each(one.page.locator(".history g"), "one.getBoundingClientRect().height")
            scale = scales.first.bounding_box()
            check(bars[0] > 0.85 * scale["height"] and abs(bars[1] / bars[0] - 2 / 8) < 0.02, f"bars of 8 and 2 changes have {bars[:2]} pixels")
    for scheme in ("light", "dark"):
        with visit(browser, server.url, color_scheme=scheme, forced_colors="active") as one:
            one.go("one-beginning")
            swatches = of_each(one.page.locator(".history .key"), "getComputedStyle(one, '::before').backgroundColor")
            check_equal(len(set(swatches)), 5, f"colours of the five swatches: {swatches}")
            one.shot(f"forced-{scheme}")
            one.go("one-beginning/replay?at=9")
            rows = of_each(one.page.locator(".row"), "getComputedStyle(one).backgroundColor")
            check_equal(len(set(rows)), 3, f"grounds of kept, moved and updated rows: {rows}")
    say("bars have a scale, kept lines are seen, and forced colours keep swatches and marks")


def short_rows(browser, server, store):
    """A change of one number takes little room, an empty list too; what was pruned cannot be tried again."""
    for count in (1, 2):
        store.commit("counted", [park(n, count=count * n) for n in range(1, 30)])
    store.commit("emptied", [park(0)])
    store.listsync("commit", "emptied", "-", "--max-removed", "none", stdin=b"[]")
    with visit(browser, server.url) as one:
        page = one.page
        one.go("counted/diff/1..2")
        height = page.locator(".change").first.bounding_box()["height"]
        check(height < 70, f"a change of one number takes {height} pixels")
        expect(page.locator(".change").first.locator("del, ins")).to_have_text(["1", "2"])
        for address in ("emptied/at/2", "emptied/replay?at=2"):
            one.go(address)
            expect(page.get_by_text("The list is empty at this version.")).to_be_visible()
            check(page.locator(".rows").bounding_box()["height"] < 100, f"the box of an empty list takes {page.locator('.rows').bounding_box()['height']} pixels")
        one.go("counted/at/2")
        page.get_by_label("Find in the items").fill("absent")
        expect(page.get_by_text("No item has this text.")).to_be_visible()
        for address in ("pruned/at/1", "pruned/diff/1..2"):
            one.go(address)
            expect(page.get_by_role("alert")).to_contain_text("pruned")
            expect(page.get_by_role("button", name="Try again")).to_have_count(0)
            page.get_by_role("link", name="Versions of pruned").click()
            expect(page.locator(".versions tbody tr")).to_have_count(2)
        one.go("absent")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        expect(page.get_by_role("link", name="Versions of")).to_have_count(0)
    say("small changes and empty lists take little room, and a pruned version leads to those that are kept")


def a_replay_in_sight(browser, server, store):
    """A row that changes is scrolled to, unless one is in sight already."""
    rows = [park(n) for n in range(300)]
    for version, place in enumerate((0, 250, 100, 103, 5, 299, 140)):
        rows[place] = {**rows[place], "seen": version}
        store.commit("far", rows)
    store.commit("far", rows[:20] + rows[21:])
    with visit(browser, server.url) as one:
        page = one.page
        one.go("far/replay?at=2")
        mark = "document.querySelector('.row[data-mark]')?.getBoundingClientRect().top - document.querySelector('.rows').getBoundingClientRect().top"
        slider = page.get_by_label("Version")
        slider.focus()
        for version in range(2, 8):
            expect(page.locator("h1")).to_have_text(f"far at version {version}")
            expect(page.locator(".row[data-mark]")).to_have_count(1)
            inside = f"({mark}) >= 0 && ({mark}) + 44 <= document.querySelector('.rows').clientHeight + 1"
            check(page.evaluate(inside), f"the row that changes in version {version} is at {page.evaluate(mark)} pixels")
            page.keyboard.press("ArrowRight")
        expect(page.locator("h1")).to_have_text("far at version 8")
        expect(page.get_by_role("link", name="Acadia 20", exact=True)).to_have_count(0)
        expect(page.get_by_role("link", name="Arches 21", exact=True)).to_be_visible()
        one.go("far/replay?at=3")
        page.locator(".rows").evaluate("rows => rows.scrollTo(0, rows.scrollTop + 60)")
        before = page.locator(".rows").evaluate("rows => rows.scrollTop")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("h1")).to_have_text("far at version 4")
        check_equal(page.locator(".rows").evaluate("rows => rows.scrollTop"), before, "the place of rows of which the changed one is in sight")
    say("a replay scrolls to the rows that change")


def focus_stays(browser, server, store):
    """The focus does not fall to the page when its element goes."""
    store.commit("focused", [park(n, many=[f"p{m}" for m in range(60)]) for n in range(600)])
    store.commit("focused", [park(n, many=[f"p{m}" for m in range(60)], seen=True) for n in range(600)])
    focus = "document.activeElement.tagName + '.' + document.activeElement.className"
    with visit(browser, server.url) as one:
        page = one.page
        one.go("focused/at/head")
        page.get_by_role("link", name="Arches", exact=True).focus()
        page.locator(".rows").evaluate("rows => rows.scrollTo(0, 9000)")
        expect(page.get_by_role("link", name="Arches", exact=True)).to_have_count(0)
        check_equal(page.evaluate(focus), "DIV.rows", "the focus, when the row has scrolled away")
        one.go("focused/diff/1..2")
        page.get_by_role("button", name="Show more of 600").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".change")).to_have_count(600)
        check_equal(page.evaluate("[...document.querySelectorAll('.change')].indexOf(document.activeElement)"), 200, "the change with the focus")
        one.go("focused/item/park-00001")
        page.get_by_role("button", name="40 more").first.focus()
        page.keyboard.press("Enter")
        check_equal(page.evaluate("document.activeElement.textContent"), "p20", "what has the focus after the button for more")
        one.go("focused")
        page.get_by_role("button", name="Verify the whole history").focus()
        page.keyboard.press("Enter")
        expect(page.locator(".proof")).to_contain_text("2 versions and their chain verified")
        check(page.evaluate("document.querySelector('.facts').contains(document.activeElement)"), f"after the verification, the focus is on {page.evaluate(focus)}")
    say("the focus stays near when its element goes")


def odd_names(browser, server, store):
    """Ids that are steps in a path, names of 100 letters, and characters that cannot be seen."""
    items = [{"id": "..", "Name": "up"}, {"id": ".", "Name": "here"}, {"id": "zero", "Name": "a\u200bb"}, {"id": "family", "Name": "👨\u200d👩\u200d👧 ❤\ufe0f"},
             {"id": LONG_NAME, "Name": LONG_NAME, LONG_NAME: LONG_NAME}, {"id": "\u2060", "Name": "\u3164"}]
    store.listsync("commit", LONG_NAME, "-", "--author", LONG_NAME, "-m", LONG_NAME, stdin=json.dumps(items[:2]).encode())
    store.listsync("commit", LONG_NAME, "-", stdin=json.dumps(items).encode())
    store.listsync("tag", LONG_NAME, LONG_NAME, "2")
    like = LONG_NAME[1:] + "m"
    store.listsync("commit", like, "-", stdin=b'[{"id":"a"}]')
    with visit(browser, server.url) as one:
        page = one.page
        for id, name in ((".", "here"), ("..", "up"), ("zero", "a‹U+200B›b"), ("\u2060", "‹U+3164›"), ("family", items[3]["Name"])):
            one.go(f"{LONG_NAME}/at/head")
            page.locator(".row a", has_text=name).click()
            expect(page.locator("h1")).to_have_text(name)
            expect(page.locator(".timeline li")).to_have_count(1)
            check(page.url.endswith(f"/item/{quote(id, safe='')}"), f"the id is not in the address: {page.url}")
        for width, size in ((1200, "wide"), (380, "narrow")):
            page.set_viewport_size({"width": width, "height": 860})
            for what, address in (("lists", ""), ("history", LONG_NAME), ("items", f"{LONG_NAME}/at/2"), ("difference", f"{LONG_NAME}/diff/1..2"),
                                  ("item", f"{LONG_NAME}/item/{LONG_NAME}"), ("replay", f"{LONG_NAME}/replay")):
                one.go(address)
                expect(page.locator("h1")).to_be_visible()
                over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                check(over <= 0, f"/#/{address} is {over} pixels wider than a {size} screen")
                hidden = page.evaluate("""() => [...document.querySelectorAll('.scroller')].map(e => e.scrollWidth - e.clientWidth)""")
                check(size == "narrow" or all(over <= 0 for over in hidden), f"columns of /#/{address} are pushed out by {hidden} pixels")
                one.shot(f"long-names-{size}-{what}")
                names = page.locator(".lists th[scope=row] a, .row .what a")
                check(all(name.bounding_box()["width"] > 60 for name in names.all() if len(name.inner_text()) > 50),
                      f"the names of /#/{address} have no room on a {size} screen")
        one.go("")
        check_equal(page.locator("tr a", has_text=LONG_NAME).get_attribute("title"), LONG_NAME, "the whole name")
        page.set_viewport_size({"width": 1200, "height": 860})
        for name in (LONG_NAME, like):
            link = page.locator("tr a", has_text=name)
            hidden = link.evaluate("e => [e.scrollHeight - e.clientHeight, e.scrollWidth - e.clientWidth]")
            check(max(hidden) <= 1, f"{hidden} pixels of a name of 100 letters are hidden")
    say("ids like steps of a path open; long names stay in their columns; what cannot be seen is marked")


BIG, BIGGER = "12345678901234567892", "12345678901234567893"
"""Numbers that are equal as doubles."""
LONG = "0." + "1234567890" * 60


def exact_numbers(browser, server, store):
    """Every digit is shown, by the server's page and by a report; a difference that doubles cannot tell names its member."""
    for big, huge, end in ((BIG, "1e400", "1"), (BIGGER, "1e401", "2"), (BIG, "-1e400", "3")):
        item = f'{{"id":"n","big":{big},"huge":{huge},"in":{{"a":[{big}]}},"long":{LONG}{end},"price":0.12345{end}}}'
        store.listsync("commit", "numbers", "-", stdin=f"[{item}]".encode())
    store.listsync("commit", "titled", "-", "--title", "/big", stdin=f'[{{"id":"n","big":{BIG}}}]'.encode())
    store.listsync("report", "numbers", "-o", store.folder / "numbers.html")
    store.listsync("report", "titled", "-o", store.folder / "titled.html")
    with visit(browser, server.url) as one:
        exact_numbers_in(one, lambda address: one.go(address))
        one.shot("exact-numbers")
    with visit(browser, f"file://{store.folder}") as one:
        def go(address):
            one.page.goto(f"file://{store.folder}/{address.partition('/')[0]}.html#/{address}")
            one.until("document.getElementById('main').dataset.shown === location.hash")
        exact_numbers_in(one, go)
    say("numbers beyond doubles are shown with every digit, and their differences by name")


def exact_numbers_in(one, go):
    page = one.page
    go("titled/at/head")
    expect(page.locator(".row .what a")).to_have_text(BIG)
    go("numbers/at/2")
    expect(page.locator(".row .details")).to_contain_text(f"big {BIGGER}  ·  huge 1e+401  ·  in a ({BIGGER})")
    go("numbers/replay?at=2")
    expect(page.locator(".row .details")).to_contain_text(f"big {BIGGER}")
    go("numbers/diff/1..2")
    rows = page.locator(".change.updated .members tbody tr")
    check_equal(texts_of(rows.locator("th")), ["/big", "/huge", "/in/a", "/long", "/price"], "the changed members")
    check_equal([texts_of(row.locator("td")) for row in rows.all()][:3],
                [[BIG, BIGGER], ["1e+400", "1e+401"], [BIG, BIGGER]], "their values")
    check_equal(texts_of(rows.nth(3).locator("del, ins")), ["1", "2"], "what differs in a long number")
    go("numbers/item/n")
    expect(page.locator(".now tr", has_text="huge").first.locator("> td > .foreign")).to_have_text("-1e+400")
    expect(page.locator(".now tr", has_text="big").first.locator("> td > .foreign")).to_have_text(BIG)
    expect(page.get_by_role("img", name=f"3 values from version 1 to 3, the last is {BIG}", exact=True)).to_be_visible()
    expect(page.locator(".now tr", has_text="price").first.locator("figcaption")).to_have_text("0.123451 to 0.123453")
    check_equal(page.locator(".values path.count").count(), 1, "lines of numbers that a drawing can tell apart")
    check_equal(texts_of(page.locator(".timeline li").first.locator("tr").nth(1).locator("td")), [BIGGER, BIG], "the newest change")


def a_report(browser, server, store):
    """A page in one file, opened from a disk, while there is no server for it."""
    store.listsync("report", "parks", "-o", store.folder / "parks.html")
    store.listsync("report", "parks", "-o", store.folder / "part.html", "--since", "3", "--to", "8")
    page_bytes = (store.folder / "parks.html").read_bytes()
    # A report and the server's page show the same, though one gets its answers from a bundle.
    parts = ".changes, .rows, .timeline, table.versions, .sum, .facts, .values, .places, .spans"
    shown_by_server = {}
    with visit(browser, server.url) as one:
        one.expected = ["404"]
        for address in ("parks", "parks?from=3&to=9", "parks/diff/3..6", "parks/diff/0..13", "parks/diff/6..9?all=1", "parks/at/4",
                        "parks/replay?at=5", "parks/item/park-00001", "parks/item/park-00040", "parks/item/absent"):
            one.go(address)
            shown_by_server[address] = texts_of(one.page.locator(parts))
    with visit(browser, f"file://{store.folder}", offline=True) as one:
        page = one.page
        asked = []
        page.on("request", lambda request: asked.append(request.url))

        def go(address, file="parks.html"):
            page.goto(f"file://{store.folder}/{file}#/{address}")
            one.until("document.getElementById('main').dataset.shown === location.hash")

        go("")
        expect(page.locator("h1")).to_have_text("parks")
        head = json.loads(store.listsync("log", "parks", "--json").split(b"\n")[1].rstrip(b","))
        expect(page.locator("#status")).to_have_text(f"Verified: 13 versions to {head['cursor']}")
        check_equal(one.proof(), head["root"], "the shown root")
        expect(page.locator(".tag")).to_have_text("spring")
        expect(page.locator(".history .chart")).to_be_visible()
        one.shot("report-history")
        for address, texts in shown_by_server.items():
            go(address)
            shown = texts_of(page.locator(parts))
            if address.startswith("parks?") or address == "parks":
                # The report has verified the whole history before.
                cut = [[text.split("\nProof")[0] for text in one] for one in (shown, texts)]
                check_equal(*cut, f"/#/{address} in the report")
            else:
                check_equal(shown, texts, f"/#/{address} in the report")
        go("parks/diff/3..6")
        expect(page.locator("h1")).to_have_text("From version 3 to 6")
        shown = [page.locator(f".change.{kind}").count() for kind in ("removed", "moved", "inserted", "updated")]
        delta = json.loads(store.listsync("delta", "parks", "--since", "3", "--to", "6"))
        moved = {change["id"] for change in delta["moved"]}
        check_equal(shown, [len(delta["removed"]), len(moved), len(delta["inserted"]),
                            len([change for change in delta["updated"] if change["id"] not in moved])], "the shown changes")
        one.proof()
        one.shot("report-difference")
        for revision, version in (("4", 4), ("spring", 4), ("head", 13), ("2026-01-12", 3)):
            go(f"parks/at/{revision}")
            expect(page.locator("h1")).to_have_text(f"parks at version {version}")
            one.proof()
        page.get_by_label("Find in the items").fill("park-00001")
        expect(page.get_by_text("1 item found")).to_be_visible()
        go("parks/replay?at=2")
        page.get_by_role("button", name="Play").click()
        expect(page.locator("h1")).to_have_text("parks at version 13")
        one.proof()
        go("parks/item/park-00001")
        history = json.loads(ask(f"{server.url}/v1/lists/parks/items/park-00001/history")[2])
        expect(page.locator(".timeline li")).to_have_count(len(history))
        one.shot("report-item")
        go("", "part.html")
        expect(page.get_by_role("img", name="bars from version 3 to 8")).to_be_visible()
        go("parks/diff/3..8", "part.html")
        one.proof()
        go("parks/at/2", "part.html")
        expect(page.get_by_role("alert")).to_contain_text("There is no such version")
        check(all(url.startswith(("file:///", "blob:", "data:")) and url.split("#")[0].endswith(".html") for url in asked),
              f"a report asks for {asked}")
    a_damaged_report(browser, store, page_bytes)
    a_hostile_report(browser, store)
    say(f"a report of {len(page_bytes) // 1000} kB shows every view from a disk, verified, and asks for nothing")


def with_damage(packed, place):
    """The bytes with one bit of another value, at the first bit from `place` on that matters.

    Some bits of a gzip file carry nothing, as those that fill up the last byte before its checksum."""
    for bit in range(place * 8, len(packed) * 8):
        damaged = bytearray(packed)
        damaged[bit // 8] ^= 1 << bit % 8
        try:
            if gzip.decompress(damaged) != gzip.decompress(packed):
                return damaged
        except (OSError, EOFError, zlib.error):
            return damaged
    raise AssertionError("no bit matters")


def a_damaged_report(browser, store, page_bytes):
    start = page_bytes.index(b'id="bundle">') + 12
    end = page_bytes.index(b"<", start)
    whole = base64.b64decode(page_bytes[start:end])
    for n, place in enumerate((0, len(whole) // 3, len(whole) // 2, len(whole) - 8)):
        damaged = page_bytes[:start] + base64.b64encode(with_damage(whole, place)) + page_bytes[end:]
        (store.folder / "damaged.html").write_bytes(damaged)
        with visit(browser, f"file://{store.folder}") as one:
            one.page.goto(f"file://{store.folder}/damaged.html#/parks/at/head")
            expect(one.page.get_by_role("alert")).to_contain_text("The proof failed")
            expect(one.page.locator("#status")).to_have_text("Not verified")
            check_equal((one.page.locator(".proof").count(), one.page.locator(".row").count()), (0, 0), "what is shown beside the alarm")
            if n == 2:
                one.shot("report-damaged")
    # A changed script does not run, so the text that was there before stays.
    damaged = page_bytes.replace(b"async function open()", b"async function opeN()", 1)
    check(damaged != page_bytes, "the script has no such function")
    (store.folder / "damaged.html").write_bytes(damaged)
    with visit(browser, f"file://{store.folder}") as one:
        one.expected = ["Content Security Policy"]
        one.page.goto(f"file://{store.folder}/damaged.html")
        expect(one.page.locator("h1")).to_have_text("Not verified yet")
        one.page.wait_for_timeout(300)
        check_equal(one.page.locator(".proof").count(), 0, "seals")


def a_hostile_report(browser, store):
    evil = "</script><script>alert(1)</script><!--<script>"
    items = [{"id": evil, "Name": evil}, {"id": "{{SCRIPT}}", "Name": "{{BUNDLE}}"}]
    store.listsync("commit", "evil", "-", "--author", evil, "-m", evil, "--title", f"/{evil.replace('/', '~1')}",
                   stdin=json.dumps(items).encode())
    store.listsync("report", "evil", "-o", store.folder / "evil.html")
    with visit(browser, f"file://{store.folder}") as one:
        for address in ("", "evil/at/head", "evil/diff/0..1", f"evil/item/{quote(evil, safe='')}"):
            one.page.goto(f"file://{store.folder}/evil.html#/{address}")
            one.until("document.getElementById('main').dataset.shown === location.hash")
            check_equal(one.page.locator(".alarm, .notice").count(), 0, f"complaints about {address}")
            check_equal(one.page.locator("script").count(), 3, "scripts")


REAL_LISTS = (
    ("movies-top250", ["--id", "imdb_url"], 40), ("regions", ["--id", "id"], 20),
    ("movies-wikipedia", ["--id", "title", "--id", "year", "--duplicates", "keep-first"], 3))


def real_lists(browser, server, store):
    """The differences that the page shows are those that an independent program counted."""
    data = ROOT.parent / "shared/data"
    if not data.is_dir():
        return say(f"SKIPPED the real lists: {data} is not there")
    for name, options, most in REAL_LISTS:
        truth = json.loads((data / name / "truth.json").read_text("utf-8"))
        numbers = {}
        with tempfile.TemporaryDirectory() as folder, tarfile.open(data / name / "versions.tar.xz") as archive:
            archive.extractall(folder, filter="data")
            for version in truth["versions"][:most]:
                answer = store.listsync("commit", name, f"{folder}/versions/{version['file']}", *options, "--json")
                numbers[version["version"]] = json.loads(answer)["head"]["version"]
        pairs = [pair for pair in truth["pairs"] if pair["from"] < pair["to"] and pair["to"] <= most]
        pairs = sorted(pairs, key=lambda pair: -pair["moved"])[:3] + pairs[-2:]
        with visit(browser, server.url) as one:
            page = one.page
            one.go(name)
            page.get_by_role("button", name="Verify the whole history").click()
            count = max(numbers.values())
            expect(page.locator(".proof")).to_contain_text(f"{count} versions and their chain", timeout=60000)
            one.shot(f"real-{name}")
            for pair in pairs:
                one.go(f"{name}/diff/{numbers[pair['from']]}..{numbers[pair['to']]}")
                one.proof()
                chips = [chip.get_attribute("title") for chip in page.locator(".sum .chip").all()]
                shown = {kind: int(text.replace(",", "")) for text, kind in (chip.split() for chip in chips)}
                expected = {kind: pair[kind] for kind in ("removed", "moved", "inserted", "updated") if pair[kind]}
                check_equal(shown, expected, f"{name} from {pair['from']} to {pair['to']}")
            one.go(f"{name}/at/head")
            one.proof()
            page.locator(".row a").first.click()
            expect(page.locator(".facts")).to_contain_text("In the list")
            one.go(f"{name}/replay?at={count}")
            expect(page.locator("h1")).to_have_text(f"{name} at version {count}", timeout=60000)
            one.proof()
        store.listsync("report", name, "-o", store.folder / "real.html", "--force")
        with visit(browser, f"file://{store.folder}") as one:
            one.page.goto(f"file://{store.folder}/real.html")
            expect(one.page.locator("#status")).to_contain_text(f"Verified: {count} versions", timeout=60000)
    say(f"{', '.join(name for name, *_ in REAL_LISTS)}: differences as counted elsewhere; every view and a report verified")


class Sender:
    """Sends commits over one connection."""

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port)

    def put(self, path, content, isNew=False):
        self.connection.request("PUT", path, json.dumps(content), {"If-None-Match": "*"} if isNew else {"If-Match": "*"})
        answer = self.connection.getresponse()
        body = answer.read()
        check(answer.status in (200, 201), f"PUT {path}: {answer.status} {body[:300]}")


SCRUB = """seconds => new Promise(resolve => {
  const rows = document.querySelector('.rows'); const count = Number(document.querySelector('#scrub').max) + 1;
  let n = 0; let longest = 0; const begun = performance.now(); let last = begun;
  const frame = now => {
    rows.dispatchEvent(new CustomEvent('scrub', {detail: (n * 37) % count}));
    n += 1; longest = Math.max(longest, now - last); last = now;
    if (now - begun < 1000 * seconds) requestAnimationFrame(frame); else resolve([1000 * n / (now - begun), longest]);
  };
  requestAnimationFrame(frame);
})"""
SCROLL = """seconds => new Promise(resolve => {
  const rows = document.querySelector('.rows'); const way = rows.scrollHeight - rows.clientHeight;
  let n = 0; let longest = 0; let most = 0; const begun = performance.now(); let last = begun;
  const frame = now => {
    rows.scrollTop = way * Math.abs(Math.sin((now - begun) / 1500));
    n += 1; longest = Math.max(longest, now - last); last = now; most = Math.max(most, rows.querySelectorAll('.row').length);
    if (now - begun < 1000 * seconds) requestAnimationFrame(frame); else resolve([1000 * n / (now - begun), longest, most]);
  };
  requestAnimationFrame(frame);
})"""
MEMORY = "() => (globalThis.gc?.(), performance.memory.usedJSHeapSize / 1e6)"


def figures(browser):
    """Times and memory, printed. What does not depend on the machine is checked: rows that are elements."""
    def first_view(one, address, selector):
        begun = time.monotonic()
        one.page.goto(f"{one.url}/#/{address}")
        one.page.locator(selector).first.wait_for(timeout=120000)
        return time.monotonic() - begun

    def report(browser, store, name, *options):
        file = store.folder / f"{name}.html"
        answer = json.loads(store.listsync("report", name, "-o", file, "--json", *options))
        with visit(browser, f"file://{store.folder}") as one:
            begun = time.monotonic()
            one.page.goto(f"file://{file}")
            expect(one.page.locator("#status")).to_contain_text("Verified: ", timeout=120000)
            say(f"its report: {answer['bytes'] / 1e6:.1f} MB, verified after {time.monotonic() - begun:.2f} s; "
                f"{one.page.evaluate(MEMORY):.0f} MB")

    with fresh_store() as store, serving(store) as server:
        sender = Sender(server)
        store.commit("long", [park(n) for n in range(100_000)])
        for n in range(999):
            sender.put(f"/v1/lists/long/items/park-{n * 97 % 100_000:05}", park(n * 97 % 100_000, visits=n))
        for what, address, selector in (("history", "long", ".history .chart"), ("items", "long/at/head", ".proof .digest"),
                                        ("difference of two versions", "long/diff/500..501", ".proof .digest")):
            times = []
            for _ in range(5):
                with visit(browser, server.url) as one:
                    times.append(first_view(one, address, selector))
                    memory = one.page.evaluate(MEMORY)
                    check(one.page.locator(".row").count() < 60, "rows that are not visible are elements")
            say(f"100,000 items, 1,000 versions: {what} after {statistics.median(times):.2f} s "
                f"({min(times):.2f} to {max(times):.2f}); {memory:.0f} MB")
        report(browser, store, "long")
        items = [park(n) for n in range(19)]
        for version in range(2500):
            items.insert(version % 7, items.pop(7 + version % 12))
            items[version % 19] = {**items[version % 19], "seen": version}
            sender.connection.request("PUT", "/v1/lists/replayed", json.dumps(items), {"If-Match": "*"} if version else {"If-None-Match": "*"})
            sender.connection.getresponse().read()
        with visit(browser, server.url) as one:
            seconds = first_view(one, "replayed/replay", ".row")
            frames, longest = one.page.evaluate(SCRUB, 10)
            say(f"2,500 versions of 19 items: replay after {seconds:.2f} s; scrubbing {frames:.0f} frames per second, "
                f"longest frame {longest:.0f} ms; {one.page.evaluate(MEMORY):.0f} MB")
        store.commit("million", [park(n) for n in range(1_000_000)])
        with visit(browser, server.url) as one:
            seconds = first_view(one, "million/at/head", ".proof .digest")
            frames, longest, most = one.page.evaluate(SCROLL, 10)
            check(most < 60, f"{most} rows are elements")
            say(f"1,000,000 items: shown after {seconds:.2f} s; scrolling {frames:.0f} frames per second, longest frame "
                f"{longest:.0f} ms, at most {most} rows are elements; {one.page.evaluate(MEMORY):.0f} MB")
        store.listsync("report", "million", "-o", store.folder / "million.html", status=1)
        report(browser, store, "million", "--force")


class SpoilingProxy(http.server.BaseHTTPRequestHandler):
    """Passes everything on, and changes one letter in the contents of deltas."""
    target = ""
    spoils = True

    def do_GET(self):
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "accept-encoding")}
        status, headers, body = ask(self.target + self.path, **headers)
        if self.spoils and "/delta" in self.path:
            body = body.replace(b"Arches", b"Arhces")
        self.send_response(status)
        for name in ("Content-Type", "ETag", "Cache-Control", "Content-Security-Policy"):
            if headers[name]:
                self.send_header(name, headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *arguments):
        pass


def spoiled_answers(browser, server):
    SpoilingProxy.target = server.url
    proxy = Threads(("127.0.0.1", 0), SpoilingProxy)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    with visit(browser, f"http://127.0.0.1:{proxy.server_port}") as one:
        page = one.page
        # The proxy does not stream events.
        page.route("**/v1/events", lambda route: route.abort())
        one.expected = ["net::ERR_FAILED"]
        for address in ("parks/at/3", "parks/diff/2..3"):
            one.go(address)
            alarm = page.get_by_role("alert")
            expect(alarm).to_contain_text("The proof failed")
            check("Arhces" not in page.locator("main").inner_text(), "the spoiled contents are shown")
            check_equal(page.locator(".proof").count(), 0, "seals beside the alarm")
        one.shot("spoiled")
        SpoilingProxy.spoils = False
        page.get_by_role("button", name="Try again").click()
        one.proof()
    proxy.shutdown()
    say("a spoiled answer is an alarm, and its contents are not shown")


def proofs_of_histories(browser, server, store):
    """A proof is of the versions that it names, and an alarm stays when a new version comes."""
    def commit(version):
        store.commit("proofs", [park(1, version=version)])

    for version in range(3):
        commit(version)
    with visit(browser, server.url) as one:
        page = one.page
        verify = page.get_by_role("button", name="Verify the whole history")
        one.go("proofs")
        verify.click()
        expect(page.locator(".proof")).to_contain_text("3 versions and their chain verified")
        expect(verify).to_have_count(0)
        commit(3)
        expect(page.locator(".facts dd").nth(1)).to_have_text("4")
        verify.click()
        expect(page.locator(".proof")).to_contain_text("4 versions and their chain verified")
        commit(4)
        expect(verify).to_be_visible()

        def spoil(route):
            answer = route.fetch()
            route.fulfill(response=answer, body=answer.text().replace("Arches", "Arhces"))

        page.route("**/bundle", spoil)
        verify.click()
        alarm = page.get_by_role("alert")
        expect(alarm).to_contain_text("The proof failed")
        commit(5)
        page.wait_for_timeout(1000)
        expect(alarm).to_contain_text("The proof failed")
        page.unroute("**/bundle")
        page.get_by_role("button", name="Try again").click()
        expect(page.locator(".facts dd").nth(1)).to_have_text("6")
    say("a newer version is not said to be verified, and an alarm stays")


def shorten(one, seconds, shorter):
    """Lets timers of a page that are for so many seconds end after less."""
    one.page.add_init_script("""{
      const original = window.setTimeout;
      window.setTimeout = (work, milliseconds, ...rest) => original(work, milliseconds === %d ? %d : milliseconds, ...rest);
    }""" % (1000 * seconds, 1000 * shorter))


def a_stopped_server(browser, server):
    """A server that neither answers nor closes its connections, like one whose network is gone.

    The page waits for two heartbeats, which are four seconds here."""
    with visit(browser, server.url) as one:
        shorten(one, 2 * HEARTBEAT_SECONDS, 4)
        status = one.page.locator("#status")
        one.go("parks")
        expect(status).to_have_text("Live")
        server.process.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        try:
            expect(status).to_contain_text("Not connected")
            noticed = time.monotonic() - begun
            check(noticed > 3, f"a server is given up after {noticed:.1f} s")
            one.page.wait_for_timeout(1000)
            expect(status).to_contain_text("Not connected")
            one.shot("stopped")
        finally:
            server.process.send_signal(signal.SIGCONT)
        expect(status).to_have_text("Live", timeout=45000)
    say(f"a stopped server is noticed after {noticed:.0f} s")


def a_restart(browser, server, store):
    with visit(browser, server.url) as one:
        one.expected = ["net::ERR_", "Failed to load resource"]
        page = one.page
        one.go("parks/at/head")
        expect(page.locator("#status")).to_have_text("Live")
        server.stop()
        expect(page.locator("#status")).to_contain_text("Not connected")
        one.shot("lost")
        store.commit("parks", [park(n, after="restart") for n in range(5)])
        server.start()
        expect(page.locator("#status")).to_have_text("Live")
        expect(page.locator(".row")).to_have_count(5)
        one.proof()
        server.stop()
        one.go("parks/diff/1..2")
        expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
        server.start()
        expect(page.locator("h1")).to_have_text("Version 2")
        say("a lost connection is shown, and recovers with the versions that were missed")


def a_long_stream(browser, server):
    """The stream of heads may last longer than other answers may: ten minutes, which are two seconds here."""
    with visit(browser, server.url) as one:
        shorten(one, 600, 2)
        one.go("")
        expect(one.page.locator("#status")).to_have_text("Live")
        one.page.evaluate("""() => {
          window.told = [];
          new MutationObserver(() => told.push(document.getElementById('status').textContent)).observe(document.getElementById('status'), {childList: true});
        }""")
        one.page.wait_for_timeout(3500)
        check_equal(one.page.evaluate("told"), [], "what became of the connection")
    say("the connection stays as long as the page")


def many_tabs(browser, server, store):
    """Hidden tabs hold none of the few connections that a browser has to a server, and are current when they are seen again."""
    store.commit("tabbed", [park(0)])
    # A browser without windows sees all its tabs.
    turn = """isHidden => {
      Object.defineProperty(document, 'hidden', {value: isHidden, configurable: true});
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    with visit(browser, server.url) as one:
        pages = [one.page] + [one.context.new_page() for _ in range(9)]
        for page in pages:
            page.goto(f"{server.url}/#/tabbed/at/head")
            expect(page.locator(".row")).to_have_count(1)
            expect(page.locator("#status")).to_have_text("Live")
            page.evaluate(turn, True)
        store.commit("tabbed", [park(0), park(1)])
        pages[4].evaluate(turn, False)
        expect(pages[4].locator(".row")).to_have_count(2)
        expect(pages[4].locator("#status")).to_have_text("Live")
        store.commit("tabbed", [park(0), park(1), park(2)])
        expect(pages[4].locator(".row")).to_have_count(3)
    say("ten tabs work at once")


def a_restored_backup(browser, server, store):
    """Other versions have the numbers of those that the page has shown; and a pruning is shown when it is made."""
    for version in range(3):
        store.commit("restored", [park(0, version=version)])
    backup = store.folder / "backup.db"
    store.listsync("backup", backup)
    store.listsync("commit", "restored", "-", "-m", "Lost", stdin=json.dumps([park(0, version="lost")]).encode())
    with visit(browser, server.url) as one:
        one.expected = ["net::ERR_", "Failed to load resource"]
        page = one.page
        one.go("restored/diff/3..4")
        expect(page.locator(".lead")).to_contain_text("Lost")
        server.stop()
        for end in ("", "-wal", "-shm"):
            Path(f"{store.file}{end}").unlink(missing_ok=True)
        backup.rename(store.file)
        store.listsync("commit", "restored", "-", "-m", "Other", stdin=json.dumps([park(0, version="other")]).encode())
        server.start()
        expect(page.locator("#status")).to_have_text("Live")
        one.go("restored/diff/2..3")
        one.go("restored/diff/3..4")
        expect(page.locator(".lead")).to_contain_text("Other")
        one.go("restored")
        expect(page.locator(".facts")).to_contain_text("version 1")
        store.listsync("prune", "restored", "--keep-last", "2")
        expect(page.locator(".facts")).to_contain_text("version 3")
        expect(page.locator(".prunings")).to_contain_text("Versions 1 to 2 were pruned")
    say("the page takes in a restored backup and a pruning")


def new_versions_meanwhile(browser, server, store):
    """A new version takes nothing from a person who types, opens, or goes through the page by keyboard."""
    count = 0

    def commit():
        nonlocal count
        count += 1
        store.commit("meanwhile", [park(0, count=count)])

    for _ in range(3):
        commit()
    with visit(browser, server.url) as one:
        page = one.page
        facts = page.locator(".facts")
        one.go("meanwhile")
        field = page.get_by_label("to", exact=True)
        field.fill("2")
        page.get_by_label("Versions", exact=True).focus()
        commit()
        expect(facts).to_contain_text("Version4")
        expect(field).to_have_value("2")
        expect(page.get_by_label("Versions", exact=True)).to_be_focused()
        expect(page.get_by_label("Versions", exact=True)).to_have_value("1")
        for control in (page.get_by_label("Compare from version 2"), page.get_by_role("link", name="3", exact=True), page.get_by_role("button", name="Zoom")):
            control.focus()
            commit()
            expect(facts).to_contain_text(f"Version{count}")
            expect(control).to_be_focused()
        one.go("meanwhile/item/park-00000")
        page.locator(".now summary").click()
        commit()
        expect(facts).to_contain_text(f"Changes{count}")
        expect(page.locator(".now details")).to_have_attribute("open", "")
        expect(page.locator(".now summary")).to_be_focused()
        one.go("")
        row = page.locator("tr", has_text="meanwhile")
        row.get_by_role("link").focus()
        commit()
        expect(row.locator("td").nth(1)).to_have_text(str(count))
        expect(row.get_by_role("link")).to_be_focused()
    say("new versions take neither the focus nor what was typed or opened")


def busy_lists(browser, server, store):
    """A list with many versions in a second does not flood the server, and a late answer does not take the page back."""
    sender, count = Sender(server), 0
    sender.put("/v1/lists/quick", [park(0)], isNew=True)

    def put():
        nonlocal count
        count += 1
        sender.put("/v1/lists/quick/items/park-00000", park(0, count=count))

    with visit(browser, server.url) as one:
        page, asked = one.page, []
        for address in ("quick", "", "quick/item/park-00000"):
            one.go(address)
            expect(page.locator("#status")).to_have_text("Live")
            page.wait_for_timeout(500)
            asked.clear()
            listener = lambda request: asked.append(request.url)
            page.on("request", listener)
            begun = time.monotonic()
            while time.monotonic() < begun + 1.5:
                put()
                page.wait_for_timeout(10)
            page.wait_for_timeout(500)
            page.remove_listener("request", listener)
            check(len(asked) < 50, f"{len(asked)} requests in 1.5 seconds for /#/{address}")
            version = page.locator(".facts dd").nth(1) if address == "quick" else page.locator("tbody tr", has_text="quick").locator("td").nth(1)
            if "item" not in address:
                expect(version).to_have_text(f"{count + 1}")
        one.go("quick")
        held = []

        def hold(route):
            held.append(route) if not held else route.continue_()

        page.route("**/versions?groups*", hold)
        put()
        while not held:
            page.wait_for_timeout(20)
        answer = held[0].fetch()
        put()
        page.wait_for_timeout(300)
        held[0].fulfill(response=answer)
        page.wait_for_timeout(1000)
        expect(page.locator(".facts dd").nth(1)).to_have_text(f"{count + 1}")
        page.unroute("**/versions?groups*")
    say("many versions in a second are few requests, and the newest one is shown last")


def large_values(browser, server, store):
    """Values with very many parts, or very deep ones, are shown soon, and not wider than the screen."""
    wide, deep = 1, 1
    for _ in range(4):
        wide = [wide] * 20
    for _ in range(300):
        deep = {"in": deep}
    for value in (wide, [wide, 1]):
        store.commit("values", [{"id": "x", "wide": value, "deep": deep}, {"id": "y"}])
    with visit(browser, server.url) as one:
        for address in ("values/item/x", "values/diff/1..2"):
            one.go(address)
            expect(one.page.locator("h1")).to_be_visible()
            count, over = one.page.evaluate("[document.querySelectorAll('main *').length, document.documentElement.scrollWidth - innerWidth]")
            check(count < 20_000 and over <= 0, f"/#/{address} has {count} elements, and is {over} pixels too wide")
    say("a value of 160,000 parts is shown")


def lists_that_go(browser, server, store):
    """A list that was dropped or renamed is not shown for longer than a heartbeat, and one failed answer does not stay."""
    for name in ("drop-a", "drop-b", "drop-c"):
        store.commit(name, [park(0)])
    with visit(browser, server.url) as one:
        one.expected = ["410", "404", "503"]
        pages = [one.page] + [one.context.new_page() for _ in range(2)]
        for page, address in zip(pages, ("drop-a", "drop-b/at/head", "?find=drop")):
            page.goto(f"{server.url}/#/{address}")
            expect(page.locator("#status")).to_have_text("Live")
        expect(pages[2].locator("tbody tr")).to_have_count(3)
        for name in ("drop-a", "drop-b"):
            store.listsync("drop", name, "--yes")
        for page, text in ((pages[0], "drop-a was dropped"), (pages[1], "drop-b was dropped")):
            expect(page.get_by_role("alert")).to_contain_text(text, timeout=2 * HEARTBEAT_SECONDS * 1000)
        expect(pages[2].locator("tbody tr")).to_have_count(1, timeout=2 * HEARTBEAT_SECONDS * 1000)
        page = pages[2]
        page.route("**/v1/lists?*", lambda route: route.fulfill(status=503, content_type="application/problem+json", body="{}"))
        store.commit("drop-c", [park(1)])
        expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
        page.unroute("**/v1/lists?*")
        page.wait_for_timeout(1000)
        store.commit("drop-c", [park(2)])
        expect(page.locator("tbody tr")).to_have_count(1)
    say("dropped lists go from the page, and a failed answer does not stay")


def keyboard_only(browser, server):
    with visit(browser, server.url) as one:
        page = one.page
        one.go("")
        expect(page.get_by_role("link", name="parks")).to_be_visible()

        def tab_to(name, limit=60):
            for _ in range(limit):
                page.keyboard.press("Tab")
                if page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.innerText").strip() == name:
                    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                    check(outline != "none", f"the focus on {name} cannot be seen")
                    return
            check(False, f"Tab does not reach '{name}'")

        tab_to("Skip to the content")
        page.keyboard.press("Enter")
        check_equal(page.evaluate("document.activeElement.id"), "main", "the focus after the skip link")
        tab_to("parks")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("parks")
        one.until("document.activeElement.tagName === 'H1'")
        tab_to("Items")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("parks at version")
        page.get_by_label("On", exact=True).focus()
        page.keyboard.type("01122026")
        expect(page.locator("h1")).to_have_text("parks at version 3")
        check("/at/2026-01-12" in page.url, f"a typed date leads to {page.url}")
        page.go_back()
        expect(page.get_by_role("link", name="Newest")).to_have_count(0)
        tab_to("Items of parks")
        page.keyboard.press("PageDown")
        tab_to("Glacier")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Glacier")
        page.go_back()
        expect(page.locator("h1")).to_contain_text("parks at version")
        say("everything is reached with the keyboard, and the focus is always seen")


def access(browser, server):
    count = 0
    for scheme, width in (("light", 1200), ("dark", 390)):
        # axe is a script of another origin than the page's, so the policy must not hold for it.
        with visit(browser, server.url, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce") as one:
            one.page.set_viewport_size({"width": width, "height": 860})
            for address in ("", "parks", "parks/at/3", "parks/diff/3..6", "parks/diff/3..6?all=1", "parks/item/park-00001",
                            "parks/replay", "absent"):
                one.go(address)
                expect(one.page.locator("h1")).to_be_visible()
                one.page.wait_for_timeout(300)
                result = Axe().run(one.page)
                faults = [f"{fault['id']}: {fault['nodes'][0]['html'][:200]} {fault['nodes'][0]['failureSummary'][:300]}"
                          for fault in result.response["violations"]]
                check_equal(faults, [], f"axe on /#/{address} ({scheme}, {width} pixels)")
                count += 1
            one.go("parks/diff/3..6")
            expect(one.page.locator(".change").first).to_be_visible()
            one.shot(f"{scheme}-{width}")
    with visit(browser, server.url, color_scheme="dark") as one:
        for name, address in (("dark-history", "parks"), ("dark-items", "parks/at/3")):
            one.go(address)
            expect(one.page.locator("h1")).to_be_visible()
            one.page.wait_for_timeout(300)
            one.shot(name)
    with visit(browser, server.url) as one:
        one.page.set_viewport_size({"width": 380, "height": 800})
        for name, address in (("narrow-lists", ""), ("narrow-history", "parks"), ("narrow-difference", "parks/diff/3..6"), ("narrow-items", "parks/at/3")):
            one.go(address)
            expect(one.page.locator("h1")).to_be_visible()
            one.page.wait_for_timeout(300)
            wide = one.page.evaluate("document.documentElement.scrollWidth - innerWidth")
            check(wide <= 0, f"/#/{address} is {wide} pixels wider than a narrow screen")
            one.shot(name)
        one.page.emulate_media(media="print")
        one.go("parks/diff/3..6")
        check(not one.page.locator(".session").is_visible(), "the session is printed")
    say(f"axe finds nothing in {count} views, light and dark, wide and narrow; narrow screens and paper fit")


def tokens(browser, server, store):
    secret = store.listsync("token", "create", "reader", "--read", "parks").decode().strip()
    eventually("the server asks for a token", lambda: ask(f"{server.url}/v1/lists")[0] == 401)
    with visit(browser, server.url) as one:
        one.expected = ["401"]
        page = one.page
        one.go("parks/diff/3..6")
        page.get_by_label("Token").fill("wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("not one of this server")
        one.shot("token")
        page.get_by_label("Token").fill(secret)
        page.keyboard.press("Enter")
        one.proof()
        expect(page.locator("#status")).to_have_text("Live")
        check(secret not in page.url and not page.evaluate("localStorage.length") and not page.evaluate("document.cookie"),
              "the token is in the address, localStorage or a cookie")
        page.reload()
        one.proof()
        one.go("")
        expect(page.locator("tbody tr")).to_have_count(1)
        page.get_by_role("button", name="Forget the token").click()
        expect(page.get_by_label("Token")).to_be_visible()
        check_equal(page.evaluate("sessionStorage.length"), 0, "what is left of the token")
        page.get_by_label("Token").fill(secret)
        page.keyboard.press("Enter")
        expect(page.locator("#status")).to_have_text("Live")
        store.listsync("token", "revoke", "reader")
        expect(page.locator("#status")).to_have_text("Not connected: the token is not valid")
        expect(page.get_by_role("alert")).to_contain_text("was revoked")
        one.shot("revoked")
        page.get_by_label("Token").fill("typed")
        page.wait_for_timeout(500)
        expect(page.get_by_label("Token")).to_have_value("typed")
    secret = store.listsync("token", "create", "second", "--read", "parks").decode().strip()
    eventually("the server knows the second token", lambda: ask(f"{server.url}/v1/lists", Authorization=f"Bearer {secret}")[0] == 200)
    with visit(browser, server.url) as one:
        one.expected = ["401"]
        page = one.page
        page.add_init_script("Object.defineProperty(window, 'sessionStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})")
        page.goto(f"{server.url}/#/parks")
        page.get_by_label("Token").fill("a…b")
        page.keyboard.press("Enter")
        page.wait_for_timeout(500)
        check(page.get_by_label("Token").evaluate("e => !e.validity.valid"), "a token that cannot be sent is taken")
        page.get_by_label("Token").fill(secret)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("parks")
        expect(page.locator("#status")).to_have_text("Live")
        page.get_by_role("button", name="Forget the token").click()
        expect(page.get_by_label("Token")).to_be_visible()
    say("a token is entered once, kept for the tab, and forgotten on request; the page says when it is revoked")


def a_replica_in_the_browser(browser, server, store):
    """The client with IndexedDB: the second session asks for changes alone."""
    with visit(browser, server.url) as one:
        # The address may be that of a publication: the browser tells that there is none.
        one.expected = ["404 (Not Found)"]
        page = one.page
        one.go("")
        script = """async () => {
          const {Replica, indexedDBStorage} = await import('/page/listsync.js');
          const asked = [];
          const own = (url, options) => { asked.push(url); return fetch(url, options); };
          const replica = new Replica(location.origin, 'parks', {watch: false, storage: indexedDBStorage('parks'), fetch: own});
          const reasons = [];
          for await (const update of replica) reasons.push(update.reason);
          return {asked: asked.find((url) => url.includes('/v1/')), reasons, version: replica.state.version, count: replica.items.length};
        }"""
        first = page.evaluate(script)
        check_equal(first["reasons"], ["first"], "the first session")
        page.reload()
        check_equal(page.evaluate(script)["reasons"], [], "a session without news")
        cursor = store.commit("parks", [park(n, last=True) for n in range(7)])
        eventually("the server has the commit", lambda: cursor.encode() in ask(f"{server.url}/v1/lists?prefix=parks")[2])
        third = page.evaluate(script)
        check_equal((third["reasons"], third["version"], third["count"]), (["changes"], first["version"] + 1, 7), "a later session")
        check(f"since={first['version']}-" in third["asked"], f"the copy was not used: {third['asked']}")
        say("a replica in IndexedDB survives a reload, and asks for changes alone")


# In the order in which they begin. Those at the end change the server.
CHECKS = (
    lists_that_go, many_lists, programs_and_browsers, lists_are_live, history_and_difference, merged_versions, differences_that_are_none, places_over_time,
    values_as_lists, exact_numbers, odd_names, a_report, real_lists, long_lists, items_follow_the_list, finding_items, a_search_and_a_link,
    earlier_dates, mouse_buttons, a_phone, names_with_one_beginning, scales_and_lines, short_rows, a_replay_in_sight, focus_stays, whole_changes,
    long_and_short_histories, places_in_views, other_time_zones, paper, small_changes, replay, hostile_contents, spoiled_answers,
    proofs_of_histories, new_versions_meanwhile, busy_lists, large_values, keyboard_only, access, a_long_stream, many_tabs, a_stopped_server,
    a_replica_in_the_browser, a_restored_backup, a_restart, tokens)


@contextmanager
def chromium():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    check(program, "chromium is missing: apt-get install chromium")
    # Whether something comes at all is to be seen on a busy machine too.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server",
                                           "--enable-precise-memory-info", "--js-flags=--expose-gc"])
        yield browser
        browser.close()


def work(names):
    """Takes checks from a queue until none is left."""
    def body():
        with fresh_store() as store, chromium() as browser:
            fill(store)
            with serving(store) as server:
                given = {"browser": browser, "server": server, "store": store}
                for name in iter(names.get, None):
                    one = globals()[name]
                    one(*(given[parameter] for parameter in inspect.signature(one).parameters))
    try:
        run("the page in chromium", body)
    except BaseException:
        # The others end after their check.
        while names.get():
            pass
        raise


def main():
    if "figures" in sys.argv:
        with chromium() as browser:
            figures(browser)
    names = [one.__name__ for one in CHECKS if not sys.argv[1:] or one.__name__ in sys.argv[1:]]
    context = multiprocessing.get_context("spawn")
    tasks, count = context.Queue(), min(3, len(names))
    for name in names + [None] * count:
        tasks.put(name)
    workers = [context.Process(target=work, args=(tasks,)) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.exit(any(worker.exitcode for worker in workers))


if __name__ == "__main__":
    main()
