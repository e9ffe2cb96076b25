"""Runs curl and returns the answer."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from interop import Failure, check, check_equal


@dataclass
class Answer:
    status: int
    headers: dict
    body: bytes
    trace: str
    uploaded: int
    connects: int
    seconds: float

    @property
    def etag(self):
        return self.headers.get("etag")

    @property
    def cursor(self):
        """The cursor in the ETag, without quotes, digest and the suffix of a coding."""
        check(self.etag, f"an ETag is missing among {sorted(self.headers)}")
        return re.fullmatch(r'"([^"+]+)(\+[0-9a-f]{12})?(\+gzip)?"', self.etag).group(1)

    def json(self):
        return json.loads(self.body)

    def link(self, relation):
        """The target of the Link header with this relation, or None."""
        for target, parameters in re.findall(r"<([^>]*)>([^,<]*)", self.headers.get("link", "")):
            if f'rel="{relation}"' in parameters or f"rel={relation}" in parameters:
                return target
        return None


def curl(url, *options, stdin=None):
    """The last answer of one call of curl; an error of curl itself ends the script."""
    with TemporaryDirectory() as folder:
        body, head = Path(folder, "body"), Path(folder, "head")
        told = "%{http_code} %{size_upload} %{num_connects} %{time_total}"
        done = subprocess.run(
            ["curl", "-sSv", "--max-time", "60", "-o", body, "-D", head, "-w", told, *options, url],
            input=stdin, capture_output=True,
        )
        trace = done.stderr.decode(errors="replace")
        if done.returncode != 0:
            raise Failure(f"curl {' '.join(map(str, options))} {url}: {trace}")
        status, uploaded, connects, seconds = done.stdout.decode().split()
        return Answer(
            int(status), headers_of(head.read_text()), body.read_bytes() if body.exists() else b"",
            trace, int(uploaded), int(connects), float(seconds))


def headers_of(text):
    """The fields of the last answer in a file that curl -D wrote (100 Continue comes before it)."""
    blocks = [block for block in text.replace("\r\n", "\n").split("\n\n") if block.strip()]
    fields = {}
    for line in blocks[-1].splitlines()[1:]:
        name, _, value = line.partition(":")
        key = name.strip().lower()
        fields[key] = ", ".join([fields[key], value.strip()] if key in fields else [value.strip()])
    return fields


def check_problem(answer, status, kind, *members):
    """Checks an error by the contract: status, type, media type, no-store, and its members."""
    what = f"the {kind} problem"
    check_equal(answer.status, status, f"{what}'s status ({answer.body[:300]!r})")
    check_equal(answer.headers.get("content-type", "").split(";")[0], "application/problem+json",
                f"{what}'s media type")
    check_equal(answer.headers.get("cache-control"), "no-store", f"{what}'s Cache-Control")
    document = answer.json()
    check_equal(document.get("type"), f"urn:listsync:problem:{kind}", f"{what}'s type")
    check_equal(document.get("status"), status, f"{what}'s status member")
    for member in ("title", "detail", "request_id", *members):
        check(member in document, f"{what} has no member {member!r}: {document}")
    return document
