"""The costs of apt's pdiffs of a list: patches of `diff --ed` between texts with an item on each line.

There is one patch for each step, or one from each older version to the newest (merged). The newest 20 are kept, or all.
reprepro's `rredtool` merges the 20. It drops all of them at an empty text, and those that are longer than the text. If
all are kept, `diff` makes the merged patches, and those are left out that have as many compressed bytes as the text.

A client gets the Release, the Index and patches. If the Index lacks its version, or the patches have more bytes than
the text, it gets the text, as apt does (`Acquire::PDiffs::SizeLimit`). The Release is not signed. The Index is as dak
writes it, but with SHA-256 only, and is not compressed; `rredtool` itself writes only SHA-1, which apt does not trust.
"""
import gzip
import hashlib
import re
import subprocess

KEPT = 20  # as `rredtool` does if it is not told a number
MERGED = ["pdiffs, merged, 20 kept", "pdiffs, merged, all kept"]
KINDS = ["pdiffs of steps, 20 kept", "pdiffs of steps, all kept", *MERGED]


class Pdiffs:
    """The versions of a list up to a head, as texts with an item on each line."""

    def __init__(self, lists):
        self.lists, self.folder = lists, lists.folder / f"{lists.name}-apt"
        self.folder.mkdir()
        self.head, self.steps = 0, {}
        self.versions = {}  # by the SHA-1 of the text; the newest one of equal texts

    def text(self, version):
        return (self.folder / str(version)).read_bytes()

    def advance(self, head):
        while self.head < head:
            self.head += 1
            text = self.lists.run("show", f"{self.lists.name}@{self.head}", "--format", "ndjson")
            (self.folder / str(self.head)).write_bytes(text)
            self.versions[hashlib.sha1(text).hexdigest()] = self.head
            if self.head > 1:
                self.steps[self.head - 1] = self.diff(self.head - 1)
                self.run_reprepro()

    def diff(self, version):
        """The compressed patch from a version to the newest one."""
        texts = [self.folder / str(one) for one in (version, self.head)]
        script = subprocess.run(["diff", "--ed", *texts], capture_output=True, check=False).stdout
        return self.tested(version, gzip.compress(script, 9))

    def tested(self, version, patch):
        """The patch, if it leads from the version to the newest one."""
        assert patched(self.text(version), gzip.decompress(patch)) == self.text(self.head)
        return patch

    def run_reprepro(self):
        """Lets reprepro merge the last step into its patches, as it does when an index has changed."""
        (self.folder / f"{self.head - 1}.diff").mkdir(exist_ok=True)
        hook = ["rredtool", self.folder, str(self.head), str(self.head - 1), "change"]
        # It names the files to put in place or to delete on the descriptor 3.
        names = subprocess.run(["sh", "-c", '"$@" 3>&1', "sh", *hook], capture_output=True, check=True).stdout.decode()
        for name in names.split():
            path = self.folder / name.removesuffix(".")
            if path.suffix == ".new":
                path.replace(path.with_suffix(""))
            elif path.suffix == ".tobedeleted":
                path.with_suffix("").unlink()
        (self.folder / f"{self.head - 1}.diff").rename(self.folder / f"{self.head}.diff")

    def merged(self):
        """The patches of reprepro, without the empty one that it adds for an old bug of apt."""
        folder = self.folder / f"{self.head}.diff"
        history = (folder / "Index").read_text().partition("SHA1-Patches:")[0] if (folder / "Index").exists() else ""
        found = re.findall("^ ([0-9a-f]{40}) +[0-9]+ (.+)$", history, re.M)
        names = sorted((self.versions[digest], name) for digest, name in found)
        return {version: self.tested(version, (folder / f"{name}.gz").read_bytes())
                for version, name in names if version < self.head}

    def repositories(self):
        """The files of repositories with this list only. Patches have the versions where they begin as names."""
        limit = len(gzip.compress(self.text(self.head), 9))
        direct = ((version, self.diff(version)) for version in range(1, self.head))
        useful = {version: patch for version, patch in direct if len(patch) < limit}
        newest = {version: patch for version, patch in self.steps.items() if version >= self.head - KEPT}
        patches = (newest, self.steps, self.merged(), useful)
        return {kind: self.files(kind, those) for kind, those in zip(KINDS, patches)}

    def files(self, kind, patches):
        is_merged = kind in MERGED
        head, dates = self.text(self.head), self.lists.dates
        whole = gzip.compress(head, 9)
        sections = {"History": [], "Patches": [], "Download": []}
        for version, patch in patches.items():
            name = f"T-{dates[self.head]}-F-{dates[version]}" if is_merged else dates[version]
            sections["History"].append(checked(self.text(version), name))
            sections["Patches"].append(checked(gzip.decompress(patch), name))
            sections["Download"].append(checked(patch, f"{name}.gz"))
        index = f"SHA256-Current:{checked(head, '').rstrip()}\n"
        index += "".join(f"SHA256-{title}:\n" + "\n".join(lines) + "\n" for title, lines in sections.items())
        index = (index + "X-Patch-Precedence: merged\n" * is_merged).encode()
        release = f"Codename: {self.lists.name}\nDate: {dates[self.head]}\nSHA256:\n" + "\n".join((
            checked(head, "list"), checked(whole, "list.gz"), checked(index, "list.diff/Index"), ""))
        return {"Release": release.encode(), "Index": index, "whole": whole, **patches}

    def catch_up(self, kind, files, start):
        """The requests and bytes from a version to the head."""
        way = [files.get(version) for version in ([start] if kind in MERGED else range(start, self.head))]
        if None in way or sum(map(len, way)) > len(files["whole"]):
            way = [files["whole"]]
        return 2 + len(way), len(files["Release"]) + len(files["Index"]) + sum(map(len, way))


def checked(content, name):
    """A line of a Release or an Index."""
    return f" {hashlib.sha256(content).hexdigest()} {len(content):7} {name}"


def patched(text, script):
    """The text after the commands of `diff --ed`, which go from its end to its start."""
    lines, commands = text.split(b"\n"), iter(script.split(b"\n")[:-1])
    for command in commands:
        first, last, kind = re.fullmatch(rb"(\d+)(?:,(\d+))?([acd])", command).groups()
        added = list(iter(lambda: next(commands), b".")) if kind != b"d" else []
        begin = int(first) - (kind != b"a")
        lines[begin:int(last or first)] = added
    return b"\n".join(lines)
