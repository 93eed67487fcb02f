"""Cached functions that set globals, and functions that clear these globals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .reading import Reading
from .signature import Function
from .syntax import decorator_names, dotted, functions, walk

_CACHED = re.compile(rb"@[\w.]*cache\b")


@dataclass(frozen=True)
class Stale:
    """A function `clear` at `line` that sets the global `name` to None, which `cached` at `cached_line` sets."""

    clear: str
    line: int
    name: str
    cached: str
    cached_line: int


def stale_caches(reading: Reading) -> Iterator[Stale]:
    """The pairs in a file where the clearing function does not clear the cache."""
    if not _CACHED.search(reading.data) or b"global " not in reading.data:
        return
    defined = {f.name: f for f in functions(reading.tree)}
    cached = [f for f in defined.values() if any(n.endswith(("lru_cache", "cache")) for n in decorator_names(f))]
    for clear in defined.values():
        cleared = _assigned_none(clear) if cached else set()
        calls = {dotted(n.func) for n in ast.walk(clear) if isinstance(n, ast.Call)} if cleared else set()
        for function in cached:
            both = cleared & _set_by(function, defined)
            if both and f"{function.name}.cache_clear" not in calls and function is not clear:
                yield Stale(clear.name, clear.lineno, min(both), function.name, function.lineno)


def _assigned_none(function: Function) -> set[str]:
    """The globals that a function sets to None."""
    nones = [n for n in walk(function) if isinstance(n, ast.Assign) and _is_none(n.value)]
    return _globals(function) & {name for n in nones for name in map(dotted, n.targets) if name}


def _set_by(function: Function, defined: dict[str, Function]) -> set[str]:
    """The globals that a function sets, itself or through a function of the file that it calls."""
    called = [dotted(n.func) or "" for n in walk(function) if isinstance(n, ast.Call)]
    found: set[str] = set()
    for one in (function, *(defined[name] for name in called if name in defined and name != function.name)):
        stores = {n.id for n in walk(one) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        found |= _globals(one) & stores
    return found


def _globals(function: Function) -> set[str]:
    return {name for n in walk(function) if isinstance(n, ast.Global) for name in n.names}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
