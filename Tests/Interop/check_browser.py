#!/usr/bin/env python3
"""EventSource in Debian's chromium, on a page of another origin, during commits and across a restart; and the JavaScript
client on such a page, which follows a publication."""

import hashlib
import http.server
import shutil
import threading
import time

from playwright.sync_api import sync_playwright

from interop import ROOT, check, check_equal, fresh_store, park, run, say, serving

PAGE = b"""<!doctype html><meta charset="utf-8"><title>events</title>"""
LISTEN = """(url) => {
  window.heads = []; window.opened = 0; window.errors = 0;
  window.source = new EventSource(url);
  source.onopen = () => { opened += 1; };
  source.onerror = () => { errors += 1; };
  source.addEventListener("head", (event) => {
    heads.push({id: event.lastEventId, at: Date.now() / 1000, ...JSON.parse(event.data)});
  });
}"""


FOLLOW = """async (url) => {
  const { Replica } = await import("/client/listsync.js");
  window.updates = []; window.failure = null;
  window.replica = new Replica(url, "parks");
  (async () => {
    for await (const { reason, after } of replica) updates.push([reason, after.state.cursor, after.items.length]);
  })().catch((error) => { failure = String(error); });
}"""


class PageHandler(http.server.BaseHTTPRequestHandler):
    """A page, and the modules of the JavaScript client."""

    def do_GET(self):
        is_module = self.path.startswith("/client/") and ".." not in self.path
        body = (ROOT / "Clients/JavaScript" / self.path[len("/client/"):]).read_bytes() if is_module else PAGE
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_module else "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def page_server():
    """A server of one page: its port makes it another origin than the tested server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PageHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def wait_for(page, cursor, seconds, what):
    """Waits until the page has the event with this cursor, and returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        heads = page.evaluate("heads")
        for head in heads:
            if head["id"] == cursor:
                return head
        page.wait_for_timeout(20)
    check(False, f"{what}: no event {cursor} within {seconds} s; the page got "
          f"{[head['id'] for head in page.evaluate('heads')]}")


def events_arrive(page, store, server):
    cursor = store.commit("parks", [park(n) for n in range(5)])
    # The server notices it a moment later; a browser does not ask again after a 404.
    time.sleep(1)
    opened = time.time()
    page.evaluate(LISTEN, f"{server.url}/v1/lists/parks/events")
    head = wait_for(page, cursor, 2, "on connecting")
    check_equal((head["list"], head["cursor"], head["version"], head["count"], head["oldest"]),
                ("parks", cursor, 1, 5, 1), "the first event's data")
    say(f"the head is there {head['at'] - opened:.2f} s after the page asked")
    latest = 0
    for n in range(6, 16):
        cursor = store.commit("parks", [park(i) for i in range(n)])
        returned = time.time()
        latest = max(latest, wait_for(page, cursor, 3, "a commit")["at"] - returned)
    check(latest < 1, f"an event came {latest:.2f} s after another process's commit")
    say(f"10 commits of another process: the latest event came {max(latest, 0):.2f} s after")
    check_equal(page.evaluate("errors"), 0, "errors of EventSource")


def it_comes_back(page, store, server):
    server.stop()
    away = store.commit("parks", [park(100)])
    cursor = store.commit("parks", [park(101)])
    seen = len(page.evaluate("heads"))
    server.start()
    wait_for(page, cursor, 20, "after a restart")
    check_equal([head["id"] for head in page.evaluate("heads")[seen:]], [cursor],
                f"events after a restart (the newest alone, not {away})")
    check_equal(page.evaluate("opened"), 2, "how often the stream was opened")
    say("after a restart the browser is back by itself and gets the newest, once")


def all_lists_in_one_stream(page, store, server):
    page.evaluate("source.close()")
    page.evaluate(LISTEN, f"{server.url}/v1/events")
    first = store.commit("movies", [park(1)])
    wait_for(page, first, 3, "a list that is new, in the stream of all lists")
    lists = page.evaluate("heads.map(head => head.list)")
    check_equal(sorted(set(lists)), ["movies", "parks"], "the lists in the stream of all")
    say("the stream of all lists has each one, and new ones")


def strangers_are_kept_out(browser, server):
    """A page of an origin that is not allowed gets nothing."""
    with_other_origin = page_server()
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{with_other_origin.server_port}/")
    page.evaluate(LISTEN, f"{server.url}/v1/events")
    page.wait_for_function("errors > 0", timeout=5000)
    check_equal((page.evaluate("opened"), page.evaluate("heads")), (0, []), "a stranger's page")
    with_other_origin.shutdown()
    say("a page of another origin than the one named gets nothing")


