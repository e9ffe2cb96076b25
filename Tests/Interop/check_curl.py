#!/usr/bin/env python3
"""curl as a client: conditional requests, codings, uploads, pages, pinned answers, CORS."""

import gzip
import json
import re
import subprocess
import threading
import time
from urllib.parse import quote, urljoin

from curl import check_problem, curl
from interop import check, check_equal, eventually, fresh_store, park, run, say, serving

ORIGIN = "https://app.example"
JSON = ("-H", "Content-Type: application/json")


def put(url, items, *options):
    return curl(url, "-X", "PUT", *JSON, *options, "--data-binary", "@-",
                stdin=json.dumps(items).encode())


def commits_are_conditional(url):
    parks = f"{url}/v1/lists/parks"
    first = put(parks, [park(n) for n in range(50)], "-H", "If-None-Match: *")
    check_equal(first.status, 201, f"the first PUT ({first.body[:300]!r})")
    answer = first.json()
    check_equal((answer["list"], answer["outcome"], answer["head"]["cursor"]),
                ("parks", "committed", first.cursor), "the first PUT's document")
    check_problem(put(parks, [], "-H", "If-None-Match: *"), 412, "precondition-failed", "head")
    check_problem(put(parks, []), 428, "precondition-required")

    newer = [park(n, visited=True) for n in range(2, 52)]
    second = put(parks, newer, "-H", f"If-Match: {first.etag}")
    check_equal(second.status, 201, "PUT with the head's ETag")
    again = put(parks, newer, "-H", f"If-Match: {first.etag}")
    check_equal((again.status, again.etag), (200, second.etag), "a lost answer sent again")
    stale = put(parks, [park(1)], "-H", f"If-Match: {first.etag}")
    check_equal(check_problem(stale, 412, "precondition-failed", "head")["head"], second.cursor,
                "the head that a 412 names")
    same = put(parks, newer, "-H", f"If-Match: {second.etag}")
    check_equal((same.status, same.json()["outcome"]), (200, "unchanged"), "the same list again")
    weak = put(parks, newer, "-H", f"If-Match: W/{second.etag}")
    check_equal(weak.status, 412, "If-Match with a weak tag (never matches, RFC 9110 13.1.1)")
    several = put(parks, newer, "-H", f'If-Match: "0-00000000000000000000000000000000", {second.etag}')
    check_equal(several.status, 200, "If-Match with two tags, the second the head's")
    say("PUT: 201, 200, 412 and 428 by If-Match and If-None-Match; a lost answer sent again is known")


def etags_are_saved_and_compared(url, store):
    parks, file = f"{url}/v1/lists/parks", str(store.folder / "etag")
    for coding in ([], ["--compressed"]):
        check_equal(curl(parks, *coding, "--etag-save", file).status, 200, "--etag-save")
        kept = curl(parks, *coding, "--etag-compare", file)
        check_equal((kept.status, kept.body), (304, b""), f"--etag-compare {coding}")
        check(kept.etag, "a 304 names its ETag")
        check("cache-control" in kept.headers, "a 304 has the 200's Cache-Control")
    store.commit("parks", [park(n) for n in range(40)])
    eventually("--etag-compare gives a commit of another process",
               lambda: curl(parks, "--etag-compare", file).status == 200)
    newer = curl(parks)
    weak = curl(parks, "-H", f"If-None-Match: W/{newer.etag}")
    check_equal(weak.status, 304, "If-None-Match compares weakly (RFC 9110 13.1.2)")
    check_equal(curl(parks, "-H", "If-None-Match: *").status, 304, "If-None-Match: * on a GET")
    say("GET: --etag-save and --etag-compare, plain and --compressed; new after a commit elsewhere")


def plain_and_gzip_are_the_same(url):
    cursor = curl(f"{url}/v1/lists/parks").cursor
    for path in ("/v1/lists/parks", "/v1/lists/parks/delta?since=0",
                 f"/v1/lists/parks/versions/{cursor}", "/v1/lists/parks/bundle?since=0",
                 "/openapi.json"):
        plain = curl(url + path)
        packed = curl(url + path, "-H", "Accept-Encoding: gzip")
        check_equal(plain.status, 200, path)
        check("content-encoding" not in plain.headers, f"{path}: coded without being asked")
        check_equal(packed.headers.get("content-encoding"), "gzip", f"{path}: Content-Encoding")
        check("accept-encoding" in packed.headers.get("vary", "").lower(), f"{path}: Vary")
        check("accept-encoding" in plain.headers.get("vary", "").lower(), f"{path}: plain Vary")
        if plain.etag:
            check_equal(packed.etag, plain.etag[:-1] + '+gzip"', f"{path}: ETag of the gzip form")
        check(gzip.decompress(packed.body) == plain.body, f"{path}: gzip holds other bytes")
        check(curl(url + path, "--compressed").body == plain.body, f"{path}: --compressed differs")
        refused = curl(url + path, "-H", "Accept-Encoding: gzip;q=0, identity")
        check("content-encoding" not in refused.headers, f"{path}: gzip although refused by q=0")
    say("gzip and plain hold the same bytes, under ETags of their own")


