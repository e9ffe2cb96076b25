"""Builds the wheels and the source distribution of the package (PEP 517), with the standard library alone.

With one version of zlib, equal files make equal archives: their order, times and modes are fixed.
"""
import ast
import base64
import gzip
import hashlib
import io
import re
import sysconfig
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULES = [f"listsync/{name}" for name in ("__init__.py", "__main__.py", "client.py", "py.typed", "store.py")]
SOURCES = ["README.md", *MODULES, "pyproject.toml", "wheel_backend.py"]
# It does not import the package, which takes longer than most commands.
SCRIPT = """#!python
import os
import sys
from importlib.util import find_spec

program = os.path.join(os.path.dirname(find_spec("listsync").origin), "bin", "listsync")
os.execv(program, [program, *sys.argv[1:]])
"""


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
    return f"{project['name']}-{project['version']}"


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


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None, program=None) -> str:
    """With the path of a built `listsync`, the wheel has it, and is for this kind of system alone."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform()) if program else "any"
    tag = f"py3-none-{platform}"
    info = f"{_name()}.dist-info"
    scripts = "".join(f"{name} = {place}\n" for name, place in _project()["project.scripts"].items())
    texts = {
        f"{info}/METADATA": _metadata(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: wheel_backend\nRoot-Is-Purelib: {str(not program).lower()}\nTag: {tag}\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}",
    }
    files = {name: (HERE / name).read_bytes() for name in MODULES}
    if program:
        files["listsync/bin/listsync"] = Path(program).read_bytes()
        files[f"{_name()}.data/scripts/listsync"] = SCRIPT.encode()
    files.update((path, text.encode()) for path, text in texts.items())
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"{_name()}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path)  # of 1 January 1980
            entry.compress_type = zipfile.ZIP_DEFLATED
            is_program = path.rpartition("/")[2] == "listsync"
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, data, compresslevel=9)
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
