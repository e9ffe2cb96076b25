#!/usr/bin/env python3
"""Reverse proxies, set up as in Documentation/Server.md, in front of a server on a port and on a Unix socket.

    check_proxies.py [PROXY ...]       proxies: nginx bare apache caddy haproxy (default: all)

A proxy whose program is not installed is skipped. `bare` is nginx with nothing but `proxy_pass`.
"""

import functools
import http.client
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

import interop
from interop import (
    Failure, Server, check, check_equal, eventually, free_port, fresh_store, park, run, running,
    say)

sys.path.insert(0, str(interop.ROOT / "Clients/Python"))
from listsync.client import Replica  # noqa: E402

DOCUMENTATION = interop.ROOT / "Documentation/Server.md"
documented = functools.partial(interop.documented, DOCUMENTATION)
SOON = 5  # seconds; nginx held back a stream for more than 75
IDS = ["plain", ".", "..", "/", "a/../b", "b", "%", "%2F", "a b", "+", "é", "x&y=z", "?#"]
MODULES = ["mpm_event", "authz_core", "env", "filter", "deflate", "proxy", "proxy_http"]
MODULE_FOLDERS = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"]
os.environ["PATH"] += ":/usr/sbin:/usr/local/sbin"


def socket_spellings():
    """What each proxy's configuration has in place of an address, where the server listens on a Unix socket."""
    found = re.findall(r"^- (\w+): `([^`]*http\.sock[^`]*)`$", DOCUMENTATION.read_text(), re.M)
    return {name.lower(): text for name, text in found}


class UnixServer(Server):
    """A server on a Unix socket."""

    def __init__(self, store):
        self.socket = store.folder / "http.sock"
        super().__init__(store, "--unix-socket", self.socket)

    def is_ready(self):
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(str(self.socket))
                client.sendall(b"GET /readyz HTTP/1.0\r\nHost: localhost\r\n\r\n")
                return b" 200 " in client.recv(100)
            except OSError:
                return False


class Answer:
    def __init__(self, answer, url):
        self.url, self.status, self.body = url, answer.status, answer.read()
        self.headers = {name.lower(): value for name, value in answer.getheaders()}

    def json(self):
        return json.loads(self.body)

    def address(self, name):
        """The address in a field, as a client resolves it."""
        value = self.headers.get(name, "")
        return urljoin(self.url, value.partition(">")[0].lstrip("<")) if value else None


def ask(url, method="GET", body=None, **headers):
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        text = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, parts._replace(scheme="", netloc="").geturl(), text, fields)
        return Answer(connection.getresponse(), url)
    finally:
        connection.close()


class Proxy:
    """A proxy with a list of its own, in front of a server."""

    program, prefix, changes_tags = "", "/lists", False

    def __init__(self, folder, server):
        self.is_unix = isinstance(server, UnixServer)
        self.name = f"{type(self).__name__.lower()}, {'a Unix socket' if self.is_unix else 'a port'}"
        self.server, self.store, self.port = server, server.store, free_port()
        self.folder = Path(folder) / self.name.replace(" ", "-")
        self.folder.mkdir()
        self.list = f"parks-{type(self).__name__.lower()}"
        self.url = f"http://127.0.0.1:{self.port}{self.prefix}"
        self.lists = f"{self.url}/v1/lists/{self.list}"
        self.process = None

    @property
    def upstream(self):
        """The text of the documentation that stands for the server's address, and what replaces it."""
        plain = {"nginx": "http://127.0.0.1:8080/", "apache": "http://127.0.0.1:8080/"}.get(self.kind, "127.0.0.1:8080")
        if self.is_unix:
            return plain, socket_spellings()[self.kind].replace("/run/listsync/http.sock", str(self.server.socket))
        return plain, plain.replace("8080", str(self.server.port))

    def spawn(self, *command):
        self.log = self.folder / "proxy.log"
        with open(self.log, "ab") as output:
            self.process = subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder,
                env={**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder),
                     "XDG_CONFIG_HOME": str(self.folder)})

    def answers(self):
        log = self.log.read_bytes()[-1500:].decode(errors="replace")
        check(self.process.poll() is None, f"{self.name}: it ended at its start: {log}")
        try:
            return ask(f"{self.url}/readyz").status == 200
        except OSError:
            return False

    def stop(self):
        if self.process:
            self.process.terminate()
            self.process.wait(20)


