"""Which parameters a function reads."""

from __future__ import annotations

import ast

from .shelf import Shelf
from .signature import Function
from .syntax import functions, walk


def unused_params(dlinfer: Shelf, path: str, line: int) -> list[str]:
    """The parameters that the function at a line of a file never reads, in order; none where it reads `locals()`."""
    reading = dlinfer.open(path)
    function = next((f for f in functions(reading.tree) if f.lineno == line), None) if reading else None
    return unread(function) if function else []


def unread(function: Function) -> list[str]:
    """The parameters that a function never mentions in its body."""
    used = {n.id for statement in function.body for n in walk(statement) if isinstance(n, ast.Name)}
    if "locals" in used:
        return []
    args = function.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return [n for n in names if n not in used and n not in ("self", "cls") and not n.startswith("_")]
