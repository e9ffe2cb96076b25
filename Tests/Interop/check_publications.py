#!/usr/bin/env python3
"""Web servers, a cache and an S3, set up as in Documentation/Publishing.md, serve lists that `listsync pull` follows.

    check_publications.py [--built FOLDER] [SERVER ...]       servers: nginx apache varnish s3 (default: all)

A server whose program is not installed is skipped. All are checked at the same time, since clients wait for caches.
"""

import argparse
import functools
import http.client
import http.server
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import interop
from interop import Failure, Store, check, check_equal, eventually, free_port, run, say

sys.path.insert(0, str(interop.ROOT / "Clients/Python"))
from listsync.client import Replica  # noqa: E402

LIST = "parks"
VERSIONS = 30
AFTER = 4  # versions that are published while the servers run
DOCUMENTATION = interop.ROOT / "Documentation/Publishing.md"
block = functools.partial(interop.documented, DOCUMENTATION)
FOREVER, SHORTLY = "public, max-age=31536000, immutable", "public, max-age=10"
MODULES = ["mpm_event", "authz_core", "mime", "rewrite", "headers", "filter", "deflate"]
MODULE_FOLDERS = ["/usr/lib/apache2/modules", "/usr/lib64/httpd/modules", "/usr/libexec/apache2"]
os.environ["PATH"] += f":/usr/sbin:/usr/local/sbin:{Path(sys.executable).parent}"


def versions_of(seed, count):
    """Versions of a random list; in each, some items are changed, moved, inserted or removed."""
    chance, versions = random.Random(seed), []
    items = [{"id": f"park-{seed}-{n}", "name": f"Pärk № {n}", "rating": 0} for n in range(120)]
    for version in range(count):
        for _ in range(chance.randint(1, 8)):
            place = chance.randrange(len(items))
            items[place] = {**items[place], "rating": chance.random()}
            items.insert(chance.randrange(len(items)), items.pop(place))
        items.insert(chance.randrange(len(items)), {"id": f"new-{seed}-{version}", "name": "Neu"})
        del items[chance.randrange(len(items))]
        versions.append(list(items))
    return versions


HISTORY, OTHER_HISTORY = versions_of(1, VERSIONS + AFTER), versions_of(2, 3)


def commit(store, version, history=HISTORY, *options):
    """Commits a version at a fixed time, so its cursor is the same in each store."""
    store.listsync("commit", LIST, "-", "--at", f"2026-01-01T00:{version:02}:00Z", *options,
                   stdin=json.dumps(history[version - 1]).encode())


