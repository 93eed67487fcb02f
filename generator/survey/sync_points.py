"""Where layer-4 code waits for the device, in what decoding reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generator.spec.vendor import VENDORS

from .reading import Reading
from .scope import own_nodes
from .signature import Function
from .syntax import function_nodes, functions

if TYPE_CHECKING:
    from .layers import Layers

_WAITS = frozenset("item cpu tolist numpy nonzero".split())
_VALUES = frozenset("any all sum max min equal is_nonzero".split())


@dataclass(frozen=True)
class SyncPoint:
    """One place: file, line, source of what waits, and the op through which decoding reaches it."""

    path: str
    line: int
    text: str
    op: str


def read_sync_points(layers: Layers, vendor: str) -> Iterator[SyncPoint]:
    """The places of a vendor, in order."""
    folder = f"{VENDORS[vendor].folder}/"
    reached = _reached(layers, vendor, folder)
    found = [p for (path, _), (function, op) in reached.items() for p in _points(layers, path, function, op)]
    yield from sorted(found, key=lambda p: (p.path, p.line))


def _reached(layers: Layers, vendor: str, folder: str) -> dict[tuple[str, int], tuple[Function, str]]:
    """Place to function and op, for all that the decoding ops of a vendor call in its own package."""
    edges: dict[tuple[str, int], list[tuple[str, int]]] = {}
    nodes: dict[tuple[str, int], Function] = {}
    for path in layers.dlinfer.list(folder.rstrip("/")):
        for site in layers.sites_of(layers.dlinfer, path):
            if site.callee is not None and site.target_path.startswith(folder):
                place = (site.target_path, site.callee.node.lineno)
                nodes[place] = site.callee.node
                edges.setdefault((path, site.function.lineno if site.function else 0), []).append(place)
    entries = _entries(layers, vendor)
    for path in {path for path, _ in entries}:
        reading = layers.dlinfer.open(path)
        nodes |= {(path, f.lineno): f for f in functions(reading.tree)} if reading else {}
    return _closure(entries, edges, nodes)


def _entries(layers: Layers, vendor: str) -> dict[tuple[str, int], str]:
    """The registered functions that decoding reaches, with their ops."""
    return {
        (op.path, op.line): name
        for name, op in layers.vendors.get(vendor, {}).items()
        if layers.reached.get(name) and "prefill" not in name
    }


def _closure(
    entries: dict[tuple[str, int], str],
    edges: dict[tuple[str, int], list[tuple[str, int]]],
    nodes: dict[tuple[str, int], Function],
) -> dict[tuple[str, int], tuple[Function, str]]:
    found: dict[tuple[str, int], tuple[Function, str]] = {}
    waiting = [(place, op) for place, op in entries.items()]
    while waiting:
        place, op = waiting.pop()
        if place in found or place not in nodes:
            continue
        found[place] = (nodes[place], op)
        waiting += [
            (target, op) for target in edges.get(place, ()) if "prefill" not in nodes.get(target, _NAMELESS).name
        ]
    return found


_NAMELESS = ast.FunctionDef(name="", args=None, body=[], decorator_list=[])


def _points(layers: Layers, path: str, function: Function, op: str) -> Iterator[SyncPoint]:
    reading = layers.dlinfer.open(path)
    excused = _while_capturing(function)
    for node in own_nodes(function):
        line = getattr(node, "lineno", 0)
        if any(start <= line <= end for start, end in excused):
            continue
        text = _wait(node, reading)
        if text:
            yield SyncPoint(path, line, text, op)


def _wait(node: ast.AST, reading: Reading) -> str | None:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WAITS:
        return reading.text(node) if not node.args else None
    if isinstance(node, ast.If | ast.While | ast.Assert | ast.IfExp):
        calls = [n for n in ast.walk(node.test) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        if any(c.func.attr in _VALUES and not isinstance(c.func.value, ast.Name) for c in calls):
            return reading.text(node.test)
    return None


def _while_capturing(function: Function) -> list[tuple[int, int]]:
    """The spans of the `if`s that ask whether a graph is being captured."""
    branches = [n for n in function_nodes(function) if isinstance(n, ast.If | ast.IfExp)]
    tests = [n for n in branches if "capturing" in ast.dump(n.test)]
    return [(n.lineno, n.end_lineno or n.lineno) for n in tests]
