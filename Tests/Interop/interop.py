"""Shared by the scripts here: the built programs, a fresh store, a server, and checks."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LISTSYNC_BUILD", ROOT / ".build/debug"))


class Failure(Exception):
    """A failed check; its text is for people."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def check_equal(got, expected, what):
    check(got == expected, f"{what}: expected {expected!r}, got {got!r}")


def say(text):
    print(f"  {text}", flush=True)


def run(title, body):
    """Runs a script's body; the first failure ends the script with exit code 1."""
    print(title, flush=True)
    try:
        body()
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr)
        sys.exit(1)


def check_table(page, lines):
    """Compares a table with that of a page, which begins with the same cell; or writes it there, with --update."""
    text = page.read_text().split("\n")
    start = lines[0][:lines[0].index("|", 1)]
    first = next(number for number, line in enumerate(text) if line.startswith(start))
    last = next(number for number, line in enumerate(text) if number > first and line[:1] != "|")
    for line in lines:
        say(line)
    if "--update" in sys.argv:
        page.write_text("\n".join(text[:first] + lines + text[last:]))
    else:
        check_equal("\n".join(text[first:last]), "\n".join(lines), f"the table of {page.name}")


def eventually(what, condition, seconds=90):
    """Waits until a condition holds; the limit is for a busy machine."""
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, f"{what}: not within {seconds} s")
        time.sleep(0.05)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pid):
    """Processor time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Store:
    """A store in a folder of its own, and `listsync` on it as another process."""

    def __init__(self, folder, name="interop.db"):
        self.folder = Path(folder)
        self.file = self.folder / name

    def command(self, *arguments):
        return [BUILD / "listsync", *map(str, arguments), "--store", self.file]

    def listsync(self, *arguments, stdin=None, status=0):
        """Runs `listsync`, which must end with this status; returns its output."""
        done = subprocess.run(
            self.command(*arguments), input=stdin, capture_output=True, timeout=120)
        told = (done.stderr + done.stdout[-1000:]).decode(errors="replace")
        check(done.returncode == status,
              f"listsync {' '.join(map(str, arguments))} on {self.file.name}: expected exit code "
              f"{status}, got {done.returncode}: {told}")
        return done.stdout

    def commit(self, name, items):
        """Commits a list of items and returns the new head's cursor."""
        answer = self.listsync("commit", name, "-", "--json", stdin=json.dumps(items).encode())
        return json.loads(answer)["head"]["cursor"]


class Server:
    """The built `listsyncd`, or a program with its options, on a free port of 127.0.0.1."""

    def __init__(self, store, *options, program="listsyncd"):
        self.store = store
        self.program = program
        self.options = options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = open(store.folder / "listsyncd.log", "ab")
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [BUILD / self.program, "--store", self.store.file, "--port", str(self.port),
             *self.options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
        )
        eventually(f"{self.program} answers", lambda: self.process.poll() is not None or self.is_ready())
        check(self.process.poll() is None, f"{self.program} ended at its start: {self.tail()}")

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def stop(self, seconds=15):
        """Sends SIGTERM, like a service manager; the server must end by itself, without an error."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{self.program} still runs {seconds} s after SIGTERM: {self.tail()}")
        check(status == 0, f"{self.program} ended with {status}: {self.tail()}")

    def tail(self):
        return Path(self.log.name).read_bytes()[-2000:].decode(errors="replace")


@contextmanager
def fresh_store():
    with tempfile.TemporaryDirectory(prefix="listsync-interop-") as folder:
        yield Store(folder)


def serving(store, *options, program="listsyncd"):
    return running(Server(store, *options, program=program))


@contextmanager
def running(server):
    """A running server, which always ends with the block."""
    server.start()
    try:
        yield server
        server.stop()
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()
        server.log.close()


def documented(page, kind, *replaced, word=""):
    """The fenced block of this kind on a page, with a word, and with each of the placeholders replaced."""
    text = page.read_text()
    found = [block for block in re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S) if word in block]
    check_equal(len(found), 1, f"blocks {kind} with {word!r} in {page.name}")
    for place, value in replaced:
        check(place in found[0], f"the block {kind} of {page.name} has no {place!r}")
        found[0] = found[0].replace(place, str(value))
    return found[0]


def park(number, **more):
    """An item with text beyond ASCII, so bytes and characters differ."""
    return {"id": f"park-{number:05}", "name": f"Pärk № {number}", "rating": number % 6, **more}
