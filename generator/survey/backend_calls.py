"""What the `nn` layer really passes to a backend: the calls of `build`, and those of the Impl that it gives."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .calls import Call, call_of
from .classes import lineage
from .dispatch import DISPATCHER
from .reading import Reading
from .scope import Class, Scope, scope_of
from .shelf import Shelf
from .symbols import Symbols
from .syntax import classes, dotted, functions, methods


@dataclass(frozen=True)
class BackendCall:
    """One call.

    Attributes:
        op_type: the member of `OpType` that was asked for.
        method: `build`, or the method of the Impl.
        call: as written.
        path: relative to the lmdeploy checkout.
        line: 1-based.
    """

    op_type: str
    method: str
    call: Call
    path: str
    line: int


def read_backend_calls(lmdeploy: Shelf, symbols: Symbols, folder: str) -> list[BackendCall]:
    """The calls that the files under a folder make to what a dispatcher gives them, in order of their place."""
    found: list[BackendCall] = []
    held: dict[tuple[str, str], dict[str, tuple[str, ...]]] = {}
    readings = [r for p in lmdeploy.list(folder) if (r := lmdeploy.open(p))]
    asking = [r for r in readings if DISPATCHER.encode() in r.data]
    for reading in asking:
        found += _builds(reading, symbols, held)
    for reading in readings:
        found += _uses(reading, symbols, held)
    return sorted(set(found), key=lambda c: (c.path, c.line, c.op_type))


def _builds(reading: Reading, symbols: Symbols, held: dict) -> Iterator[BackendCall]:
    """The calls of `build`; which attribute holds the result goes to `held`, by file and class."""
    for scope in _scopes(reading, symbols):
        asked = _asked(scope)
        for node in scope.nodes:
            if op_types := _build_types(node, asked):
                _, call = call_of(node, scope.single, reading)
                yield from (BackendCall(t, "build", call, reading.path, node.lineno) for t in op_types)
            elif isinstance(node, ast.Assign) and scope.cls and (op_types := _build_types(node.value, asked)):
                for target in filter(None, map(dotted, node.targets)):
                    if target.startswith("self."):
                        attributes = held.setdefault((reading.path, scope.cls.name), {})
                        attributes[target.removeprefix("self.")] = op_types


def _uses(reading: Reading, symbols: Symbols, held: dict) -> Iterator[BackendCall]:
    for scope in _scopes(reading, symbols):
        attributes = _attributes(scope.cls, held) if scope.cls else {}
        for node in scope.nodes if attributes else ():
            parts = (dotted(node.func) or "").split(".") if isinstance(node, ast.Call) else []
            if len(parts) == 3 and parts[0] == "self" and parts[1] in attributes:
                _, call = call_of(node, scope.single, reading)
                for op_type in attributes[parts[1]]:
                    yield BackendCall(op_type, parts[2], call, reading.path, node.lineno)


def _attributes(cls: Class, held: dict) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one in reversed(lineage(cls)):
        found |= held.get((one.scope.module.reading.path, one.name), {})
    return found


def _scopes(reading: Reading, symbols: Symbols) -> Iterator[Scope]:
    """The functions of a file and the methods of its classes."""
    module = symbols.module(reading.module)
    if module is None:
        return
    outer = scope_of(symbols, module)
    yield from (outer.inside(f) for f in functions(reading.tree))
    for node in classes(reading.tree):
        yield from (outer.inside(f, Class(node, outer)) for f in methods(node))


def _asked(scope: Scope) -> dict[str, tuple[str, ...]]:
    """Local to the members of `OpType` whose builder it may be."""
    found: dict[str, tuple[str, ...]] = {}
    for node in scope.nodes:
        if isinstance(node, ast.Assign) and (op_types := _asks(node.value)):
            for target in filter(None, map(dotted, node.targets)):
                found[target] = (*found.get(target, ()), *op_types)
    return found


def _asks(node: ast.expr) -> tuple[str, ...]:
    """The members of `OpType` in a call of the dispatcher method."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != DISPATCHER:
        return ()
    names = [dotted(n) or "" for a in node.args for n in ast.walk(a) if isinstance(n, ast.Attribute)]
    return tuple(n.removeprefix("OpType.") for n in names if n.startswith("OpType."))


def _build_types(node: ast.AST, asked: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "build":
        return ()
    return asked.get(dotted(node.func.value) or "", ()) or _asks(node.func.value)