def heads_equal_gets(url):
    for path in ("/v1/lists", "/v1/lists/parks", "/v1/lists/parks/delta?since=1",
                 "/v1/lists/parks/versions", "/v1/lists/parks/tags", "/healthz", "/openapi.json",
                 "/v1/lists/none"):
        got, head = curl(url + path), curl(url + path, "-I")
        check_equal((head.status, head.body[:0]), (got.status, b""), f"HEAD {path}")
        for field in ("etag", "content-type", "cache-control", "content-location", "vary"):
            check_equal(head.headers.get(field), got.headers.get(field), f"HEAD {path}: {field}")
        if "content-length" in head.headers:
            check_equal(head.headers["content-length"], got.headers.get("content-length"),
                        f"HEAD {path}: content-length")
    say("HEAD answers as GET does, without a body")


def links_lead_to_the_end(url, store):
    for n in range(7):
        store.commit("paged", [park(i) for i in range(n + 1)])
    wait_for_version(url, "paged", 7)
    page, versions, pages = f"{url}/v1/lists/paged/versions?limit=3", [], 0
    while page:
        answer = curl(page)
        check_equal(answer.status, 200, page)
        versions += [entry["version"] for entry in answer.json()]
        page = answer.link("next") and urljoin(page, answer.link("next"))
        pages += 1
        check(pages < 10, "Link next leads round in a circle")
    check_equal((versions, pages), ([7, 6, 5, 4, 3, 2, 1], 3), "versions on pages of 3")
    say("Link next leads through all versions, each once")


def pages_of_a_delta_reach_the_head(url):
    """Link next and the cursor in each page lead to the same pages."""
    address, pages = f"{url}/v1/lists/paged/delta?since=0&limit=2", 0
    while address:
        answer = curl(address)
        page = answer.json()
        link = answer.link("next")
        check_equal(link is not None, page["more"], "Link next on a page that says more")
        check_equal(answer.cursor, page["to"]["cursor"], "a page's ETag")
        address, pages = link and urljoin(address, link), pages + 1
        check(pages < 20, "a delta's pages never end")
    check_equal(answer.cursor, curl(f"{url}/v1/lists/paged").cursor, "where a delta's pages end")
    check(pages > 1, "a delta of 7 changes with limit=2 came as one page")
    say(f"a delta's {pages} pages end at the head")


def content_locations_are_pinned(url):
    for query in ("since=2", "since=2&to=4", "since=0&limit=100", "since=1&as=json-patch"):
        asked = f"{url}/v1/lists/paged/delta?{query}"
        answer = curl(asked)
        check_equal(answer.status, 200, query)
        where = answer.headers.get("content-location")
        check(where, f"{query}: no Content-Location")
        pinned = curl(urljoin(asked, where))
        check_equal((pinned.status, pinned.etag), (200, answer.etag), f"{where}")
        check(pinned.body == answer.body, f"{where}: other bytes than {query}")
        check_equal(pinned.headers.get("cache-control"), "public, max-age=31536000, immutable",
                    f"{where}: Cache-Control")
        check_equal(pinned.headers.get("content-location"), where, f"{where}: Content-Location")
    check_equal(curl(f"{url}/v1/lists/paged/delta?since=2").headers.get("cache-control"),
                "public, no-cache", "Cache-Control of a delta to the head")
    say("Content-Location gives the same bytes again, immutable for a year; all else is revalidated")


