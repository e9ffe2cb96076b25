"""The package is typed, and its text is what pyproject.toml says."""
import ast
import email
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))
import wheel_backend  # noqa: E402


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
        module = ast.parse((FOLDER / "listsync_client.py").read_text("utf-8"))
        found = list(functions(module.body))
        self.assertGreater(len(found), 50)
        self.assertEqual([(name, place) for name, types in found for place, type in types if type is None], [])

    def test_the_wheel_has_the_metadata_of_the_project(self):
        with tempfile.TemporaryDirectory() as folder:
            name = wheel_backend.build_wheel(folder)
            with zipfile.ZipFile(Path(folder) / name) as wheel:
                info = name[:-len("-py3-none-any.whl")] + ".dist-info"
                metadata = email.message_from_string(wheel.read(f"{info}/METADATA").decode())
                module = wheel.read("listsync_client/__init__.py")
        self.assertEqual(module, (FOLDER / "listsync_client.py").read_bytes())
        self.assertEqual(metadata["Name"], "listsync-client")
        self.assertEqual(metadata["Requires-Python"], ">=3.9")
        self.assertEqual(metadata.get_all("Requires-Dist"), ['cryptography; extra == "signatures"'])
        self.assertIn("Typing :: Typed", metadata.get_all("Classifier"))
        self.assertTrue(metadata.get_payload().startswith("# The Python client"))


if __name__ == "__main__":
    unittest.main()