def pages_may_read_and_write(page, server):
    """fetch from the page: ETag and Content-Location are visible, and a PUT passes its preflight."""
    told = page.evaluate("""async (url) => {
      const got = await fetch(url);
      const tag = got.headers.get("ETag");
      const put = await fetch(url, {method: "PUT", body: "[]",
        headers: {"Content-Type": "application/json", "If-Match": tag}});
      const again = await fetch(url, {cache: "no-cache"});
      return {status: got.status, tag, put: put.status, putTag: put.headers.get("ETag"),
              again: again.status, items: (await again.json()).length};
    }""", f"{server.url}/v1/lists/movies")
    check(told["tag"], f"a page sees no ETag: {told}")
    check_equal((told["status"], told["put"], told["again"], told["items"]), (200, 201, 200, 0),
                "GET, PUT and GET from a page")
    say("a page of the named origin reads ETags, writes with If-Match, and revalidates")


class FileHandler(http.server.BaseHTTPRequestHandler):
    """The files of a folder, for pages of all origins."""

    # Chromium uses no ETag of HTTP/1.0.
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        file = self.server.folder / self.path.lstrip("/")
        content = file.read_bytes() if file.is_file() else None
        tag = f'"{hashlib.sha256(content or b"").hexdigest()}"'
        status = 404 if content is None else 304 if self.headers.get("If-None-Match") == tag else 200
        self.server.requests.append((self.command, self.path, status))
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        if content is not None:
            self.send_header("ETag", tag)
            self.send_header("Cache-Control", "max-age=1" if file.name == "head.json" else "max-age=31536000, immutable")
        if status == 200:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content) if status == 200 else 0))
        self.end_headers()
        if status == 200:
            self.wfile.write(content)

    do_OPTIONS = do_GET

    def log_message(self, *arguments):
        pass


def pages_follow_a_publication(page, store):
    """The client asks without a preflight, so that any host of files will do, and lets the browser ask with ETags."""
    folder = store.folder / "lists"

    def publish():
        store.listsync("publish", "parks", "-o", folder)

    def wait_for_update(*expected):
        page.wait_for_function("(count) => updates.length >= count || failure", arg=len(expected), timeout=10_000)
        check_equal((page.evaluate("failure"), page.evaluate("updates")), (None, list(expected)), "the page's updates")
    parks = [park(n) for n in range(200)]
    first = store.commit("parks", parks)
    publish()
    files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), FileHandler)
    files.folder, files.requests = folder, []
    threading.Thread(target=files.serve_forever, daemon=True).start()
    page.evaluate(FOLLOW, f"http://127.0.0.1:{files.server_port}")
    wait_for_update(["first", first, 200])
    time.sleep(3)
    second = store.commit("parks", parks[1:])
    publish()
    wait_for_update(["first", first, 200], ["changes", second, 199])
    page.evaluate("replica.stop()")
    heads = [status for method, path, status in files.requests if path == "/parks/head.json"]
    check_equal([heads[0], heads[-1]], [200, 200], "the statuses of the first and the last head")
    check(len(heads) > 3 and set(heads[1:-1]) == {304}, f"the head is asked for with its ETag: {heads}")
    others = [(method, path) for method, path, _ in files.requests if path != "/parks/head.json"]
    check(len(others) == 2 and {method for method, _ in others} == {"GET"}, f"each file is asked for once: {others}")
    files.shutdown()
    say(f"a page of another origin follows a publication: {len(heads)} requests for the head, of which all but two are short")


def body():
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    check(chromium, "chromium is missing: apt-get install chromium")
    pages = page_server()
    origin = f"http://127.0.0.1:{pages.server_port}"
    with fresh_store() as store, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--no-proxy-server"])
        with serving(store, "--allow-origin", origin) as server:
            page = browser.new_page()
            page.goto(origin)
            events_arrive(page, store, server)
            it_comes_back(page, store, server)
            all_lists_in_one_stream(page, store, server)
            pages_may_read_and_write(page, server)
            strangers_are_kept_out(browser, server)
        with fresh_store() as published:
            pages_follow_a_publication(page, published)
        browser.close()


if __name__ == "__main__":
    run("EventSource in chromium", body)