def a_delta_since_the_head_is_not_sent(url):
    head = curl(f"{url}/v1/lists/paged")
    poll = f"{url}/v1/lists/paged/delta?since={head.cursor}&fallback=snapshot"
    answer = curl(poll, "-H", f"If-None-Match: {head.etag}")
    check_equal((answer.status, answer.body), (304, b""), "a poll at the head")
    empty = curl(poll).json()
    check_equal([empty["kind"], *(empty[k] for k in ("removed", "moved", "inserted", "updated"))],
                ["changes", [], [], [], []], "a delta from the head")
    waited = curl(poll + "&wait=2", "-H", f"If-None-Match: {head.etag}")
    check_equal(waited.status, 304, "a long-poll in which nothing happened")
    check(1.5 < waited.seconds < 4, f"wait=2 took {waited.seconds} s")
    say(f"a poll at the head is a 304; wait=2 holds it {waited.seconds:.1f} s")


def long_polls_wake(url, store):
    head = curl(f"{url}/v1/lists/paged")
    answers = []

    def wait():
        answers.append((curl(f"{url}/v1/lists/paged/delta?since={head.cursor}&wait=20",
                             "-H", f"If-None-Match: {head.etag}"), time.monotonic()))
    waiter = threading.Thread(target=wait)
    waiter.start()
    time.sleep(0.5)
    cursor = store.commit("paged", [park(99)])
    committed = time.monotonic()
    waiter.join(30)
    check(answers, "the long-poll did not come back")
    answer, came = answers[0]
    check_equal((answer.status, answer.cursor), (200, cursor), "the long-poll's answer")
    check(came - committed < 1, f"the long-poll came {came - committed:.2f} s after the commit")
    say(f"a long-poll wakes {max(came - committed, 0):.2f} s after another process's commit")


def uploads_come_in_every_way(url):
    big = f"{url}/v1/lists/big"
    items = [park(n, text="x" * 200) for n in range(10_000)]
    bytes_sent = json.dumps(items).encode()
    chunked = curl(big, "-T", "-", "-H", "If-None-Match: *", *JSON, stdin=bytes_sent)
    check("Transfer-Encoding: chunked" in chunked.trace, "curl -T - sends in chunks")
    check_equal((chunked.status, chunked.json()["head"]["count"]), (201, 10_000), "in chunks")
    items.append(park(10_000))
    asked = curl(big, "-X", "PUT", "-H", "Expect: 100-continue", "-H", f"If-Match: {chunked.etag}",
                 *JSON, "--data-binary", "@-", stdin=json.dumps(items).encode())
    check(re.search(r"< HTTP/1.1 100", asked.trace), "Expect: 100-continue got no 100")
    check_equal((asked.status, asked.json()["head"]["count"]), (201, 10_001), "after 100-continue")
    check_equal(len(curl(big, "--compressed").json()), 10_001, "the list that was sent")
    check_problem(put(big, [park(1), park(2), park(1)], "-H", f"If-Match: {asked.etag}"),
                  422, "unprocessable", "positions")
    broken = curl(big, "-X", "PUT", "-H", f"If-Match: {asked.etag}", *JSON, "-d", '[{"id":')
    check(broken.status in (400, 422), f"half a document: {broken.status}")
    check_equal(curl(big).cursor, asked.cursor, "the head after refused uploads")
    say("uploads: in chunks, after 100-continue; duplicates are refused with their positions")


def deltas_come_in(url, store):
    """PATCH accepts a delta made on a copy of the store that came by a bundle."""
    other = type(store)(store.folder)
    other.file = store.folder / "other.db"
    head = curl(f"{url}/v1/lists/paged")
    bundle = curl(f"{url}/v1/lists/paged/bundle?since=0")
    check_equal(bundle.status, 200, "the bundle")
    other.listsync("bundle", "apply", "-", stdin=bundle.body)
    other.commit("paged", [park(99), park(100), park(3)])
    delta = other.listsync("delta", "paged", "--since", head.cursor)
    other.file = store.folder / "another.db"
    other.listsync("bundle", "apply", "-", stdin=bundle.body)
    other.commit("paged", [park(99), park(77)])
    late = other.listsync("delta", "paged", "--since", head.cursor)
    patch = [f"{url}/v1/lists/paged", "-X", "PATCH", *JSON, "--data-binary", "@-"]
    check_problem(curl(*patch, stdin=delta), 428, "precondition-required")
    taken = curl(*patch, "-H", f"If-Match: {head.etag}", stdin=delta)
    check_equal(taken.status, 201, f"PATCH ({taken.body[:300]!r})")
    check_equal([item["id"] for item in curl(f"{url}/v1/lists/paged").json()],
                [park(n)["id"] for n in (99, 100, 3)], "the list after PATCH")
    again = curl(*patch, "-H", f"If-Match: {head.etag}", stdin=delta)
    check_equal((again.status, again.etag), (200, taken.etag), "PATCH sent again")
    check_problem(curl(*patch, "-H", f"If-Match: {head.etag}", stdin=late),
                  412, "precondition-failed", "head")
    say("a bundle carries the list elsewhere; a delta made there comes back by PATCH, once")


