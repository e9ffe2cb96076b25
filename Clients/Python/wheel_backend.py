"""Builds the wheel and the source distribution of listsync_client.py (PEP 517), with the standard library alone.

The one file becomes a package, because a type checker looks for `py.typed` in packages only (PEP 561). With one
version of zlib, equal files make equal archives: their order, times and modes are fixed.
"""
import ast
import base64
import gzip
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = ["README.md", "listsync_client.py", "pyproject.toml", "wheel_backend.py"]
MAIN = "import sys\n\nfrom listsync_client import main\n\nsys.exit(main())\n"


def _project() -> dict:
    """The tables [project…] of pyproject.toml: Python before 3.11 has no reader of TOML."""
    tables: dict = {}
    for line in (HERE / "pyproject.toml").read_text("utf-8").splitlines():
        if heading := re.fullmatch(r"\[([\w.-]+)\]", line):
            table = tables.setdefault(heading[1], {})
        elif line and not line.startswith("#"):
            name, value = line.split(" = ", 1)
            table[name] = ast.literal_eval(value)
    return tables


def _name() -> str:
    project = _project()["project"]
    return f"{project['name'].replace('-', '_')}-{project['version']}"


def _metadata() -> str:
    tables = _project()
    project = tables["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"Keywords: {','.join(project['keywords'])}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Classifier: {classifier}" for classifier in project["classifiers"]]
    for extra, needs in tables["project.optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {need}; extra == "{extra}"' for need in needs)]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (HERE / project["readme"]).read_text("utf-8")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None) -> str:
    info = f"{_name()}.dist-info"
    scripts = "".join(f"{name} = {place}\n" for name, place in _project()["project.scripts"].items())
    files = {
        "listsync_client/__init__.py": (HERE / "listsync_client.py").read_text("utf-8"),
        "listsync_client/__main__.py": MAIN,
        "listsync_client/py.typed": "",
        f"{info}/METADATA": _metadata(),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: wheel_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(text.encode())}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    name = f"{_name()}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as archive:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path)  # of 1 January 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, text.encode())
    return name


def build_sdist(sdist_directory, config_settings=None) -> str:
    files = {name: (HERE / name).read_bytes() for name in SOURCES}
    files["PKG-INFO"] = _metadata().encode()
    name = f"{_name()}.tar.gz"
    with open(Path(sdist_directory) / name, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{_name()}/{path}")
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    return name
