"""The environment variables that code reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .shelf import Shelf
from .syntax import dotted

_CALLS = ("getenv", "environ.get", "environ.setdefault", "environ.pop")


@dataclass(frozen=True)
class Variable:
    """One read of an environment variable: its name and the place."""

    name: str
    repo: str
    path: str
    line: int

    @property
    def word(self) -> str:
        """Its first word: `DLINFER` of `DLINFER_X`."""
        return self.name.partition("_")[0]


def read_variables(shelf: Shelf, folder: str) -> Iterator[Variable]:
    """The variables that the files under a folder read, by a literal name."""
    for reading in shelf.having(folder, b"environ", b"getenv"):
        for node in ast.walk(reading.tree):
            name = _read(node)
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield Variable(name.value, shelf.repo, reading.path, node.lineno)


def _read(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.Call) and node.args and (dotted(node.func) or "").endswith(_CALLS):
        return node.args[0]
    if isinstance(node, ast.Subscript) and (dotted(node.value) or "").endswith("environ"):
        return node.slice
    return None
