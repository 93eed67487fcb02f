"""Code inside string literals: never read as code, but where something is missing it says why."""

from __future__ import annotations

import ast
import re

from .syntax import top_level

_DEF = re.compile(r"^\s*(?:async\s+)?def\s+(\w+)", re.M)


def strings_with_code(tree: ast.Module, word: str) -> list[tuple[int, int, frozenset[str]]]:
    """The string statements of a module that hold a word: first line, last line, and the functions that they define."""
    return [
        (node.lineno, node.end_lineno or node.lineno, frozenset(_DEF.findall(node.value.value)))
        for node in top_level(tree.body)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and word in node.value.value
    ]
