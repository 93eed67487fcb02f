"""What each vendor's `update_step_context` passes to the metadata of a step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .metadata import BACKENDS
from .reading import Reading, read
from .shelf import Shelf
from .signature import Function
from .syntax import classes, dotted, methods

METHOD = "update_step_context"
_PER_STEP = ("item", "tolist", "max")


@dataclass(frozen=True)
class Passed:
    """One keyword of the metadata call.

    Attributes:
        field: its name.
        text: source of the value; of its assignment, where it is a local.
        path: relative to the lmdeploy checkout.
        line: of the keyword.
        per_step: the line where the value is taken from a tensor in every step, decoding included; 0 if it is not.
    """

    field: str
    text: str
    path: str
    line: int
    per_step: int


def read_passed(lmdeploy: Shelf, vendor: str) -> list[Passed]:
    """What a vendor passes by keyword to `attn_meta_cls`."""
    reading = read(lmdeploy, f"{BACKENDS}/dlinfer/{vendor}/op_backend.py")
    return [p for f in _methods(reading) for p in _passed(f, reading)] if reading else []


def _methods(reading: Reading) -> Iterator[Function]:
    yield from (m for c in classes(reading.tree) for m in methods(c) if m.name == METHOD)


def _passed(function: Function, reading: Reading) -> Iterator[Passed]:
    assigned = _assigned(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("meta_cls"):
            for keyword in node.keywords:
                if keyword.arg:
                    yield _one(keyword, assigned, reading)


def _one(keyword: ast.keyword, assigned: dict[str, list[tuple[ast.expr, bool]]], reading: Reading) -> Passed:
    value = keyword.value
    sources = assigned.get(value.id, []) if isinstance(value, ast.Name) else [(value, False)]
    hits = [source for source, decided in sources if not decided and _from_tensor(source)]
    text = reading.text(hits[0] if hits else value)
    return Passed(keyword.arg or "", text, reading.path, value.lineno, hits[0].lineno if hits else 0)


def _assigned(function: Function) -> dict[str, list[tuple[ast.expr, bool]]]:
    """Local to the values that it is given, and whether a test on decoding is around the assignment."""
    found: dict[str, list[tuple[ast.expr, bool]]] = {}
    waiting: list[tuple[ast.AST, bool]] = [(function, False)]
    while waiting:
        node, decided = waiting.pop()
        if isinstance(node, ast.Assign):
            for name in filter(None, map(dotted, node.targets)):
                found.setdefault(name, []).append((node.value, decided))
        inner = decided or (isinstance(node, ast.If) and "decoding" in ast.dump(node.test))
        waiting.extend((child, inner) for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))
    return found


def _from_tensor(value: ast.expr) -> bool:
    calls = [n.func.attr for n in ast.walk(value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return any(name in _PER_STEP for name in calls)
