"""What stands behind an `OpType` on a dlinfer device: the Builder, and the Impl classes that it builds."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from .classes import attribute
from .dispatch import Branch
from .scope import Callee, Class, scope_of
from .symbols import Symbol, Symbols


@dataclass(frozen=True, eq=False)
class Side:
    """One `OpType` on a dlinfer device.

    Attributes:
        backend: `dlinfer`, or `default` where dlinfer has no branch.
        branch: of the dispatcher.
        builder: the class that the branch returns, or None.
        build: its `build`, or None.
        impls: the classes that `build` makes.
    """

    backend: str
    branch: Branch
    builder: Class | None
    build: Callee | None
    impls: tuple[Class, ...]


def read_sides(dispatchers: Mapping[str, Mapping[str, Branch]], symbols: Symbols) -> dict[str, Side]:
    """`OpType` member to what stands behind it: dlinfer's branch, else the default backend's."""
    branches = {
        member: (backend, branch)
        for backend in ("default", "dlinfer")
        for member, branch in dispatchers.get(backend, {}).items()
    }
    return {member: _side(backend, branch, symbols) for member, (backend, branch) in branches.items()}


def _side(backend: str, branch: Branch, symbols: Symbols) -> Side:
    found = symbols.find(f"{branch.module}.{branch.builder}") if branch.module and branch.builder else None
    if not isinstance(found, Symbol) or not isinstance(found.node, ast.ClassDef):
        return Side(backend, branch, None, None, ())
    builder = Class(found.node, scope_of(symbols, found.module))
    build = attribute(builder, "build")
    if not isinstance(build, Callee):
        return Side(backend, branch, builder, None, ())
    inside = build.scope.inside(build.node, build.owner)
    made = [inside.value(n.func) for n in inside.nodes if isinstance(n, ast.Call)]
    impls = {c.node: c for c in made if isinstance(c, Class)}
    return Side(backend, branch, builder, build, tuple(impls.values()))
