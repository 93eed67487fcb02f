"""The environment variables that code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .shelf import Shelf
from .syntax import dotted

_WRITTEN = re.compile(rb"(?:getenv|environ(?:\.(?:get|setdefault|pop))?)\s*[(\[]\s*[\"'](\w+)[\"']")
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
    """The variables that the files under a folder read, by a literal name; told by the bytes, so text in strings
    counts.

    `confirmed` asks the syntax tree.
    """
    for reading in shelf.having(folder, b"environ", b"getenv"):
        for match in _WRITTEN.finditer(reading.data):
            line = reading.data.count(b"\n", 0, match.start()) + 1
            yield Variable(match[1].decode(), shelf.repo, reading.path, line)


def confirmed(variable: Variable, shelf: Shelf) -> bool:
    """True if code, and not the text of a string, reads the variable at its line."""
    reading = shelf.open(variable.path)
    return any(_is_read(node, variable) for node in ast.walk(reading.tree)) if reading else False


def _is_read(node: ast.AST, variable: Variable) -> bool:
    if isinstance(node, ast.Call) and node.args and (dotted(node.func) or "").endswith(_CALLS):
        name = node.args[0]
    elif isinstance(node, ast.Subscript) and (dotted(node.value) or "").endswith("environ"):
        name = node.slice
    else:
        return False
    return isinstance(name, ast.Constant) and name.value == variable.name and node.lineno == variable.line
