#!/usr/bin/env python3
"""An automatic failover by Patroni and etcd, under load: the leader is killed while two servers commit."""

import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from interop import BUILD, ROOT, check, check_equal, eventually, free_port, run, say

sys.path.insert(0, str(ROOT / "Clients/Python"))
from listsync.client import Replica  # noqa: E402

LISTS = ["parks", "films", "rivers"]


class Cluster:
    """Two nodes, the second one a synchronous standby. All processes are PostgreSQL's user's."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.user = None
        if os.getuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            self.user = owner
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        self.etcd_port, self.ports = free_port(), {}
        self.processes = {}

    def spawn(self, name, command):
        log = open(self.folder / f"{name}.log", "ab")
        own = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        self.processes[name] = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **own)

    def start(self):
        peer, client = f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{self.etcd_port}"
        self.spawn("etcd", [
            "etcd", "--name", "e", "--data-dir", str(self.folder / "etcd"), "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", f"e={peer}"])
        self.start_node("n1")
        eventually("the first node leads", lambda: self.leader() == "n1")
        self.start_node("n2")
        eventually("the second node is a synchronous standby", lambda: self.asks("n2", "/sync"))

    def start_node(self, name):
        port, rest = free_port(), free_port()
        self.ports[name] = (port, rest)
        rules = ["local all all trust", "host all all 127.0.0.1/32 trust",
                 "host replication all 127.0.0.1/32 trust"]
        # JSON is YAML.
        settings = {
            "scope": "listsync", "name": name,
            "restapi": {"listen": f"127.0.0.1:{rest}", "connect_address": f"127.0.0.1:{rest}"},
            "etcd3": {"host": f"127.0.0.1:{self.etcd_port}"},
            "bootstrap": {
                "dcs": {"ttl": 20, "loop_wait": 2, "retry_timeout": 3, "synchronous_mode": True},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "no-sync"], "pg_hba": rules},
            "postgresql": {
                "listen": f"127.0.0.1:{port}", "connect_address": f"127.0.0.1:{port}",
                "data_dir": str(self.folder / name), "bin_dir": str(self.programs), "pg_hba": rules,
                "authentication": {"superuser": {"username": "store"}, "replication": {"username": "replicator"}},
                "pgpass": str(self.folder / f"{name}.pgpass"),
                "parameters": {"unix_socket_directories": str(self.folder), "fsync": "off"}}}
        file = self.folder / f"{name}.yml"
        file.write_text(json.dumps(settings))
        self.spawn(name, ["patroni", str(file)])

    def asks(self, name, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name][1]}{path}", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def leader(self):
        return next((name for name in self.ports if self.asks(name, "/primary")), None)

    def kill(self, name):
        """Ends Patroni and PostgreSQL of a node at once, as the loss of the machine does."""
        server = int((self.folder / name / "postmaster.pid").read_text().split("\n")[0])
        os.kill(server, signal.SIGSTOP)
        subprocess.run(["pkill", "-KILL", "-P", str(server)], check=False)
        os.kill(self.processes[name].pid, signal.SIGKILL)
        os.kill(server, signal.SIGKILL)

    def address(self):
        hosts = ",".join(f"127.0.0.1:{port}" for port, _ in self.ports.values())
        return f"postgresql://store@{hosts}/postgres?target_session_attrs=read-write&connect_timeout=2"

    def stop(self):
        for name in self.ports:
            file = self.folder / name / "postmaster.pid"
            if file.exists():
                subprocess.run(["kill", "-KILL", file.read_text().split("\n")[0]], stderr=subprocess.DEVNULL)
        for process in self.processes.values():
            process.kill()
            process.wait()


def listsync(address, *arguments):
    done = subprocess.run([BUILD / "listsync", *arguments, "--store", address], capture_output=True, timeout=120)
    check(done.returncode == 0, f"listsync {' '.join(arguments)}: {done.stderr.decode()[-1000:]}")
    return done.stdout


def serve(address, folder, name):
    """The built server on a free port: its process and its address."""
    output = open(Path(folder) / f"{name}.out", "wb")
    process = subprocess.Popen([BUILD / "listsyncd", "--store", address, "--port", "0"],
                               stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
    text = ""

    def listens():
        nonlocal text
        text = Path(output.name).read_text()
        return "listening on " in text
    eventually(f"{name} listens", listens, 20)
    return process, re.search(r"listening on (\S+)", text).group(1)


class Writer(threading.Thread):
    """Commits one version after the other to a list, with messages of their own."""

    def __init__(self, url, name):
        super().__init__(daemon=True)
        self.url, self.name, self.number = url, name, 0
        self.kept, self.uncertain, self.times, self.failure = {}, set(), [], None
        self.stopped = threading.Event()

    def run(self):
        try:
            while not self.stopped.is_set():
                self.number += 1
                self.put(f"{self.name} {self.number}")
        except Exception as error:  # noqa: BLE001: shown by the main thread
            self.failure = error

    def put(self, message):
        body = json.dumps([{"id": "a"}, {"id": "n", "number": self.number}]).encode()
        query = f"message={message.replace(' ', '+')}"
        request = urllib.request.Request(
            f"{self.url}/v1/lists/{self.name}?{query}", body, method="PUT",
            headers={"Content-Type": "application/json", "If-Match": "*"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.kept[message] = answer.headers["ETag"].strip('"')
                self.times.append(time.monotonic())
        except urllib.error.HTTPError as error:
            check(error.code == 503 and error.headers["Retry-After"], f"PUT: {error.code} {error.read()[:300]!r}")
            self.uncertain.add(message)
            time.sleep(0.2)


def follow(url, name, replicas):
    replica = Replica(url, name, poll_seconds=5)
    replicas[name] = replica
    for _ in replica.updates():
        pass


def body():
    folder = tempfile.mkdtemp(prefix="listsync-patroni-")
    cluster, servers = Cluster(folder), []
    try:
        cluster.start()
        address = cluster.address()
        for name in LISTS:
            file = Path(folder) / "first.json"
            file.write_text('[{"id":"a"}]')
            listsync(address, "commit", name, str(file), "-m", "first")
        servers = [serve(address, folder, name) for name in ("server-1", "server-2")]
        writers = [Writer(servers[0][1], name) for name in LISTS]
        replicas = {}
        for name in LISTS:
            threading.Thread(target=follow, args=(servers[1][1], name, replicas), daemon=True).start()
        for writer in writers:
            writer.start()
        eventually("the writers commit", lambda: all(len(writer.kept) > 20 for writer in writers))
        leader = cluster.leader()
        cluster.kill(leader)
        killed = time.monotonic()
        eventually("commits go on after the failover",
                   lambda: all(writer.times and writer.times[-1] > killed + 3 for writer in writers))
        gap = min(time for writer in writers for time in writer.times if time > killed + 3) - killed
        check(cluster.leader() not in (None, leader), "the other node leads")
        time.sleep(1)
        for writer in writers:
            writer.stopped.set()
            writer.join(70)
            check(writer.failure is None, f"{writer.name}: {writer.failure}")
        for writer in writers:
            log = json.loads(listsync(address, "log", writer.name, "--json", "-n", "1000000"))
            found = {}
            for entry in log:
                check(entry["message"] not in found, f"{entry['message']} was committed twice")
                found[entry["message"]] = entry["cursor"]
            for message, cursor in writer.kept.items():
                check_equal(found.get(message), cursor, f"the acknowledged {message}")
            others = set(found) - set(writer.kept) - {"first"}
            check(others <= writer.uncertain, f"commits that nobody made: {others}")
            head = log[0]["cursor"]
            eventually(f"the replica of {writer.name} has the head",
                       lambda: replicas[writer.name].copy.state.cursor == head, 30)
        listsync(address, "verify", "--deep")
        kept = sum(len(writer.kept) for writer in writers)
        refused = sum(len(writer.uncertain) for writer in writers)
        say(f"{kept} commits acknowledged, {refused} answered with 503; the first commit {gap:.1f} s after the kill")
        say("each acknowledged version is there once; verify is clean; the replicas at another server have the heads")
    finally:
        for process, _ in servers:
            process.kill()
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if not all(shutil.which(program) for program in ("patroni", "etcd")):
        raise SystemExit("patroni: install patroni and etcd-server")
    run("patroni", body)
