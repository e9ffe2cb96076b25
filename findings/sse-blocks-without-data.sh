#!/usr/bin/env bash
# httpx-sse 0.4.3, aiosseclient 0.1.8 and sseclient 0.0.27 (Python clients of server-sent events): a block without a line of
# data arrives as a message with empty data.
#
# Guessed: a first block of `retry:` and a comment, with which many servers begin a stream, does nothing but set the time of
# reconnection: the HTML standard ("Interpreting an event stream") says that a block whose data is empty is not dispatched.
# Seen: all three give the program an event "message" with the data "" first, and then the event "head". httpx-sse does so
# for each later block of a comment alone, too, which servers send to keep a connection open.
# Why it matters: a program that follows a list's news reads JSON from each message, and stops at the first one. A server
# that wants to serve these clients puts `retry:` into a block that has data; a client skips events with empty data.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/v"
"$folder/v/bin/pip" -q --disable-pip-version-check install \
  httpx==0.28.1 httpx-sse==0.4.3 aiosseclient==0.1.8 requests==2.34.2 sseclient==0.0.27
"$folder/v/bin/python" - <<'PYTHON'
import asyncio
import http.server
import itertools
import threading

import aiosseclient
import httpx
import httpx_sse
import sseclient

STREAM = b'retry: 2000\n: welcome\n\nid: 7\nevent: head\ndata: {"version":7}\n\n: beat\n\n'


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(STREAM)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}/"


def with_httpx():
    with httpx.Client() as client, httpx_sse.connect_sse(client, "GET", url) as source:
        return [(event.event, event.data) for event in source.iter_sse()]


async def with_aiosseclient():
    events = []
    async for event in aiosseclient.aiosseclient(url):
        events.append((event.event, event.data))
        if len(events) == 2:
            break
    return events


seen = {
    "httpx-sse": with_httpx(),
    "aiosseclient": asyncio.run(with_aiosseclient()),
    "sseclient": [(event.event, event.data) for event in itertools.islice(sseclient.SSEClient(url), 2)],
}
for name, events in seen.items():
    print(f"{name}: {events}")
    assert events[:2] == [("message", ""), ("head", '{"version":7}')], name
assert seen["httpx-sse"][2:] == [("message", "")]
PYTHON
