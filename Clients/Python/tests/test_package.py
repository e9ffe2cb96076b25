"""The package is typed, and its text is what pyproject.toml says."""
import ast
import email
import importlib.util
import inspect
import os
import subprocess
import sys
import tempfile
import typing
import unittest
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))
from listsync import client, store  # noqa: E402
import wheel_backend  # noqa: E402

OWN_STORAGE = """
from typing import Any, Iterator

from listsync import Store
from listsync.client import Copy, Replica

class Memory:
    def __init__(self) -> None:
        self.copies: dict[str, Copy] = {}

    def load(self, name: str) -> Copy:
        return self.copies.get(name, Copy(name))

    def save(self, copy: Copy) -> None:
        self.copies[copy.list] = copy

replica = Replica("http://lists.example", "parks", storage=Memory())
parks: Iterator[Any] = Store("lists.db").items("parks", at=1)
"""
MODULES = [FOLDER / "listsync" / name for name in ("client.py", "store.py")]


def functions(body, path=""):
    """The public functions and methods of a module, with the places of their types."""
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node.body, f"{node.name}.")
        elif isinstance(node, ast.FunctionDef) and (node.name == "__init__" or not node.name.startswith("_")):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
            types = [(one.arg, one.annotation) for one in arguments if one and one.arg not in ("self", "cls")]
            # A type checker takes None for what __init__ returns.
            yield path + node.name, types + ([] if node.name == "__init__" else [("return", node.returns)])


class PackageTests(unittest.TestCase):
    def test_each_public_function_has_types(self):
        found = [one for module in MODULES for one in functions(ast.parse(module.read_text("utf-8")).body)]
        self.assertGreater(len(found), 60)
        self.assertEqual([(name, place) for name, types in found for place, type in types if type is None], [])

    def test_types_can_be_read_at_run_time_also_by_an_older_python(self):
        nodes = [node for module in MODULES for node in ast.walk(ast.parse(module.read_text("utf-8")))]
        types = [getattr(node, name, None) for node in nodes for name in ("annotation", "returns")]
        newer = [ast.unparse(one) for one in types if one and any(isinstance(node, ast.BinOp) for node in ast.walk(one))]
        self.assertEqual(newer, [], "Python 3.9 cannot evaluate X | Y")
        places = [one for module in (client, store) for one in vars(module).values()
                  if getattr(one, "__module__", "") == module.__name__
                  and (inspect.isclass(one) or inspect.isfunction(one))]
        places += [one for place in places if inspect.isclass(place) for one in vars(place).values() if inspect.isfunction(one)]
        self.assertGreater(len([typing.get_type_hints(place) for place in places]), 200)

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
    def test_a_strict_type_checker_accepts_the_client_and_a_storage_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            def check(text):
                Path(folder, "own.py").write_text(text, "utf-8")
                command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", f"{folder}/cache", f"{folder}/own.py",
                           str(FOLDER / "listsync")]
                return subprocess.run(command, env={**os.environ, "MYPYPATH": str(FOLDER)}, text=True, capture_output=True)
            found = check(OWN_STORAGE)
            self.assertEqual(found.returncode, 0, found.stdout + found.stderr)
            self.assertIn("[arg-type]", check(OWN_STORAGE.replace("copy: Copy)", "copy: int)")).stdout)

    def test_the_wheel_has_the_metadata_of_the_project(self):
        with tempfile.TemporaryDirectory() as folder:
            name = wheel_backend.build_wheel(folder)
            with zipfile.ZipFile(Path(folder) / name) as wheel:
                info = name[:-len("-py3-none-any.whl")] + ".dist-info"
                metadata = email.message_from_string(wheel.read(f"{info}/METADATA").decode())
                for module in MODULES:
                    self.assertEqual(wheel.read(f"listsync/{module.name}"), module.read_bytes())
        self.assertEqual(metadata["Name"], "listsync")
        self.assertEqual(metadata["Requires-Python"], ">=3.9")
        self.assertEqual(metadata.get_all("Requires-Dist"), ['cryptography; extra == "signatures"'])
        self.assertIn("Typing :: Typed", metadata.get_all("Classifier"))
        self.assertTrue(metadata.get_payload().startswith("# ListSync in Python"))


if __name__ == "__main__":
    unittest.main()
