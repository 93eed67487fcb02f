"""Arithmetic between a value and itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from .reading import Reading
from .syntax import dotted

_SAME = re.compile(rb"(?<![\w.])([A-Za-z_][\w.]*)\s*(?://|/|%|-)\s*\1(?![\w.])")
_OPERATORS = (ast.Div, ast.FloorDiv, ast.Mod, ast.Sub)


def same_operands(reading: Reading) -> Iterator[tuple[int, str]]:
    """Line and source of each `x / x`, `x // x`, `x % x` and `x - x` where x is a name, or a dotted one."""
    for node in ast.walk(reading.tree) if _SAME.search(reading.data) else ():
        if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS):
            left = dotted(node.left)
            if left and left == dotted(node.right):
                yield node.lineno, reading.text(node)
