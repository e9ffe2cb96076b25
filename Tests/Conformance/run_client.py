#!/usr/bin/env python3
"""Judges a client of ListSync: Tests/Conformance/run_client.py [--only NAME] [--every N] [--staying] [--built FOLDER | --hostile] COMMAND…

Without --built it plays the scripts of scenarios.json and publications.json, as README.md beside this file describes; with --staying
four processes of the client play all runs, of which each has a new replica: a start takes longer than a run. With --built it
starts the listsyncd of a folder, such as .build/debug, and changes its lists with the listsync beside it. With
--hostile it answers without an end, packed and damaged. Every run has a memory limit.
"""
import argparse
import concurrent.futures
import gzip
import hashlib
import http.server
import json
import os
import queue
import re
import secrets
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ZERO = "0-00000000000000000000000000000000"
# A client may hold an answer of 256 MiB, its pieces while it is read, and its program.
RESIDENT_BYTES = 900 << 20
# The address space is limited too, except of programs that reserve much more than they use.
ADDRESS_BYTES = 4 << 30
RESERVING = {"node", "bun", "deno", "java"}
# What a run may need of a processor. A client that waits for more than the other limit hangs: on a busy machine, a second
# of work can take minutes.
PROCESSOR_SECONDS = 30
HANG_SECONDS = 600


class Fault(Exception):
    pass


class Script:
    """The answers of one run, given in order."""

    def __init__(self, run):
        self.answers, self.final, self.faults = list(run["answers"]), run["final"], []
        self.lock, self.given, self.answered_at = threading.Lock(), 0, time.monotonic()

    def next(self, handler):
        """The answer to a request. A request that the script does not expect is a fault, and gets 404."""
        url, now = urlsplit(handler.path), time.monotonic()
        if url.path == "/parks/head.json":
            return None  # There is no publication (P49).
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with self.lock:
            number, self.given = self.given, self.given + 1
            waited, self.answered_at = now - self.answered_at, now
        answer = self.answers[number] if number < len(self.answers) else {"since": self.last, "status": 304}
        tag = handler.headers.get("If-None-Match")
        wrong = [text for holds, text in (
            (url.path == "/v1/lists/parks/delta", f"the path is {url.path}"),
            (query.keys() <= {"since", "fallback", "wait", "limit", "smaller"}, f"a parameter is unknown: {url.query}"),
            (query.get("since") == answer["since"], f"since is {query.get('since')}, not {answer['since']}"),
            (not answer.get("wait") or "wait" in query, "there is no 'wait'"),
            (waited >= answer.get("not_before_seconds", 0), f"it came after {waited:.2f} s"),
            (answer.get("status") != 304 or tag == f'"{answer["since"]}"', f"If-None-Match is {tag}"),
        ) if not holds]
        if number > len(self.answers) + 20:
            wrong.append("the client does not end")
        self.faults += [f"request {number + 1}: {text}" for text in wrong]
        if wrong:
            return None
        if number >= len(self.answers):
            time.sleep(0.2)
        return answer

    @property
    def last(self):
        return self.final["cursor"] if self.final else None

    def end(self):
        """What is wrong with the requests."""
        if self.given < len(self.answers):
            self.faults.append(f"it asked {self.given} times, and the script has {len(self.answers)} answers")
        return self.faults


class Files:
    """The files of one run, and what the client asks for."""

    def __init__(self, run):
        self.files, self.expected, self.heads = run["files"], run["asked"], run.get("heads")
        head = self.files["head.json"]
        self.contents = [head["content"], *head["later"]]
        self.asked, self.head_count, self.lock = [], 0, threading.Lock()
        self.given_tag = None

    def next(self, handler):
        path, tag = urlsplit(handler.path).path, handler.headers.get("If-None-Match")
        if not path.startswith("/parks/"):
            return {"status": 404, "body": "", "type": "text/html"}
        file = path[len("/parks/"):]
        if file != "head.json":
            with self.lock:
                self.asked.append(file)
            known = self.files.get(file)
            if known and "cached" in known and handler.headers.get("Cache-Control") != "no-cache":
                return {"body": known["cached"]}
            return {"body": known["content"]} if known else {"status": 404, "body": "", "type": "text/html"}
        with self.lock:
            content = self.contents[min(self.head_count, len(self.contents) - 1)]
            self.head_count += 1
            if self.head_count > 1 and len(self.contents) > 1 and tag != self.given_tag:
                self.asked.append(f"head.json with If-None-Match {tag}")
            self.given_tag = f'"{hashlib.sha256(content.encode()).hexdigest()}"'
        headers = {**self.files[file]["headers"], "ETag": self.given_tag}
        return {"status": 304, "headers": headers} if tag == self.given_tag else {"body": content, "headers": headers}

    def end(self):
        """What is wrong with the requests."""
        faults = [] if self.asked == self.expected else [f"it asked for {self.asked}, not {self.expected}"]
        if self.heads not in (None, self.head_count):
            faults.append(f"it asked {self.head_count} times for the head, not {self.heads} times")
        return faults