def items_come_and_go(url):
    """One item is read, also at a version, put at a place and removed, under the list's tag."""
    items = f"{url}/v1/lists/paged/items"
    before = curl(f"{items}/park-00003")
    check_equal((before.status, before.json()), (200, park(3)), "an item")
    check_equal(before.etag, curl(f"{url}/v1/lists/paged").etag, "an item's ETag is the list's")
    known = curl(f"{items}/park-00003", "-H", f"If-None-Match: {before.etag}")
    check_equal(known.status, 304, "an item that the client has")
    new = put(f"{items}/park-00007?first=true", park(7), "-H", f"If-Match: {before.etag}")
    check_equal((new.status, new.json()["outcome"]), (201, "committed"), "a new item")
    check("location" in new.headers, "a 201 names no Location")
    check_equal(curl(f"{url}/v1/lists/paged").json()[0], park(7), "the first item")
    check_problem(put(f"{items}/park-00007", park(7)), 428, "precondition-required")
    check_problem(put(f"{items}/park-00007", park(8), "-H", "If-Match: *"), 422, "unprocessable")
    gone = curl(f"{items}/park-00003", "-X", "DELETE", "-H", f"If-Match: {new.etag}")
    check_equal(gone.status, 200, "DELETE of an item")
    check_problem(curl(f"{items}/park-00003"), 404, "no-such-item")
    then = curl(f"{items}/park-00003?at={new.cursor}")
    check_equal((then.status, then.json(), then.etag), (200, park(3), new.etag), "the item before")
    check("immutable" in then.headers["cache-control"], "an item at a cursor never changes")
    late = curl(f"{items}/park-00007", "-X", "DELETE", "-H", f"If-Match: {before.etag}")
    check_problem(late, 412, "precondition-failed", "head")
    say("items: GET, also at a version, PUT at a place and DELETE, under the tag of the list")


def errors_say_how_to_go_on(url, store):
    lists = f"{url}/v1/lists"
    check_problem(curl(f"{lists}/none"), 404, "not-found")
    check_problem(curl(f"{url}/nowhere"), 404, "not-found")
    check_problem(curl(f"{lists}/paged/versions/999"), 404, "no-such-version", "oldest", "head")
    check_problem(curl(f"{lists}/paged/items/none/history"), 404, "no-such-item")
    check_problem(curl(f"{lists}/paged/delta"), 400, "invalid-request")
    check_problem(curl(f"{lists}/paged/delta?since=head&limit=-1"), 400, "invalid-request")
    check_problem(curl(f"{lists}/paged/delta?since=1&as=nonsense"), 400, "invalid-request")
    wrong = curl(lists, "-X", "DELETE")
    check_problem(wrong, 405, "method-not-allowed")
    check("GET" in wrong.headers.get("allow", ""), f"405 names no method: {wrong.headers}")
    picture = curl(f"{lists}/kinds", "-X", "PUT", "-H", "If-None-Match: *",
                   "-H", "Content-Type: image/png", "-d", "[]")
    check_problem(picture, 415, "unsupported-media-type")
    diverged = check_problem(curl(f"{lists}/paged/delta?since=2-ffffffffffff00000000000000000000"), 409, "diverged",
                             "head", "oldest", "snapshot")
    last = curl(f"{lists}/paged/versions?limit=2").json()
    pinned = f"{lists}/paged/delta?since={last[1]['cursor']}&to={last[0]['cursor']}"
    before = curl(pinned)
    store.listsync("prune", "paged", "--keep-last", 2)
    eventually("410 after pruning", lambda: curl(f"{lists}/paged/delta?since=1").status == 410)
    too_old = check_problem(curl(f"{lists}/paged/delta?since=1"), 410, "too-old",
                            "head", "oldest", "snapshot")
    for problem in (diverged, too_old):
        there = curl(urljoin(f"{lists}/paged/delta", problem["snapshot"]))
        check_equal((there.status, there.cursor), (200, problem["head"]),
                    "the snapshot that a problem links to")
    check(curl(pinned).body == before.body, "pruning changed the bytes of a pinned range")
    fallback = curl(f"{lists}/paged/delta?since=1&fallback=snapshot").json()
    check_equal((fallback["kind"], fallback["reason"]), ("snapshot", "too-old"), "the fallback")
    say("errors are problem+json, never stored, and name the head, the oldest and a snapshot")


