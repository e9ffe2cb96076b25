#!/usr/bin/env python3
"""OpenSSL and Go's golang.org/x/mod/sumdb/note judge keys and signed heads, and sign some themselves; `listsync pull` and the clients in
Python and JavaScript follow a signed publication.

    check_signatures.py
"""

import base64
import functools
import http.server
import json
import os
import subprocess
import tempfile
import threading
from pathlib import Path

from interop import BUILD, ROOT, Failure, check, check_equal, fresh_store, park, run, say

NAME = "lists.example"
# Debian's package has the sources of the module, for builds without modules.
GO = {**os.environ, "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOFLAGS": "", "GOCACHE": "/tmp/listsync-go-cache"}
PROGRAM = r"""
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"

	"golang.org/x/mod/sumdb/note"
)

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// open KEY | sign SECRET | key NAME
func main() {
	switch os.Args[1] {
	case "open":
		text, err := io.ReadAll(os.Stdin)
		must(err)
		verifier, err := note.NewVerifier(os.Args[2])
		must(err)
		opened, err := note.Open(text, note.VerifierList(verifier))
		must(err)
		fmt.Print(opened.Text)
	case "sign":
		text, err := io.ReadAll(os.Stdin)
		must(err)
		signer, err := note.NewSigner(os.Args[2])
		must(err)
		signed, err := note.Sign(&note.Note{Text: string(text)}, signer)
		must(err)
		os.Stdout.Write(signed)
	case "key":
		secret, public, err := note.GenerateKey(rand.Reader, os.Args[2])
		must(err)
		fmt.Println(secret)
		fmt.Println(public)
	}
}
"""


def go_program(folder):
    (folder / "note.go").write_text(PROGRAM)
    subprocess.run(["go", "build", "-o", folder / "note", folder / "note.go"], check=True, env=GO, timeout=300)

    def call(*arguments, text="", accepted=True):
        done = subprocess.run([folder / "note", *arguments], input=text.encode(), capture_output=True, timeout=60)
        check_equal(done.returncode == 0, accepted, f"Go's verdict on {arguments[0]}: {done.stdout.decode()}")
        return done.stdout.decode()
    return call


def openssl_accepts(folder, text, signature, public):
    """Whether `openssl pkeyutl` verifies a signature: the key as DER is a fixed beginning and the 32 bytes (RFC 8410)."""
    (folder / "key.der").write_bytes(bytes.fromhex("302a300506032b6570032100") + public)
    (folder / "text").write_bytes(text.encode())
    (folder / "signature").write_bytes(signature)
    return subprocess.run(
        ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.der", "-keyform", "DER", "-rawin", "-in", "text", "-sigfile",
         "signature"], cwd=folder, capture_output=True, timeout=60).returncode == 0


def key_verb(*arguments):
    return subprocess.run([BUILD / "listsync", "key", *arguments], check=True, capture_output=True, text=True, timeout=60).stdout.strip()


def judge_notes(store, go):
    folder = store.folder
    key = key_verb("create", NAME, "-o", folder / "lists.key")
    secret = (folder / "lists.key").read_text().strip()
    other_secret, other = go("key", "other.example").split()
    (folder / "other.key").write_text(other_secret + "\n")
    check_equal(key_verb("show", folder / "other.key"), other, "a key that Go has made")

    items = [park(number) for number in range(40)]
    for version in range(6):
        store.commit("parks", items[version:])
    signers = ["--sign", folder / "lists.key"]
    for keys, options in [([key], signers), ([key, other], [*signers, "--sign", folder / "other.key"]), ([other], ["--sign", folder / "other.key"])]:
        store.listsync("publish", "parks", "-o", folder / "lists", *options)
        note = json.loads((folder / "lists/parks/head.json").read_text())["note"]
        text, _, lines = note.partition("\n\n")
        check_equal(text.split("\n")[:3], ["list-head/1", "parks", "6"], "the first lines")
        for signer, line in zip(keys, lines.splitlines(), strict=True):
            signature = base64.b64decode(line.split()[-1])[4:]
            public = base64.b64decode(signer.split("+", 2)[2])[1:]
            check(openssl_accepts(folder, text + "\n", signature, public), f"OpenSSL refuses the signature of {signer}")
            check(not openssl_accepts(folder, text, signature, public), "OpenSSL accepts another text")
            check_equal(go("open", signer, text=note), text + "\n", "the text that Go has verified")
            go("open", signer, text=note.replace("\n6\n", "\n7\n"), accepted=False)
    go("open", key, text=note, accepted=False)
    say("OpenSSL and Go accept notes of one key and of two, and refuse others")

    # The other way: Go signs, with our key and with its own.
    for signer, public in [(secret, key), (other_secret, other)]:
        (folder / "go.note").write_text(go("sign", signer, text=text + "\n"))
        store.listsync("verify", "parks", "--against", folder / "go.note", "--key", public)
    store.listsync("verify", "parks", "--against", folder / "go.note", "--key", key, status=6)
    (folder / "go.note").write_text((folder / "go.note").read_text().replace("\n6\n", "\n5\n"))
    store.listsync("verify", "parks", "--against", folder / "go.note", "--key", other, status=6)
    say("listsync accepts notes that Go has signed, and refuses others")
    return key, other


def follow(store, key, other):
    """Each client follows the publication with the right key, and refuses it with another one."""
    folder = store.folder
    store.listsync("publish", "parks", "-o", folder / "lists", "--sign", folder / "lists.key")
    cursor = json.loads((folder / "lists/parks/head.json").read_text())["head"]["cursor"]
    handler = functools.partial(QuietFiles, directory=folder / "lists")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    clients = {
        "listsync pull": lambda key, copy: [BUILD / "listsync", "pull", "parks", address, "--json", "--copy", copy, "--key", key],
        "the client in Python": lambda key, copy: [
            "python3", ROOT / "Clients/Python/listsync/client.py", address, "parks", "--json", "--copy", copy, "--key", key],
        "the client in JavaScript": lambda key, copy: [
            "node", ROOT / "Clients/JavaScript/tests/follow.mjs", address, "parks", "--json", "--copy", copy, "--key", key],
    }
    try:
        for number, (name, command) in enumerate(clients.items()):
            done = subprocess.run(command(key, folder / f"copy-{number}"), capture_output=True, text=True, timeout=60)
            check(done.returncode == 0 and cursor in done.stdout, f"{name} does not follow: {done.stderr}{done.stdout[-500:]}")
            done = subprocess.run(command(other, folder / f"other-{number}"), capture_output=True, text=True, timeout=60)
            check(done.returncode != 0 and "(other-key)" in done.stderr, f"{name} does not refuse another key: {done.stderr}")
            say(f"{name} follows the signed publication, and refuses it with another key")
    finally:
        server.shutdown()


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def body():
    check(Path(GO["GOPATH"], "src/golang.org/x/mod/sumdb/note").is_dir(), "the sources of golang.org/x/mod are missing")
    with tempfile.TemporaryDirectory(prefix="listsync-note-") as folder, fresh_store() as store:
        try:
            go = go_program(Path(folder))
        except (subprocess.CalledProcessError, OSError) as error:
            raise Failure(f"Go cannot build its program: {error}") from error
        follow(store, *judge_notes(store, go))


if __name__ == "__main__":
    run("Signed heads, judged by OpenSSL and Go", body)