class Site:
    """A web server with a publication of its own, and copies of each version of its list."""

    programs = []
    root = "www/lists"
    access_log = "access.log"
    chooses_form = True  # by Accept-Encoding
    lag = 0  # seconds for which the server gives an old head

    def __init__(self, folder):
        self.name = type(self).__name__.lower()
        self.folder = Path(folder) / self.name
        (self.folder / "copies").mkdir(parents=True)
        self.store, self.processes, self.count, self.port = Store(self.folder, "listsync.db"), [], 0, None

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/lists"

    def spawn(self, *command, log="server.log"):
        with open(self.folder / log, "ab") as output:
            self.processes.append(subprocess.Popen(
                list(map(str, command)), stdin=subprocess.DEVNULL, stdout=output, stderr=output, cwd=self.folder))

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(20)

    def answers(self):
        log = (self.folder / "server.log").read_bytes()[-1000:].decode(errors="replace")
        check(all(process.poll() is None for process in self.processes), f"it ended at its start: {log}")
        try:
            return self.get("head.json")[0] in (200, 403, 404)
        except OSError:
            return False

    def publish(self):
        self.store.listsync("publish", LIST, "-o", self.folder / self.root)

    def get(self, file, **headers):
        """Status, header fields and body, as they are on the wire."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            fields = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("GET", f"/lists/{LIST}/{file}", headers={"Accept-Encoding": "gzip", **fields})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def bytes(self, file):
        return (self.folder / self.root / LIST / file).read_bytes()

    def delta(self, length, version):
        """The file of a delta, by the number of its versions and its last one."""
        folder = self.folder / self.root / LIST
        return str(next(folder.glob(f"delta/{length}/{version}-*.json")).relative_to(folder))

    def head(self):
        return json.loads(self.bytes("head.json"))

    def wait_for_head(self):
        eventually("the new head comes", lambda: self.get("head.json")[2] == self.bytes("head.json.gz"), self.lag + 10)

    def requests(self):
        """The requests for files of the list so far: name and status."""
        text = (self.folder / self.access_log).read_text(errors="replace")
        found = re.findall(rf'"GET (?:http://[^/ ]+)?/lists/{LIST}/(\S+) HTTP/[0-9.]+" ([0-9]+)', text)
        return [(name, int(status)) for name, status in found]

    def copy(self, version):
        """A new file with a copy of a version; none for version 0."""
        self.count += 1
        file = self.folder / f"{self.count}-from-{version}.replica"
        if version:
            shutil.copy(self.folder / f"copies/{version}.replica", file)
        return file

    def start_pull(self, copy, *options):
        return subprocess.Popen(
            [interop.BUILD / "listsync", "pull", LIST, self.url, "--copy", copy, "--json", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def pull(self, copy, history=HISTORY):
        """The version that a pull reaches, and its messages. Its list must be exactly that of the version."""
        process = self.start_pull(copy, "-o", copy.with_suffix(".json"))
        answer, told = process.communicate(timeout=100)
        check_equal(process.returncode, 0, f"exit code of a pull with {copy.name} ({told.decode()})")
        version = json.loads(answer)["to"]["version"]
        check(json.loads(copy.with_suffix(".json").read_bytes()) == history[version - 1],
              f"{copy.name} has another list than version {version}")
        return version, told.decode()

    def watch(self, version):
        """A client that goes on, and the versions that it shows."""
        process, versions = self.start_pull(self.copy(version), "--watch"), []

        def read():
            versions.extend(json.loads(line)["to"]["version"] for line in process.stdout)
        threading.Thread(target=read, daemon=True).start()
        self.processes.append(process)
        return process, versions

    def pull_to_head(self, copy, history=HISTORY):
        version, told = self.pull(copy, history)
        check_equal(version, self.head()["head"]["version"], f"the version that {copy.name} reaches ({told})")
        check(copy.with_suffix(".json").read_bytes() == self.store.listsync("show", LIST),
              f"{copy.name} has another list than 'listsync show' prints")
        return told


class Nginx(Site):
    programs = ["nginx"]

    def start(self, port=None):
        listen = f"listen 127.0.0.1:{port or self.port};"
        (self.folder / "nginx.conf").write_text(
            f"daemon off;\npid {self.folder}/nginx.pid;\nevents {{}}\nhttp {{\naccess_log {self.folder}/access.log;\n"
            + "".join(f"{name}_temp_path {self.folder}/{name};\n"
                      for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            + block("nginx", ("/srv/www", self.folder / "www"), ("listen 80;", listen)) + "}\n")
        self.spawn("nginx", "-e", self.folder / "server.log", "-c", self.folder / "nginx.conf")


class Apache(Site):
    programs = ["apache2"]

    def start(self):
        modules = next(path for path in MODULE_FOLDERS if Path(path, "mod_mime.so").exists())
        user = 'User nobody\nGroup "#65534"\n' if os.getuid() == 0 else ""
        (self.folder / "apache.conf").write_text(
            f"ServerRoot {self.folder}\nServerName localhost\nListen 127.0.0.1:{self.port}\n{user}"
            f"DefaultRuntimeDir {self.folder}\nDocumentRoot {self.folder}/www\n"
            "PidFile apache.pid\nErrorLog server.log\n"
            + "".join(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in MODULES)
            # These are common; the block must cope with them.
            + "TypesConfig /dev/null\nAddType application/x-gzip .gz\nAddOutputFilterByType DEFLATE application/json\n"
            + 'LogFormat "\\"%r\\" %>s" short\nCustomLog access.log short\n'
            + block("apache", ("/srv/www", self.folder / "www")))
        self.spawn("apache2", "-f", self.folder / "apache.conf", "-DFOREGROUND")


class Varnish(Nginx):
    """In front of nginx. After the lifetime of a head, it gives the old one for up to 10 s more."""

    programs = ["nginx", "varnishd", "varnishncsa"]
    access_log = "varnish.log"
    lag = 20

    def start(self):
        inner, place = free_port(), ("-n", self.folder / "varnish")
        super().start(inner)
        (self.folder / "list.vcl").write_text(block("vcl", ('"8080"', f'"{inner}"')))
        self.spawn("varnishd", "-F", "-j", "none", *place, "-s", "malloc,32m", "-a", f"127.0.0.1:{self.port}",
                   "-f", self.folder / "list.vcl")
        eventually("Varnish answers", self.answers, 30)
        self.spawn("varnishncsa", *place, "-F", '"%r" %s', log=self.access_log)


class S3(Site):
    programs = ["moto_server", "rclone"]
    root = "publication"
    access_log = "server.log"
    chooses_form = False

    def start(self):
        self.spawn("moto_server", "-H", "127.0.0.1", "-p", self.port)
        eventually("moto answers", self.answers, 30)
        address, keys = f"http://127.0.0.1:{self.port}", ("a", "b")
        remote = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": address, "ACL": "public-read",
                  "ACCESS_KEY_ID": keys[0], "SECRET_ACCESS_KEY": keys[1]}
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "RCLONE_"))},
            **{f"RCLONE_CONFIG_S3_{name}": value for name, value in remote.items()}, "RCLONE_CONFIG": "/dev/null",
            "PATH": f"{interop.BUILD}:{os.environ['PATH']}", "AWS_ENDPOINT_URL": address, "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": keys[0], "AWS_SECRET_ACCESS_KEY": keys[1]}
        self.script("rclone mkdir s3:lists")
        self.publish()
        if shutil.which("aws"):
            (self.folder / "cors.json").write_text(block("json"))
            self.script(re.search(r"`(aws s3api put-bucket-cors [^`]+)`", DOCUMENTATION.read_text()).group(1))
        else:
            say("s3: the CORS rule: SKIPPED, since aws is not installed")

    def script(self, text):
        done = subprocess.run(["sh", "-c", text], env=self.environment, cwd=self.folder, capture_output=True)
        check_equal(done.returncode, 0, f"exit code of a script ({done.stderr.decode()[-1000:]})")

    def publish(self):
        self.script(block("sh", word="rclone"))


def published(folder, sites):
    """Publishes each version, and keeps the copies that clients then have. The sites begin at version 30."""
    store, root, copies = Store(folder, "listsync.db"), Path(folder) / "lists", {}
    handler = functools.partial(QuietHandler, directory=str(folder))
    servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in sites]
    for site, server in zip(sites, servers):
        site.port, copies[site] = server.server_address[1], site.copy(0)
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    for version in range(1, VERSIONS + AFTER + 1):
        commit(store, version)
        store.listsync("publish", LIST, "-o", root)
        for site, copy in copies.items():
            check_equal(site.pull(copy)[0], version, "the version of a copy")
            shutil.copy(copy, site.folder / f"copies/{version}.replica")
        for site in sites if version == VERSIONS else ():
            shutil.copytree(root, site.folder / site.root)
            shutil.copy(store.file, site.store.file)
    for server in servers:
        server.shutdown()
        server.server_close()
    say(f"{VERSIONS + AFTER} versions published, each pulled by a client of each site")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def files_are_as_configured(site):
    head = site.head()
    deltas = [site.delta(length, version) for length, version in ((1, 2), (1, 30), (2, 12))]
    # Object stores take the type of XML from the system's table.
    changing = {"head.json": ["application/json"], "index.html": ["text/html"], "feed.xml": ["application/xml", "text/xml"]}
    for file in [*changing, *deltas, head["whole"]["file"]]:
        packed, plain = site.bytes(f"{file}.gz"), site.bytes(file)
        status, fields, body = site.get(file)
        check_equal((status, fields.get("content-encoding")), (200, "gzip"), file)
        check(body == packed, f"{file}: {len(body)} bytes on the wire, and {len(packed)} in the file .gz")
        check_equal(fields.get("cache-control"), SHORTLY if file in changing else FOREVER, f"{file}: Cache-Control")
        kind = fields.get("content-type", "").partition(";")[0]
        check(kind in changing.get(file, ["application/json"]), f"{file}: Content-Type {kind}")
        check_equal(fields.get("access-control-allow-origin"), "*", f"{file}: Access-Control-Allow-Origin")
        same = site.get(file, If_None_Match=fields["etag"])
        check_equal((same[0], same[2]), (304, b""), f"{file} with If-None-Match")
        check_equal(site.get(file, If_None_Match='"other"')[0], 200, f"{file} with another ETag")
        if site.chooses_form:
            status, other, body = site.get(file, Accept_Encoding="identity")
            check_equal((status, other.get("content-encoding"), body == plain), (200, None, True), f"{file}, plain")
            check(other["etag"] != fields["etag"], f"{file}: one ETag for both forms")
            check("accept-encoding" in fields.get("vary", "").lower(), f"{file}: Vary")
            check("accept-encoding" in other.get("vary", "").lower(), f"{file}: Vary of the plain form")
    status, fields, _ = site.get(f"delta/1/999-{'0' * 32}.json")
    check(status in (403, 404) and "cache-control" not in fields, f"a missing file: {status}, {fields}")
    check_equal(fields.get("access-control-allow-origin"), "*", "Access-Control-Allow-Origin of a missing file")


def clients_of_all_versions_catch_up(site):
    site.pull_to_head(site.copy(0))
    before = len(site.requests())
    for version in range(1, VERSIONS + 1):
        check("started over" not in site.pull_to_head(site.copy(version)), f"version {version} started over")
    eventually("the last request is in the log", lambda: len(site.requests()) > before + VERSIONS, 10)
    time.sleep(1)  # a client that watches asks meanwhile, too
    before = len([name for name, status in site.requests() if status == 200])
    site.pull_to_head(site.copy(VERSIONS))
    time.sleep(1.5)
    new = [name for name, status in site.requests() if status == 200][before:]
    check_equal(new, ["head.json"], "the requests of an up-to-date client")
    replica = Replica(site.url, LIST)
    check(replica.catch_up().state.version == VERSIONS, "the client in Python does not reach the head")
    check([item.value for item in replica.copy.items] == HISTORY[VERSIONS - 1], "the client in Python has another list")


def new_versions_come(site, watch, shown):
    """Right after a publication, clients without a copy, with an old one and with the newest one all end well."""
    eventually("the watch gets 304", lambda: ("head.json", 304) in site.requests()[-3:], 25)
    commit(site.store, 31)
    commit(site.store, 32)
    site.publish()
    version, _ = site.pull(site.copy(0))
    check(version == 32 or site.lag and version == 30, f"a client without a copy reaches version {version}")
    newest, old = site.pull(site.copy(32)), site.pull(site.copy(7))
    check_equal(newest[0], 32, f"the version of a client that is ahead of the cache ({newest[1]})")
    check("started over" not in newest[1] + old[1], f"a client started over: {newest[1]}{old[1]}")
    if site.lag:
        check(version == 30 and "is behind" in newest[1], f"the cache was not behind: {version}, {newest[1]}")
    eventually("the watch shows version 32", lambda: shown == [32], site.lag + 15)
    watch.send_signal(signal.SIGINT)
    check_equal(watch.wait(20), 130, "exit code of a watch")
    site.wait_for_head()
    site.pull_to_head(site.copy(29))


def pruned_versions_start_over(site):
    commit(site.store, 33)
    site.publish()
    site.wait_for_head()
    pruned = site.delta(1, 32)
    site.store.listsync("prune", LIST, "--keep-last", 1)
    commit(site.store, 34)
    site.publish()
    # Where the head comes from a cache, it names a delta that is gone, and that no client has read.
    told = site.pull_to_head(site.copy(32))
    check("started over: the changes since the version of the copy were pruned" in told, f"a pruned version: {told!r}")
    check(bool(site.lag) == ("is behind" in told), f"a client after pruning: {told!r}")
    site.wait_for_head()
    site.pull_to_head(site.copy(33))
    site.pull_to_head(site.copy(0))
    if not site.lag:
        check(site.get(pruned)[0] in (403, 404), "a pruned delta is still there")


def other_history_starts_over(site):
    site.store.listsync("drop", LIST, "--yes")
    for version in range(1, len(OTHER_HISTORY) + 1):
        commit(site.store, version, OTHER_HISTORY, *(["--begin-again"] if version == 1 else []))
    site.publish()
    site.wait_for_head()
    for version in (1, 3, 0):
        told = site.pull_to_head(site.copy(version), OTHER_HISTORY)
        check(("not in the server's history" in told) == (version > 0), f"version {version} of the old list: {told!r}")
    if not site.lag:
        # Its version is later than that of the head, as if a cache were behind.
        told = site.pull_to_head(site.copy(34), OTHER_HISTORY)
        check("is behind" in told and "not in the server's history" in told, f"the last of the old list: {told!r}")


def follow(site, failures):
    """All steps of a site."""
    try:
        site.start()
        eventually("the server answers", site.answers, 30)
        watch, shown = site.watch(VERSIONS)
        files_are_as_configured(site)
        clients_of_all_versions_catch_up(site)
        say(f"{site.name}: files as configured; clients of each version catch up")
        new_versions_come(site, watch, shown)
        pruned_versions_start_over(site)
        other_history_starts_over(site)
        say(f"{site.name}: new versions come, also to a watch; pruned versions and another history start over")
    except Exception as failure:  # noqa: BLE001: shown by the main thread
        failures.append(f"{site.name}: {failure if isinstance(failure, Failure) else repr(failure)}")
    finally:
        site.stop()


def body(names):
    kinds, failures = [], []
    for kind in [kind for kind in (Nginx, Apache, Varnish, S3) if not names or kind.__name__.lower() in names]:
        missing = [program for program in kind.programs if not shutil.which(program)]
        if missing:
            say(f"{kind.__name__.lower()}: SKIPPED, since {' and '.join(missing)} is not installed")
        else:
            kinds.append(kind)
    with tempfile.TemporaryDirectory(prefix="listsync-interop-") as folder:
        os.chmod(folder, 0o755)  # web servers give up root's rights
        sites = [kind(folder) for kind in kinds]
        published(folder, sites)
        threads = [threading.Thread(target=follow, args=(site, failures)) for site in sites]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    check(not failures, "\n  ".join(failures))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--built", metavar="FOLDER", type=Path, help="the folder of the built programs")
    parser.add_argument("servers", nargs="*", choices=["nginx", "apache", "varnish", "s3", []], metavar="SERVER")
    arguments = parser.parse_args()
    interop.BUILD = arguments.built.resolve() if arguments.built else interop.BUILD
    run("publications", lambda: body(arguments.servers))