def own_path():
    """A first step of a server's address. Whoever still asks a former server at the same port does not know it."""
    return f"/{secrets.token_hex(8)}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if not self.path.startswith(self.server.path + "/"):
            return self.send_error(404)
        self.path = self.path.removeprefix(self.server.path)
        answer = self.server.script.next(self) or {"status": 404, "body": "", "type": "text/plain"}
        time.sleep(answer.get("hold_seconds", 0))
        body = answer.get("body", "").encode()
        if answer.get("close"):
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        self.send_response(answer.get("status", 200))
        for name, value in answer.get("headers", {}).items():
            self.send_header(name, value)
        if answer.get("status") != 304:
            self.send_header("Content-Type", answer.get("type", "application/json"))
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = answer.get("cut", 0)
        try:
            self.wfile.write(body[:len(body) - cut])
        except OSError:
            pass  # The client was ended meanwhile.
        if cut:
            self.close_connection = True
        return None

    do_PUT = do_PATCH = do_POST = do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


def run_client(command, address, copy, until=None, environment=None, key=None):
    """The exit code and the printed state of a run; None where nothing is printed."""
    arguments = [address, "parks", "--copy", str(copy), "--json"]
    arguments += ["--until", str(until)] if until is not None else []
    arguments += ["--key", key] if key else []
    if isinstance(command, Staying):
        code, out, message = command.run(arguments)
        return code, json.loads(out) if out.strip() else None, message.strip()
    done, usage = run_measured(command + arguments, {**os.environ, **(environment or {})})
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    if peak > RESIDENT_BYTES:
        raise ValueError(f"it used {peak >> 20} MiB of memory")
    if usage.ru_utime > PROCESSOR_SECONDS:
        raise ValueError(f"it used a processor for {usage.ru_utime:.0f} s")
    state = json.loads(done.stdout) if done.stdout.strip() else None
    return done.returncode, state, done.stderr.strip()


