"""Comparisons of a module's name with the name that a checkpoint's folder gives it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .shelf import Shelf

# transformers imports the code of a checkpoint as `transformers_modules.<folder>.<file>`.
_PREFIX = "transformers_modules."


def module_names_compared(dlinfer: Shelf) -> Iterator[tuple[str, int, str]]:
    """Path, line and name of each `x.__name__ == "transformers_modules.…"` in dlinfer's framework code."""
    for reading in dlinfer.having("dlinfer/framework", _PREFIX.encode()):
        for node in ast.walk(reading.tree):
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "__name__":
                for value in node.comparators:
                    if isinstance(value, ast.Constant) and str(value.value).startswith(_PREFIX):
                        yield reading.path, node.lineno, value.value
