#!/usr/bin/env python3
"""Judges a client of ListSync: Tests/Conformance/run_client.py [--only NAME] [--built FOLDER] COMMAND…

Without --built it plays the scripts of scenarios.json, as README.md beside this file describes. With --built it
starts the listsyncd of a folder, such as .build/debug, and changes its lists with the listsync beside it.
"""
import argparse
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ZERO = "0-000000000000"


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
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with self.lock:
            number, self.given = self.given, self.given + 1
            waited, self.answered_at = now - self.answered_at, now
        answer = self.answers[number] if number < len(self.answers) else {"since": self.end, "status": 304}
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
            return {"status": 404, "body": "", "type": "text/plain"}
        if number >= len(self.answers):
            time.sleep(0.2)
        return answer

    @property
    def end(self):
        return self.final["cursor"] if self.final else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        answer = self.server.script.next(self)
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
        self.wfile.write(body[:len(body) - cut])
        if cut:
            self.close_connection = True
        return None

    do_PUT = do_PATCH = do_POST = do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


def run_client(command, address, copy, until=None, environment=None):
    """The exit code and the printed state of a run; None where nothing is printed."""
    arguments = command + [address, "parks", "--copy", str(copy), "--json"]
    arguments += ["--until", str(until)] if until is not None else []
    done = subprocess.run(
        arguments, capture_output=True, text=True, timeout=120, env={**os.environ, **(environment or {})}, check=False)
    state = json.loads(done.stdout) if done.stdout.strip() else None
    return done.returncode, state, done.stderr.strip()


def judge(expected, code, state, message):
    """What is wrong with the end of a run."""
    if expected is None:
        good = code == 1 and state is None and message
        return [] if good else [f"it must fail with exit code 1 and a message; it has {code}, {state}, '{message}'"]
    if code != 0 or state is None:
        return [f"exit code {code}: {message}"]
    return [f"{name} is {state.get(name)}, not {value}" for name, value in expected.items() if state.get(name) != value]


def play(scenario, command, folder):
    """The faults of a scenario."""
    faults = []
    for number, run in enumerate(scenario["runs"], 1):
        script = Script(run)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.script = script
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            # A path of its own for each scenario; the address changes, as after a restart of the server.
            end = run_client(command, f"http://127.0.0.1:{server.server_port}", folder / "copy", run.get("until"))
            found = script.faults + judge(run["final"], *end)
        except (subprocess.TimeoutExpired, ValueError) as error:
            found = script.faults + [str(error)]
        finally:
            server.shutdown()
            server.server_close()
        if script.given < len(script.answers):
            found.append(f"it asked {script.given} times, and the script has {len(script.answers)} answers")
        faults += [f"run {number}: {fault}" for fault in found]
    return faults


def play_all(command, only):
    scenarios = json.loads((Path(__file__).parent / "scenarios.json").read_text("utf-8"))["vectors"]
    failed = 0
    for scenario in scenarios:
        if only and only not in scenario["name"]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            faults = play(scenario, command, Path(folder))
        failed += bool(faults)
        print(f"{'failed' if faults else 'passed'}  {scenario['name']} ({', '.join(scenario['rules'])})")
        for fault in faults:
            print(f"        {fault}")
    return failed


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
        return line.split()[-1]

    def stop(self):
        if self.server:
            self.server.terminate()
            self.server.wait(60)
            self.server.stdout.close()
            self.server = None

    def state(self):
        """The head, as a client must print it."""
        lists = json.loads(self.listsync("lists", "--json"))
        head = next(one for one in lists if one["list"] == "parks")["head"]
        ids = [item["id"] for item in json.loads(self.listsync("show", "parks"))]
        return {**head, "ids": ids}


def play_built(command, programs):
    """Runs a client against the real server: the first list, changes, pruning, a restored backup, a token."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built, token = Built(programs, folder), {}
        failed = 0

        def check(what, until=None):
            nonlocal failed
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
            time.sleep(1)
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
    parser.add_argument("--built", metavar="FOLDER", help="run against the built listsyncd of a folder")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the client")
    options = parser.parse_args()
    if not options.command:
        parser.error("name the client's command")
    failed = play_built(options.command, options.built) if options.built else play_all(options.command, options.only)
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
