"""From an op up to its `OpType`: op, wrappers, Impl classes, Builders, dispatcher branches."""

from __future__ import annotations

from collections.abc import Iterable

from .dispatch import Branch
from .impls import BackendClass
from .wrapper_layer import Wrapper


def wrappers_of(op: str, wrappers: dict[str, Wrapper]) -> dict[str, Wrapper]:
    """The wrappers that call an op, those that call these after them."""
    found = {key: w for key, w in wrappers.items() if any(call.callee == op for call in w.op_calls)}
    while True:
        names = {w.name for w in found.values()}
        more = {k: w for k, w in wrappers.items() if k not in found and names & set(w.wrapper_calls)}
        if not more:
            return found
        found |= more


def impls_of(kernels: Iterable[str], classes: dict[str, BackendClass]) -> list[BackendClass]:
    """The classes that call one of the kernels, and those that inherit from such a class."""
    names = set(kernels)
    found = {c.name: c for c in classes.values() if names & set(c.kernels)}
    while True:
        more = {c.name: c for c in classes.values() if c.name not in found and found.keys() & set(c.bases)}
        if not more:
            return list(found.values())
        found |= more


def builders_of(impls: Iterable[BackendClass], classes: dict[str, BackendClass]) -> list[BackendClass]:
    """The classes whose `build` mentions one of the Impl classes."""
    names = {c.name for c in impls}
    return [c for c in classes.values() if "build" in c.methods and names & c.methods["build"].names]


def op_types_of(builders: Iterable[BackendClass], dispatcher: dict[str, Branch]) -> tuple[str, ...]:
    """The `OpType` members whose branch returns one of the builders."""
    places = {(c.name, c.path) for c in builders}
    return tuple(b.op_type for b in dispatcher.values() if (b.builder, b.file) in places)
