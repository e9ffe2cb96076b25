#!/usr/bin/env python3
"""Judges a server of ListSync: Tests/Conformance/run_server.py ADDRESS | --built FOLDER

Plays the exchanges of exchanges.json, as README.md beside this file describes, with the server at an address, which
must admit everybody, or with the listsyncd of a folder, such as .build/debug.
"""
import http.client
import json
import re
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from urllib.parse import urljoin, urlsplit

CURSOR = r"\d+-[0-9a-f]{32}"


class Fault(Exception):
    pass


class Play:
    """One vector, with the names that its texts stand for."""

    def __init__(self, address):
        self.address, self.names = address, {"list": f"list-{uuid.uuid4().hex}"}

    def filled(self, text):
        return re.sub(r"\{(\w+)\}", lambda match: self.names.get(match[1], match[0]), text)

    def match(self, expected, found, place, whole=True):
        """Compares a text; a name that is not known yet stands for the cursor that is there."""
        names = []

        def part(text):
            if not re.fullmatch(r"\{\w+\}", text) or text[1:-1] in self.names:
                return re.escape(self.filled(text))
            names.append(text[1:-1])
            return f"({CURSOR})"
        pattern = "".join(part(text) for text in re.split(r"(\{\w+\})", expected))
        result = (re.fullmatch if whole else re.search)(pattern, found if isinstance(found, str) else "")
        if not result:
            raise Fault(f"{place} is {found!r}, not {self.filled(expected)!r}")
        self.names.update(zip(names, result.groups()))

    def compare(self, expected, found, place):
        """Compares JSON values; objects may have further members."""
        if isinstance(expected, str):
            self.match(expected, found, place)
        elif isinstance(expected, dict) and isinstance(found, dict):
            for name, value in expected.items():
                self.compare(value, found.get(name), f"{place}/{name}")
        elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
            for number, value in enumerate(expected):
                self.compare(value, found[number], f"{place}/{number}")
        elif expected != found or isinstance(expected, bool) != isinstance(found, bool):
            raise Fault(f"{place} is {found!r}, not {expected!r}")

    def play(self, exchange):
        path, body = self.filled(exchange["path"]), exchange.get("body")
        headers = {name: self.filled(value) for name, value in exchange.get("headers", {}).items()}
        connection = http.client.HTTPConnection(self.address, timeout=30)
        try:
            text = None if body is None else self.filled(body).encode()
            connection.request(exchange["method"], path, text, headers)
            answer = connection.getresponse()
            if answer.status != exchange["status"]:
                raise Fault(f"the status is {answer.status}, not {exchange['status']}: {answer.read(500)!r}")
            for name, parts in exchange["contains"].items():
                found = answer.headers[name] or ""
                if name.endswith("Location"):
                    found = urljoin(path, found)
                for part in parts:
                    self.match(part, found, name, whole=False)
            if "event" in exchange:
                self.compare(exchange["event"], self.first_event(answer), "the event")
            elif exchange["answer"] is not None:
                self.compare(exchange["answer"], json.loads(answer.read()), "")
        finally:
            connection.close()

    @staticmethod
    def first_event(stream):
        event = {}
        for line in stream:
            name, colon, value = line.decode().rstrip("\r\n").partition(":")
            if not name and not colon:
                if "data" in event:
                    return event
                raise Fault("the empty line after a comment, or after retry, ends a message without data")
            if name in ("event", "id", "data"):
                event[name] = json.loads(value) if name == "data" else value.strip()
        raise Fault("the stream ends without an event")


def judge(address):
    vectors = json.loads((Path(__file__).parent / "exchanges.json").read_text("utf-8"))["vectors"]
    failed = 0
    for vector in vectors:
        play, fault = Play(address), None
        for number, exchange in enumerate(vector["exchanges"], 1):
            try:
                play.play(exchange)
            except (Fault, OSError, ValueError, http.client.HTTPException) as error:
                fault = f"request {number}, {exchange['method']} {exchange['path']}: {error}"
                break
        failed += fault is not None
        print(f"{'failed' if fault else 'passed'}  {vector['name']} ({', '.join(vector['rules'])})")
        if fault:
            print(f"        {fault}")
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


def judge_built(folder):
    with tempfile.TemporaryDirectory() as store:
        server = subprocess.Popen(
            [Path(folder).resolve() / "listsyncd", "--store", "listsync.db", "--port", "0"], cwd=store,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            line = server.stdout.readline()
            if not line.startswith("listening on "):
                sys.exit("listsyncd does not start")
            return judge(urlsplit(line.split()[-1]).netloc)
        finally:
            server.terminate()
            server.wait(60)
            server.stdout.close()


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 2 and arguments[0] == "--built":
        return judge_built(arguments[1])
    if len(arguments) == 1 and arguments[0].startswith("http"):
        return judge(urlsplit(arguments[0]).netloc)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main())
