#!/usr/bin/env python3
"""/openapi.json judged by schemathesis (every operation, valid and invalid data), and by the clients of two generators."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

from generated_clients import generated_clients_work
from interop import Failure, check, fresh_store, park, run, say, serving

HERE = Path(__file__).resolve().parent
# The number of cases for an operation and a phase, and the seed, which a failure prints.
CASES = os.environ.get("CASES", "60")
SEED = os.environ.get("SEED", "1")


def fill(store):
    """A list with a history, so addresses drawn from existing values are answered."""
    cursors = [store.commit("parks", [park(n, version=v) for n in range(v, v + 20)])
               for v in range(1, 8)]
    store.listsync("tag", "parks", "spring", "3")
    store.listsync("prune", "parks", "--keep-last", 5)
    return cursors


def fuzz(server, cursors, *options, title):
    """One run over all operations except the endless event streams, which check_browser.py tests."""
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(HERE),
        "LISTSYNC_CURSORS": " ".join(cursors)}
    done = subprocess.run(
        [Path(sys.executable).with_name("schemathesis"),
         "--config-file", HERE / "schemathesis.toml", "run", f"{server.url}/openapi.json",
         "--seed", SEED, "--max-examples", CASES, "--exclude-path-regex", "events$",
         # A dropped list would leave nothing to ask for.
         "--exclude-operation-id", "drop", "--workers", "1", *options],
        env=environment, capture_output=True, cwd=server.store.folder, timeout=1800)
    told = done.stdout.decode()
    summary = told[told.rfind("SUMMARY"):] if "SUMMARY" in told else told[-2000:]
    check(server.process.poll() is None,
          f"{title}: the server ended with {server.process.poll()}: {server.tail()}")
    if done.returncode != 0:
        print(told)
        raise Failure(f"{title}: schemathesis ended with {done.returncode}; {done.stderr.decode()}")
    cases = [line.strip() for line in summary.splitlines() if "generated, " in line]
    say(f"{title}: no failure; {' '.join(cases)}")


def no_server_error_was_logged(server):
    with urllib.request.urlopen(f"{server.url}/v1/lists", timeout=5) as answer:
        check(answer.status == 200, "the server does not answer after the run")


def body():
    with fresh_store() as store:
        cursors = fill(store)
        with serving(store) as server:
            generated_clients_work(server, store.folder)
            fuzz(server, cursors, title="without tokens in the store")
            no_server_error_was_logged(server)
        secret = json.loads(store.listsync("token", "create", "fuzzer", "--write", "*", "--json"))
        with serving(store) as server:
            fuzz(server, cursors, title="tokens in force, without one")
            fuzz(server, cursors, "-H", f"Authorization: Bearer {secret['secret']}",
                 title="with a token that may write")
        store.listsync("verify", "--deep")
        say("the store is whole afterwards (verify --deep)")


if __name__ == "__main__":
    run("openapi.json", body)