def names_are_percent_encoded(url, store):
    item = {"id": "São/Tomé ?#%", "name": "a name with signs of its own"}
    store.commit("names", [item])
    history = f"{url}/v1/lists/names/items/{quote(item['id'], safe='')}/history"
    eventually("the history of an id with signs in it", lambda: curl(history).status == 200)
    check(item["id"] in curl(history).body.decode(), "the history names another id")
    for path in ("/v1/lists/../../etc/passwd", "/v1/lists/%2e%2e%2fetc", "/v1/lists/a%00b",
                 "/v1/lists/%ff", "/v1/lists/names/items/%", "//v1//lists", "/v1/lists/%"):
        answer = curl(url + path, "--path-as-is")
        check(answer.status in (400, 404), f"{path}: {answer.status}")
    check_equal(curl(f"{url}/v1/lists", "-0").status, 200, "HTTP/1.0")
    say("ids are percent-encoded; paths that lead outside are 400 or 404; HTTP/1.0 is served")


def other_origins_are_let_in(url):
    asked = ("-H", f"Origin: {ORIGIN}")
    flight = curl(f"{url}/v1/lists/parks", "-X", "OPTIONS", *asked,
                  "-H", "Access-Control-Request-Method: PUT",
                  "-H", "Access-Control-Request-Headers: authorization,content-type,if-match")
    check(flight.status in (200, 204), f"preflight: {flight.status}")
    check(flight.headers.get("access-control-allow-origin") in (ORIGIN, "*"), "preflight: origin")
    methods = flight.headers.get("access-control-allow-methods", "")
    check("PUT" in methods and "PATCH" in methods, f"preflight allows {methods!r}")
    fields = flight.headers.get("access-control-allow-headers", "").lower()
    for field in ("authorization", "content-type", "if-match", "if-none-match"):
        check(field in fields, f"preflight does not allow {field}: {fields!r}")
    for path in ("/v1/lists/parks", "/v1/lists/none"):
        answer = curl(url + path, *asked)
        check(answer.headers.get("access-control-allow-origin") in (ORIGIN, "*"), f"{path}: origin")
        exposed = answer.headers.get("access-control-expose-headers", "").lower()
        for field in ("etag", "content-location", "link"):
            check(field in exposed, f"{path}: {field} is not exposed to pages: {exposed!r}")
    check("origin" in curl(f"{url}/v1/lists/parks").headers.get("vary", "").lower(),
          "a cache is not told that answers differ by Origin")
    stranger = curl(f"{url}/v1/lists/parks", "-H", "Origin: https://stranger.example")
    check(stranger.headers.get("access-control-allow-origin") in (None, ORIGIN),
          "an origin that was not named is let in")
    say("CORS: the named origin may read, write and see ETag; another may not")


def connections_are_kept(url):
    done = subprocess.run(
        ["curl", "-sS", "-w", "%{num_connects}\n", "-o", "/dev/null", f"{url}/v1/lists",
         "-o", "/dev/null", f"{url}/v1/lists/none", "-o", "/dev/null", f"{url}/v1/lists/parks"],
        capture_output=True, check=True)
    check_equal(done.stdout.decode().split(), ["1", "0", "0"], "connections opened by three requests")
    say("one connection serves three requests, an error among them")


def wait_for_version(url, name, version):
    def there():
        answer = curl(f"{url}/v1/lists/{name}")
        return answer.status == 200 and answer.cursor.startswith(f"{version}-")
    eventually(f"version {version} of {name}, committed by another process", there)


def body():
    with fresh_store() as store, serving(store, "--allow-origin", ORIGIN) as server:
        url = server.url
        commits_are_conditional(url)
        etags_are_saved_and_compared(url, store)
        plain_and_gzip_are_the_same(url)
        heads_equal_gets(url)
        links_lead_to_the_end(url, store)
        pages_of_a_delta_reach_the_head(url)
        content_locations_are_pinned(url)
        a_delta_since_the_head_is_not_sent(url)
        long_polls_wake(url, store)
        uploads_come_in_every_way(url)
        deltas_come_in(url, store)
        items_come_and_go(url)
        errors_say_how_to_go_on(url, store)
        names_are_percent_encoded(url, store)
        other_origins_are_let_in(url)
        connections_are_kept(url)


if __name__ == "__main__":
    run("curl", body)