class Staying:
    """A client that stays for many runs: it reads the arguments of each as a line, and answers with a line: exit code, output, errors."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, arguments):
        timer = threading.Timer(HANG_SECONDS, self.process.kill)
        timer.start()
        print(json.dumps(arguments), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        timer.cancel()
        if not line:
            raise ValueError(f"it ended, or did not answer in {HANG_SECONDS} s")
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait(HANG_SECONDS)


def run_measured(arguments, environment):
    """Runs a program within the limit of its address space; the finished process, and what it used."""
    if Path(arguments[0]).name not in RESERVING and sys.platform == "linux":
        arguments = ["sh", "-c", 'ulimit -v "$0" && exec "$@"', str(ADDRESS_BYTES >> 10), *arguments]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(arguments, stdout=out, stderr=errors, env=environment)
        timer = threading.Timer(HANG_SECONDS, process.kill)
        timer.start()
        # wait4 tells what this process used, and those that it waited for.
        _, status, usage = os.wait4(process.pid, 0)
        expired = not timer.is_alive()
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = [stream.seek(0) or stream.read() for stream in (out, errors)]
        if expired:
            raise ValueError(
                f"it did not end in {HANG_SECONDS} s, of which it worked {usage.ru_utime:.1f} s; it printed {texts}")
        return subprocess.CompletedProcess(arguments, process.returncode, *texts), usage


def judge(expected, code, state, message, refusal=None):
    """What is wrong with the end of a run. The message of a run that must fail has the refusal in parentheses."""
    if expected is None:
        good = code == 1 and state is None and message
        if good and refusal and f"({refusal})" not in message:
            return [f"the message must have ({refusal}): '{message}'"]
        return [] if good else [f"it must fail with exit code 1 and a message; it has {code}, {state}, '{message}'"]
    if code != 0 or state is None:
        return [f"exit code {code}: {message}"]
    return [f"{name} is {state.get(name)}, not {value}" for name, value in expected.items() if state.get(name) != value]


def play(scenario, command, folder):
    """The faults of a scenario."""
    faults = []
    # The same address in each run, since a copy may be that of one server.
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.path = own_path()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        for number, run in enumerate(scenario["runs"], 1):
            script = server.script = Files(run) if "files" in run else Script(run)
            try:
                address = f"http://127.0.0.1:{server.server_port}{server.path}"
                ends = run_client(command, address, folder / "copy", run.get("until"), key=run.get("key"))
                found = judge(run["final"], *ends, run.get("refusal"))
            except ValueError as error:
                found = [str(error)]
            faults += [f"run {number}: {fault}" for fault in script.end() + found]
    finally:
        server.shutdown()
        server.server_close()
    return faults


def play_all(command, only, every, stays):
    names = ("scenarios.json", "publications.json")
    scenarios = [one for name in names for one in json.loads((Path(__file__).parent / name).read_text("utf-8"))["vectors"]]
    failed, free = 0, queue.SimpleQueue()
    # The clients wait most of the time.
    clients = [Staying(command) if stays else command for _ in range(4)]
    for client in clients:
        free.put(client)

    def faults_of(scenario):
        client = free.get()
        try:
            with tempfile.TemporaryDirectory() as folder:
                return play(scenario, client, Path(folder))
        finally:
            free.put(client)
    scenarios = [one for one in scenarios if not only or only in one["name"]][::every]
    pool = concurrent.futures.ThreadPoolExecutor(len(clients))
    for scenario, faults in zip(scenarios, pool.map(faults_of, scenarios)):
        failed += bool(faults)
        print(f"{'failed' if faults else 'passed'}  {scenario['name']} ({', '.join(scenario['rules'])})")
        for fault in faults:
            print(f"        {fault}")
    for client in clients if stays else []:
        client.end()
    return failed


def hostile_answers():
    """The name of an answer, its first bytes, those that are repeated until the client leaves, and the highest number of
    requests of a client that gives up after four tries, and starts over once."""
    def head(status, *headers):
        return "\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *headers, "", ""]).encode()

    def whole(status, body, *headers):
        return head(status, "Content-Type: application/json", f"Content-Length: {len(body)}", *headers) + body
    blanks = b" " * (1 << 20)
    chunk = b"100000\r\n" + blanks + b"\r\n"
    bomb = gzip.compress(blanks * 16, 9) * 64
    text = b'{"format":"list-delta/1","kind":"snapshot","list":"parks","items":[{"id":"'
    return [
        ("an answer without an end", head("200 OK"), blanks, 1),
        ("chunks without an end", head("200 OK", "Transfer-Encoding: chunked"), chunk, 1),
        ("an answer of 2^63 bytes", head("200 OK", "Content-Length: 9223372036854775806"), blanks, 4),
        ("an id without an end", head("200 OK") + text, b"x" * (1 << 20), 1),
        ("a packed gigabyte", whole("200 OK", bomb, "Content-Encoding: gzip"), None, 4),
        ("a packed gigabyte of a problem", whole("404 Not Found", bomb, "Content-Encoding: gzip"), None, 4),
        ("a 404 without an end", head("404 Not Found"), blanks, 1),
        ("a 410 without an end", head("410 Gone"), chunk, 1),
        ("a 503 without an end", head("503 Unavailable"), blanks, 4),
        ("a head without an end", b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 1000, 4),
        ("a line of a head without an end", b"HTTP/1.1 200 OK\r\nA: ", b"b" * 65_536, 4),
        ("a problem null", whole("404 Not Found", b"null"), None, 1),
        ("a problem of brackets", whole("404 Not Found", b"[" * 60_000), None, 1),
        ("a document null", whole("200 OK", b"null"), None, 2),
        ("brackets", whole("200 OK", b"[" * 50_000_000), None, 2),
        ("brackets in a member", whole("200 OK", b'{"x":' + b'[{"a":' * 5_000_000), None, 2),
        ("digits", whole("200 OK", b'{"x":' + b"9" * 30_000_000 + b"}"), None, 2),
        ("a cursor of digits", whole("200 OK", b'{"format":"list-delta/1","kind":"changes","to":{"cursor":"'
                                     + b"9" * 6000 + b'-000000000000"}}'), None, 2),
        ("bytes that are not UTF-8", whole("200 OK", b'"\xff\xfe' + b"x" * 1000 + b'"'), None, 2),
        ("no HTTP", b"SSH-2.0-OpenSSH_9.2\r\n", None, 4),
    ]


def play_hostile(command, only, has_events):
    """Each answer must end a client with an error of its own, without a copy, and within its memory."""
    answers = [answer for answer in hostile_answers() if not only or only in answer[0]]
    # The clients wait most of the time.
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        events = pool.submit(event_faults, command) if has_events and not only else None
        found = list(pool.map(lambda answer: hostile_faults(command, *answer[1:]), answers))
        found += [events.result()] if events else []
    for (name, *_), faults in zip([*answers, ("odd events",)], found):
        print(f"{'failed' if faults else 'passed'}  hostile: {name}", *faults, sep="\n        " if faults else "")
    return sum(map(bool, found))


def odd_events():
    """What a stream of events may hold: its bytes, and those that are repeated until the client leaves."""
    events = ["null", "7", "[]", "{", "", "{}", '{"cursor":7}', "[" * 50_000, "NaN", '"\\ud800"', "9" * 5000,
              '{"cursor":"' + "9" * 5000 + '-000000000000"}', "\0", "\ufeff"]
    return [(f"data: {event}\n\n".encode(), None) for event in events] + [
        (b"", None), (b"\xff\xfe\n", None), (b"data: ", b"x" * 65_536), (b": \n", None)]


def event_faults(command):
    """A client that watches by events must get a version, although each stream of events is odd, and then ends."""
    vector = json.loads((Path(__file__).parent / "scenarios.json").read_text("utf-8"))["vectors"][0]
    [run] = vector["runs"]
    body, final, odd = run["answers"][0]["body"].encode(), run["final"], odd_events()
    streams, path, asked = iter(odd), own_path(), []

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            try:
                self.answer()
            except OSError:
                pass

        def answer(self):
            # There is no publication.
            if not self.path.startswith(path) or self.path.endswith("/head.json"):
                return self.send_error(404)
            asked.append(self.path.removeprefix(path))
            if "/events" in self.path:
                first, repeated = next(streams, odd[0])
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                self.wfile.write(first)
                while repeated:
                    self.wfile.write(repeated)
                return None
            # Requests are held in place of each stream; that of the last one brings the list.
            is_held = "wait=" in self.path
            self.server.held_count += is_held
            has_news = self.server.held_count >= len(odd)
            self.send_response(200 if has_news else 304)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body) if has_news else 0))
            self.end_headers()
            self.wfile.write(body if has_news else b"")
            return None

        def log_message(self, *arguments):
            pass
    with tempfile.TemporaryDirectory() as folder, http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.daemon_threads, server.held_count = True, 0
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            address = f"http://127.0.0.1:{server.server_port}{path}"
            return judge(final, *run_client([*command, "--watch"], address, Path(folder) / "copy", final["version"]))
        except ValueError as error:
            return [f"{error}; it asked {len(asked)} times, in the end {asked[-3:]}"]
        finally:
            server.shutdown()


def hostile_faults(command, first, repeated, highest):
    path, requests, heads, faults = own_path().encode(), [], [], []

    class Answering(socketserver.BaseRequestHandler):
        def handle(self):
            try:
                asked = self.request.recv(65_536)
                if path not in asked:
                    return  # A connection in reserve, or another client.
                (heads if b"/parks/head.json" in asked else requests).append(asked.split(b"\r\n")[0])
                self.request.sendall(first)
                while repeated:
                    self.request.sendall(repeated)
                self.request.shutdown(socket.SHUT_WR)
                self.request.recv(65_536)
            except OSError:
                pass

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
    with tempfile.TemporaryDirectory() as folder, Server(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        address, copy = f"http://127.0.0.1:{server.server_address[1]}{path.decode()}", Path(folder) / "copy"
        try:
            code, state, message = run_client(command, address, copy)
            faults += judge(None, code, state, message)
            if re.search(r"Traceback|TypeError|Fatal error|\bat .*:\d+:\d+", message):
                faults.append(f"it has an error of its language: {message[-200:]}")
            if max(len(requests), len(heads)) > highest:
                faults.append(f"it asked {requests}, and for the head of a publication {heads}; {message}")
            if copy.exists():
                faults.append("it has a copy")
        except ValueError as error:
            faults.append(str(error))
        finally:
            server.shutdown()
    return faults


class Built:
    """The programs of a folder, with a store of their own."""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.server = Path(programs).resolve(), folder, None

    def listsync(self, *arguments, text=None):
        done = subprocess.run([self.programs / "listsync", *arguments], cwd=self.folder, input=text,
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Fault(f"listsync {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def commit(self, ids):
        self.listsync("commit", "parks", "-", text=json.dumps([{"id": id, "n": len(ids)} for id in ids]))

    def start(self, port=0):
        log = open(self.folder / "log", "w+b")
        self.server = subprocess.Popen(
            [self.programs / "listsyncd", "--store", "listsync.db", "--port", str(port)], cwd=self.folder,
            stdout=subprocess.PIPE, stderr=log, text=True)
        line = self.server.stdout.readline()
        if not line.startswith("listening on "):
            raise Fault(f"listsyncd: {(self.folder / 'log').read_text()}")
        self.address = line.split()[-1]
        return self.address

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.wait(60)
            self.server.stdout.close()
            self.server = None

    def shown(self, token=None):
        """The lists that the server shows, none to those whom it refuses."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            with urllib.request.urlopen(urllib.request.Request(self.address + "/v1/lists", headers=headers), timeout=60) as answer:
                return json.load(answer)["lists"]
        except urllib.error.HTTPError:
            return []

    def settle(self, token=None):
        """Waits until the server shows what the store has: it looks every 50 ms whether another process has changed it."""
        for _ in range(3000):
            if self.shown(token) == json.loads(self.listsync("lists", "--json")) and not (token and self.shown()):
                return
            time.sleep(0.02)
        raise Fault("listsyncd does not show what the store has")

    def state(self):
        """The head, as a client must print it."""
        lists = json.loads(self.listsync("lists", "--json"))
        head = next(one for one in lists if one["list"] == "parks")["head"]
        ids = [item["id"] for item in json.loads(self.listsync("show", "parks"))]
        return {**{name: head[name] for name in ("cursor", "version", "count", "root")}, "ids": ids}


