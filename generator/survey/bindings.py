"""The names that a module binds at its top level."""

from __future__ import annotations

import ast

from generator.workspace.checkout import Checkout

from .imports import Import, imports_in
from .reading import read
from .syntax import top_level


def module_names(checkout: Checkout, path: str) -> set[str]:
    """The names that a file binds outside functions and classes; none where there is no such file."""
    reading = read(checkout, path)
    names: set[str] = set()
    for node in top_level(reading.tree.body) if reading else ():
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        else:
            names |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return names


def module_imports(checkout: Checkout, path: str) -> dict[str, Import]:
    """What the names that a file imports outside functions and classes mean; none where there is no such file."""
    reading = read(checkout, path)
    nodes = [n for n in top_level(reading.tree.body) if isinstance(n, ast.Import | ast.ImportFrom)] if reading else []
    return imports_in(nodes, reading) if reading else {}
