"""Which members of an enum the `build` of a builder tells apart."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .dispatch import Branch
from .reading import read
from .shelf import Shelf
from .syntax import classes, dotted, methods


@dataclass(frozen=True)
class Handled:
    """What a `build` tells apart.

    Attributes:
        members: dotted, such as `RopeType.Yarn`, those that a test compares with.
        line: of the `def`.
        raises: line of a `raise NotImplementedError` in it, 0 if there is none.
    """

    members: frozenset[str] = frozenset()
    line: int = 1
    raises: int = 0


def members_handled(lmdeploy: Shelf, branch: Branch) -> Handled:
    """Read the `build` of the class that a branch returns."""
    reading = read(lmdeploy, branch.file) if branch.file else None
    found = [c for c in classes(reading.tree) if c.name == branch.builder] if reading else []
    build = next((m for c in found for m in methods(c) if m.name == "build"), None)
    if build is None:
        return Handled()
    tests = [n for n in ast.walk(build) if isinstance(n, ast.Compare)]
    names = {dotted(n) or "" for t in tests for n in ast.walk(t) if isinstance(n, ast.Attribute)}
    raised = [n.lineno for n in ast.walk(build) if isinstance(n, ast.Raise) and "NotImplementedError" in ast.dump(n)]
    members = frozenset(n for n in names if n.count(".") == 1 and n[:1].isupper())
    return Handled(members, build.lineno, max(raised, default=0))
