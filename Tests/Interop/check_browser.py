#!/usr/bin/env python3
"""EventSource in Debian's chromium, on a page of another origin, during commits and across a restart."""

import http.server
import shutil
import threading
import time

from playwright.sync_api import sync_playwright

from interop import check, check_equal, fresh_store, park, run, say, serving

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


class PageHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE)

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
        browser.close()


if __name__ == "__main__":
    run("EventSource in chromium", body)