class Nginx(Proxy):
    program, kind = "nginx", "nginx"

    def start(self):
        self.configure(documented("nginx", ("listen 80;", f"listen 127.0.0.1:{self.port};"), self.upstream))

    def configure(self, block):
        (self.folder / "nginx.conf").write_text(
            f"daemon off;\npid {self.folder}/nginx.pid;\nevents {{}}\nhttp {{\naccess_log off;\n"
            # These are common; the block must cope with them.
            "gzip on;\ngzip_proxied any;\ngzip_types application/json;\n"
            + "".join(f"{name}_temp_path {self.folder}/{name};\n"
                      for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            + block + "}\n")
        self.spawn("nginx", "-e", self.folder / "error.log", "-c", self.folder / "nginx.conf")


class Bare(Nginx):
    """nginx with nothing but proxy_pass, which also compresses what the server did not."""

    changes_tags = True

    def start(self):
        place = self.upstream[1]
        self.configure(f"server {{ listen 127.0.0.1:{self.port}; location /lists/ {{ proxy_pass {place}; }} }}\n")


class Apache(Proxy):
    program, kind = "apache2", "apache"

    def start(self):
        modules = next(path for path in MODULE_FOLDERS if Path(path, "mod_proxy.so").exists())
        user = 'User nobody\nGroup "#65534"\n' if os.getuid() == 0 else ""
        (self.folder / "apache.conf").write_text(
            f"ServerRoot {self.folder}\nServerName localhost\nListen 127.0.0.1:{self.port}\n"
            f"{user}DefaultRuntimeDir {self.folder}\nPidFile apache.pid\nErrorLog error.log\n"
            + "".join(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in MODULES)
            + "AddOutputFilterByType DEFLATE application/json\n"
            + documented("apache", self.upstream))
        self.spawn("apache2", "-f", self.folder / "apache.conf", "-DFOREGROUND")


class Caddy(Proxy):
    program, kind = "caddy", "caddy"

    def start(self):
        (self.folder / "Caddyfile").write_text(
            "{\n  admin off\n  auto_https off\n}\n"
            + documented("caddy", ("lists.example", f"http://127.0.0.1:{self.port}"), self.upstream))
        self.spawn("caddy", "run", "--adapter", "caddyfile", "--config", self.folder / "Caddyfile")


class HAProxy(Proxy):
    program, kind = "haproxy", "haproxy"

    def start(self):
        (self.folder / "haproxy.cfg").write_text(
            documented("haproxy", ("bind :80", f"bind 127.0.0.1:{self.port}"), self.upstream))
        self.spawn("haproxy", "-db", "-f", self.folder / "haproxy.cfg")


def events_arrive_at_once(proxy):
    """The newest version at once, and the next one right after its commit."""
    parts, events = urlsplit(f"{proxy.lists}/events"), []
    connection = http.client.HTTPConnection(parts.netloc, timeout=SOON)

    def read():
        try:
            for line in connection.getresponse():
                if line.startswith(b"id: "):
                    events.append((line[4:].decode().strip(), time.monotonic()))
        except (OSError, http.client.HTTPException):
            pass  # A silent stream: the checks below say so.
    begun = time.monotonic()
    connection.request("GET", parts.path)
    threading.Thread(target=read, daemon=True).start()
    eventually("the first event", lambda: len(events) == 1, SOON)
    first = events[0][1] - begun
    cursor = proxy.store.commit(proxy.list, [park(n) for n in range(3)])
    begun = time.monotonic()
    eventually("the event of a commit", lambda: len(events) == 2, SOON)
    check_equal(events[1][0], cursor, "the id of the second event")
    if connection.sock:
        connection.sock.shutdown(socket.SHUT_RDWR)
    return f"first event {first:.2f} s, next {max(0, events[1][1] - begun):.2f} s after its commit"


def waits_end_at_once(proxy):
    head = ask(f"{proxy.lists}/delta?since=head").json()["to"]["cursor"]
    answers = []
    thread = threading.Thread(
        target=lambda: answers.append((ask(f"{proxy.lists}/delta?since={head}&wait=50"), time.monotonic())))
    thread.start()
    time.sleep(1)
    check(not answers, "a wait ended before the commit")
    cursor = proxy.store.commit(proxy.list, [park(n) for n in range(4)])
    begun = time.monotonic()
    thread.join(SOON)
    check(answers, f"a wait did not end within {SOON} s of the commit")
    check_equal(answers[0][0].json()["to"]["cursor"], cursor, "the end of a wait")
    return f"a wait {max(0, answers[0][1] - begun):.2f} s after the commit"


def watchers_follow(proxy):
    """The client in Python sees a commit through an event."""
    replica, seen = Replica(proxy.url, proxy.list, events=True), []
    for update in replica.updates():
        seen.append(update.after.state.version)
        if len(seen) == 1:
            timer = threading.Timer(0.5, lambda: (
                proxy.store.commit(proxy.list, [park(n) for n in range(5)]), begun.append(time.monotonic())))
            begun = []
            timer.start()
        else:
            break
    timer.join()
    check(time.monotonic() - begun[0] < SOON, f"a watcher saw a commit after {time.monotonic() - begun[0]:.1f} s")


def tags_are_kept(proxy):
    for coding in ("identity", "gzip"):
        answer = ask(proxy.lists, Accept_Encoding=coding)
        check_equal(ask(proxy.lists, Accept_Encoding=coding, If_None_Match=answer.headers["etag"]).status, 304,
                    f"{coding}: If-None-Match")
        tag = answer.headers["etag"]
        put = ask(proxy.lists, "PUT", [park(n, coding=coding) for n in range(4)], If_Match=tag)
        if proxy.changes_tags and coding == "gzip":
            check(tag.startswith("W/"), f"this proxy keeps tags: {tag}")
            check_equal(put.status, 412, "If-Match with a weak tag")
            told = re.search(r'send If-Match: ("[^"]+")', put.json()["detail"])
            check(told, f"412 shows no tag: {put.json()['detail']}")
            put = ask(proxy.lists, "PUT", [park(n, coding=coding) for n in range(4)], If_Match=told[1])
        else:
            check(tag.startswith('"'), f"{coding}: a weak tag, {tag}")
        check_equal(put.status, 201, f"{coding}: PUT with the tag of an answer ({put.body[:300]})")
        check_equal(ask(put.address("location")).status, 200, "Location")


def addresses_stay_inside(proxy):
    page, versions = f"{proxy.lists}/versions?limit=2", []
    while page:
        answer = ask(page)
        check_equal(answer.status, 200, page)
        versions += [entry["version"] for entry in answer.json()]
        page = answer.address("link")
    check_equal(versions, list(range(versions[0], 0, -1)), "versions along Link")
    for path in ("", "/delta?since=1", "/versions/2"):
        answer = ask(proxy.lists + path)
        pinned = ask(answer.address("content-location"))
        check_equal((pinned.status, pinned.body == answer.body), (200, True), f"{path}: Content-Location")
        check("immutable" in pinned.headers["cache-control"], f"{path}: the address is not immutable")
    problem = ask(proxy.lists, "PUT", [], If_Match='"1-00000000000000000000000000000000"')
    check_equal(problem.status, 412, "a false condition")
    check_equal(ask(urljoin(problem.url, problem.json()["snapshot"])).status, 200, "the snapshot of a problem")
    page = ask(f"{proxy.url}/", Accept="text/html")
    for file in re.findall(r'(?:href|src)="(page/[^"]+)"', page.body.decode()):
        check_equal(ask(urljoin(page.url, file)).status, 200, file)
    items = ask(f"{proxy.lists}/history?item=park-00000&limit=1")
    check_equal(ask(items.address("link")).status, 200, "Link of an item's history")


def every_id_is_reached(proxy):
    for id in IDS:
        address = f"{proxy.lists}/items?item={quote(id, safe='')}"
        put = ask(address, "PUT", {"id": id, "name": proxy.name}, If_Match="*")
        check_equal(put.status, 201, f"PUT of {id!r} ({put.body[:200]})")
        got = ask(address)
        check_equal((got.status, got.json()["id"]), (200, id), f"GET of {id!r}")
        for part in ("history", "places"):
            answer = ask(f"{proxy.lists}/{part}?item={quote(id, safe='')}")
            check_equal((answer.status, len(answer.json())), (200, 1), f"{part} of {id!r}")
    for id in IDS:
        address = f"{proxy.lists}/items?item={quote(id, safe='')}"
        check_equal(ask(address, "DELETE", If_Match="*").status, 200, f"DELETE of {id!r}")
    ids = [item["id"] for item in ask(proxy.lists).json()]
    check_equal(ids, [park(n)["id"] for n in range(4)], "the items after all are removed")


def long_bodies_pass(proxy):
    """A commit of 3 MB, and a bundle that is the same as without the proxy."""
    if type(proxy) is not Bare:  # By itself, nginx takes bodies of up to 1 MB.
        items = [park(n, text="x" * 1000) for n in range(3000)]
        put = ask(f"{proxy.lists}-long", "PUT", items, If_None_Match="*")
        check_equal(put.status, 201, f"a PUT of 3 MB ({put.body[:200]})")
        check(ask(f"{proxy.lists}-long").json() == items, "a list of 3 MB came back changed")
    bundle = ask(f"{proxy.lists}/bundle")
    check(bundle.body == proxy.store.listsync("bundle", "create", proxy.list, "--output", "-"), "the bundle has other bytes")


def follow(proxy, failures):
    """All checks of a proxy."""
    try:
        proxy.store.commit(proxy.list, [park(n) for n in range(2)])
        proxy.start()
        eventually(f"{proxy.name} answers", proxy.answers, 30)
        told = [events_arrive_at_once(proxy), waits_end_at_once(proxy)]
        watchers_follow(proxy)
        tags_are_kept(proxy)
        addresses_stay_inside(proxy)
        every_id_is_reached(proxy)
        long_bodies_pass(proxy)
        say(f"{proxy.name}: {'; '.join(told)}; tags, addresses and ids are right")
    except Exception as failure:  # noqa: BLE001: shown by the main thread
        failures.append(f"{proxy.name}: {failure if isinstance(failure, Failure) else repr(failure)}")
    finally:
        proxy.stop()


def body(names):
    kinds, failures = [], []
    for kind in [kind for kind in (Nginx, Bare, Apache, Caddy, HAProxy) if not names or kind.__name__.lower() in names]:
        if shutil.which(kind.program):
            kinds.append(kind)
        else:
            say(f"{kind.__name__.lower()}: SKIPPED, since {kind.program} is not installed")
    for server_kind in (Server, UnixServer):
        with fresh_store() as store, tempfile.TemporaryDirectory(prefix="listsync-proxies-") as folder:
            os.chmod(folder, 0o755)  # proxies give up root's rights
            os.chmod(store.folder, 0o755)
            with running(server_kind(store)) as server:
                if server_kind is UnixServer:
                    os.chmod(server.socket, 0o666)  # for proxies of other users
                # One after the other: each is measured by itself.
                for kind in kinds:
                    follow(kind(folder, server), failures)
                store.listsync("verify", "--deep")
    check(not failures, "\n  ".join(failures))


if __name__ == "__main__":
    run("reverse proxies", lambda: body(sys.argv[1:]))
