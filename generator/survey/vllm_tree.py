"""Files of a vLLM, vllm-ascend or transformers tree, read and parsed once."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path


class SourceTree:
    """A folder of Python sources that is only read.

    Attributes:
        root: the checkout, or the folder that holds the package.
        unread: path → why it could not be parsed.
        derived: (what, path) → what a reader made of the file, so that nobody makes it twice.
    """

    def __init__(self, root: Path):
        self.root = root.resolve()
        self.unread: dict[str, str] = {}
        self._bytes: dict[str, bytes | None] = {}
        self._trees: dict[str, ast.Module | None] = {}
        self.derived: dict[tuple[str, str], object] = {}

    @property
    def files_read(self) -> int:
        """How many files were there and were read."""
        return sum(data is not None for data in self._bytes.values())

    def read(self, path: str) -> bytes | None:
        """Return the bytes of the file at `path` (relative, POSIX), None if there is none inside of the tree."""
        if path not in self._bytes:
            full = self.root / path
            inside = full.resolve().is_relative_to(self.root) and full.is_file()
            self._bytes[path] = full.read_bytes() if inside else None
        return self._bytes[path]

    def overlay(self, path: str, data: bytes) -> None:
        """Take `data` for the file at `path`, as a plan will write it."""
        self._bytes[path] = data
        self._trees.pop(path, None)

    def parse(self, path: str) -> ast.Module | None:
        """Return the syntax tree of `path`, None if it is absent or no Python (then it is in `unread`)."""
        if path not in self._trees:
            data = self.read(path)
            self._trees[path] = None if data is None else self._parse(path, data)
        return self._trees[path]

    def _parse(self, path: str, data: bytes) -> ast.Module | None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            self.unread[path] = str(error)
            return None

    def files(self, folder: str) -> list[str]:
        """Return the Python files below `folder`, sorted, relative to the root."""
        base = self.root / folder
        return sorted(path.relative_to(self.root).as_posix() for path in base.rglob("*.py")) if base.is_dir() else []


def assigned(tree: ast.AST | None, name: str) -> ast.expr | None:
    """Return the value that the last statement `name = …` of a module, class or function body gives, or None."""
    value = None
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            value = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            value = node.value or value
    return value


def mapping(node: ast.expr | None) -> dict[str, ast.expr]:
    """Return text key → value of a dict literal or of a call with keywords (`LazyConfigDict(x="X")`)."""
    if isinstance(node, ast.Dict):
        return {k.value: v for k, v in zip(node.keys, node.values, strict=True) if text(k) is not None}
    if isinstance(node, ast.Call):
        inner = [mapping(arg) for arg in node.args]
        own = {k.arg: k.value for k in node.keywords if k.arg}
        return {k: v for part in (*inner, own) for k, v in part.items()}
    return {}


def text(node: ast.expr | None) -> str | None:
    """Return the value of a string literal, else None."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def texts(node: ast.AST | None) -> list[str]:
    """Return every string literal below `node`, in the order of the source."""
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)] if node else []


def function(tree: ast.AST | None, name: str) -> ast.FunctionDef | None:
    """Return the first function or method `name` below `tree`."""
    found = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name) if tree is not None else ()
    return next(iter(found), None)
