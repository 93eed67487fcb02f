"""A transformers package that lies on this machine, read without importing it: which model types and classes it has."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from .vllm_tree import SourceTree, assigned, mapping, text, texts

AUTO = ("transformers/models/auto/auto_mappings.py", "transformers/models/auto/configuration_auto.py")
NAMES = ("CONFIG_MAPPING_NAMES",)


class Transformers:
    """The package below `root` (the folder that holds `transformers/`)."""

    def __init__(self, root: Path):
        self.tree = SourceTree(root)
        module = self.tree.parse("transformers/__init__.py")
        self.version = text(assigned(module, "__version__")) or "unknown"

    @property
    def model_types(self) -> dict[str, str]:
        """`model_type` → name of its configuration class."""
        found: dict[str, str] = {}
        for path in AUTO:
            for name in NAMES:
                found |= _pairs(assigned(self.tree.parse(path), name))
        return found

    def modelling(self, arch: str) -> tuple[str, bool] | None:
        """Return (file, whether vLLM's transformers backend can run it) of the model class `arch`, or None.

        The backend needs `_supports_attention_backend = True` on the class or one of its bases in the file.
        """
        mark = f"class {arch}(".encode()
        for path in self.tree.files("transformers/models"):
            name = path.rpartition("/")[2]
            if name.startswith("modeling_") and mark in (self.tree.read(path) or b""):
                return path, backend_compatible(self.tree.parse(path), arch)
        return None

    def has(self, module: str, name: str) -> bool:
        """Return True if `from module import name` finds a module, a definition or a re-export."""
        base = module.replace(".", "/")
        if self.tree.read(f"{base}/{name}.py") is not None or self.tree.read(f"{base}/{name}/__init__.py") is not None:
            return True
        data = self.tree.read(f"{base}.py") or self.tree.read(f"{base}/__init__.py")
        if data is None:
            return False
        return name.encode() in data or module == "transformers" and self._anywhere(name)

    def _anywhere(self, name: str) -> bool:
        marks = (f"class {name}(".encode(), f"class {name}:".encode(), f"def {name}(".encode(), f'"{name}"'.encode())
        files = self.tree.files("transformers")
        return any(mark in (self.tree.read(path) or b"") for path in files for mark in marks)


def find_transformers(given: Path | None = None) -> Transformers | None:
    """Return the package that `given` names or holds, else the one beside this interpreter's packages, or None."""
    places = [given, given.parent] if given else [Path(entry) for entry in sys.path if entry]
    root = next((p for p in places if (p / "transformers" / "__init__.py").is_file()), None)
    return Transformers(root) if root else None


def backend_compatible(module: ast.Module | None, arch: str) -> bool:
    """Return True if `arch` or a base of it in the same file sets `_supports_attention_backend = True`."""
    classes = {n.name: n for n in module.body if isinstance(n, ast.ClassDef)} if module else {}
    queue, seen = [arch], set()
    while queue:
        node = classes.get(queue.pop())
        if node is None or node.name in seen:
            continue
        seen.add(node.name)
        value = assigned(
            ast.Module([s for s in node.body if not isinstance(s, ast.FunctionDef)], []), "_supports_attention_backend"
        )
        if isinstance(value, ast.Constant) and value.value is True:
            return True
        queue += [base.id for base in node.bases if isinstance(base, ast.Name)]
    return False


def remote_imports(tree: SourceTree, path: str) -> list[tuple[str, str, int]]:
    """Return (module, name, line) of each `from transformers… import name` in a Python file."""
    module = tree.parse(path)
    return [
        (node.module, alias.name, node.lineno)
        for node in (ast.walk(module) if module else ())
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "transformers"
        for alias in node.names
    ]


def _pairs(value: ast.expr | None) -> dict[str, str]:
    if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], (ast.List, ast.Tuple)):
        rows = [texts(item) for item in value.args[0].elts if isinstance(item, ast.Tuple)]
        return {row[0]: row[1] for row in rows if len(row) == 2}
    return {k: text(v) or "" for k, v in mapping(value).items()}
