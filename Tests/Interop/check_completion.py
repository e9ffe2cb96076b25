#!/usr/bin/env python3
"""The tabulator key completes verbs, names from the store and files in bash, zsh and fish."""

import os
import re
import subprocess
import time

import pexpect

from interop import BUILD, check, fresh_store, park, run, say

CASES = [
    ("listsync comm", "listsync commit"),
    ("listsync log pa", "listsync log parks"),
    ("listsync delta parks --since sp", "listsync delta parks --since spring"),
    ("listsync commit parks sn", "listsync commit parks snapshot.json"),
    ("listsync log --store inter", "listsync log --store interop.db"),
    ("listsync log --store absent.db pa", "listsync log --store absent.db pa"),
    ("listsync show parks@sp", "listsync show parks@spring"),
]

SHELLS = {
    "bash": (["--norc", "--noprofile"], "source listsync.bash"),
    "zsh": (["-f"], "fpath=($PWD $fpath); autoload -U compinit; compinit -u"),
    "fish": (["--no-config"], "source listsync.fish"),
}


def typed(terminal, seconds=3.0):
    """The text on the terminal since the last call, after a silent second."""
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            text += terminal.read_nonblocking(10_000, 1)
        except pexpect.TIMEOUT:
            break
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def completions(shell, store):
    options, setup = SHELLS[shell]
    script = "_listsync" if shell == "zsh" else f"listsync.{shell}"
    (store.folder / script).write_bytes(subprocess.check_output(
        [BUILD / "listsync", "--generate-completion-script", shell]))
    environment = {
        "PATH": f"{BUILD}:{os.environ['PATH']}", "HOME": str(store.folder), "TERM": "dumb",
        "LISTSYNC_STORE": str(store.file)}
    terminal = pexpect.spawn(
        shell, options, cwd=store.folder, env=environment, encoding="utf-8",
        dimensions=(40, 150))
    typed(terminal)
    terminal.sendline(setup)
    typed(terminal)
    for given, expected in CASES:
        terminal.send(given + "\t")
        shown = typed(terminal)
        check(shown.rstrip("\x07 ").endswith(expected), f"{shell}: {given} became {shown!r}")
        # Empties the line.
        terminal.send("\x15")
        typed(terminal)
    terminal.close(force=True)
    say(f"{shell}: {len(CASES)} unfinished lines completed")


def body():
    with fresh_store() as store:
        store.commit("parks", [park(1)])
        store.listsync("tag", "parks", "spring")
        (store.folder / "snapshot.json").write_text("[]")
        for shell in SHELLS:
            completions(shell, store)


run("Completion", body)