def play_built(command, programs):
    """Runs a client against the real server: the first list, changes, pruning, a restored backup, a token."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built, token = Built(programs, folder), {}
        failed = 0

        def check(what, until=None):
            nonlocal failed
            built.settle(token.get("LISTSYNC_TOKEN"))
            code, state, message = run_client(command, address, folder / "copy", until, token)
            faults = judge(built.state(), code, state, message)
            failed += bool(faults)
            print(f"{'failed' if faults else 'passed'}  listsyncd: {what}", *faults, sep="\n        " if faults else "")
        try:
            built.commit(["zion", "acadia", "café", "cafe\u0301"])
            address = built.start()
            check("the first list")
            check("nothing new")
            built.commit(["café", "denali", "zion"])
            built.commit(["denali", "zion", "café", "😀"])
            check("two versions at once")
            later = threading.Timer(1, built.commit, [["zion"]])
            later.start()
            check("a version that comes while the client watches", until=4)
            later.join()
            shutil.copy(folder / "listsync.db", folder / "backup.db")
            built.stop()
            built.listsync("backup", "saved.db")
            built.commit(["zion", "lost"])
            address = built.start()
            check("a restarted server")
            built.stop()
            for suffix in ("", "-wal", "-shm"):
                (folder / f"listsync.db{suffix}").unlink(missing_ok=True)
            shutil.copy(folder / "saved.db", folder / "listsync.db")
            built.commit(["zion", "restored"])
            address = built.start()
            check("a restored backup (diverged)")
            for number in range(5):
                built.commit(["zion", str(number)])
            built.listsync("prune", "parks", "--keep-last", "1")
            check("pruned versions (too old)")
            secret = built.listsync("token", "create", "reader", "--read", "parks").strip()
            built.settle(secret)
            code, state, message = run_client(command, address, folder / "copy")
            faults = judge(None, code, state, message)
            failed += bool(faults)
            print(f"{'failed' if faults else 'passed'}  listsyncd: a token is needed", *faults)
            token["LISTSYNC_TOKEN"] = secret
            check("with the token")
        finally:
            built.stop()
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="the scenarios with this in their names")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th scenario")
    parser.add_argument("--staying", action="store_true", help="the client reads the arguments of each run as a line of JSON")
    parser.add_argument("--built", metavar="FOLDER", help="run against the built listsyncd of a folder")
    parser.add_argument("--hostile", action="store_true", help="answer without an end, packed and damaged")
    parser.add_argument("--events", action="store_true", help="with --hostile: odd events, too, to a client with --watch")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the client")
    options = parser.parse_args()
    if not options.command:
        parser.error("name the client's command")
    if options.built:
        failed = play_built(options.command, options.built)
    elif options.hostile:
        failed = play_hostile(options.command, options.only, options.events)
    else:
        failed = play_all(options.command, options.only, options.every, options.staying)
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
