"""The calls that lmdeploy's own code makes of something that a patch replaces."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .bind import bind
from .calls import Call
from .classes import lineage, method
from .imports import Import, imports_in, resolve
from .reading import Reading
from .scope import Class, Scope
from .shelf import Shelf
from .symbols import Symbol, Symbols
from .syntax import classes, dotted
from .targets import Target, methods_named


@dataclass(frozen=True)
class OwnCall:
    """One call.

    Attributes:
        path: relative to the lmdeploy checkout.
        call: what is called, and with what.
        bound: True if `self` or `cls` is not among the arguments.
    """

    path: str
    call: Call
    bound: bool = True


def own_calls(symbols: Symbols, shelf: Shelf, target: Target) -> list[OwnCall]:
    """The calls of a target that can be told to be its own, in lmdeploy.

    A method is called on `self`, `cls`, `super()` or the class, in its class and those derived from it; on any other
    object only where no other class has a method of that name, and only if it takes the call. A class, and an
    `__init__`, are called by the class's name.
    """
    if target.kind != "method":
        readings = shelf.having(shelf.package.name, target.node.name.encode())
        return [call for reading in readings for call in _named(symbols, reading, target)]
    if target.names[1] == "__init__":
        return _built(symbols, shelf, target)
    return _methods(symbols, shelf, target)


def _named(symbols: Symbols, reading: Reading, target: Target) -> Iterator[OwnCall]:
    """Calls of a function or class, through imports at any level of the file."""
    imports = imports_in([reading.tree], reading)
    for node in _calls(reading.tree):
        name = dotted(node.func)
        if name is None or name.rpartition(".")[2] != target.node.name and name.partition(".")[0] not in imports:
            continue
        absolute = resolve(name, imports)
        absolute = absolute if absolute != name or "." in name else f"{reading.module}.{name}"
        found = symbols.find(absolute)
        if isinstance(found, Symbol) and found.node is target.node:
            yield OwnCall(reading.path, call_of(node, reading))


def _built(symbols: Symbols, shelf: Shelf, target: Target) -> list[OwnCall]:
    """Calls that run an `__init__`: of the class, of those that inherit it, and through `super()`."""
    found = []
    for reading, cls in family(symbols, shelf, target):
        own = method(cls, "__init__")
        if own is not None and own.node is target.node:
            fake = Target(cls.scope.module.reading.module, (cls.name,), "class", cls.node, cls.scope.module)
            for one in shelf.having(shelf.package.name, cls.name.encode()):
                found += _named(symbols, one, fake)
        if own is not None and own.node is not target.node:
            found += _through_super(reading, cls, "__init__", target)
    return found


def _methods(symbols: Symbols, shelf: Shelf, target: Target) -> list[OwnCall]:
    name, found = target.names[1], []
    members = list(family(symbols, shelf, target))
    for reading, cls in members:
        own = method(cls, name)
        if own is not None and own.node is target.node:
            found += [OwnCall(reading.path, call_of(n, reading)) for n in _on(cls.node, ("self", "cls"), name)]
        elif own is not None:
            found += _through_super(reading, cls, name, target)
    owners = {cls.name for _, cls in members}
    theirs = sum(any(getattr(n, "name", None) == name for n in cls.node.body) for _, cls in members)
    alone = theirs == sum(methods_named(r, name) for r in shelf.having(shelf.package.name, name.encode()))
    for reading in shelf.having(shelf.package.name, name.encode()):
        imports = imports_in([reading.tree], reading)
        for node in _calls(reading.tree):
            head, _, last = (dotted(node.func) or "").rpartition(".")
            if last != name or head in ("self", "cls") or _elsewhere(head, imports, shelf):
                continue
            if head.rpartition(".")[2] in owners:
                found.append(OwnCall(reading.path, call_of(node, reading), bool(target.binding)))
            elif alone and head and _fits(call := call_of(node, reading), target):
                found.append(OwnCall(reading.path, call))
    return found


def _fits(call: Call, target: Target) -> bool:
    """True if lmdeploy's own definition takes a call: one that it does not take means something else."""
    return target.signature is None or bind(call, target.signature.without_self()).problem is None


def _elsewhere(head: str, imports: dict[str, Import], shelf: Shelf) -> bool:
    """True for a receiver that another package gave: `torch.load` is nobody's `load`."""
    target = resolve(head, imports)
    return head.partition(".")[0] in imports and not target.startswith(f"{shelf.package.name}.")


def family(symbols: Symbols, shelf: Shelf, target: Target) -> Iterator[tuple[Reading, Class]]:
    """The class that defines a method, and all classes of lmdeploy that derive from it."""
    if target.cls is None:
        return
    owner = next(c for c in lineage(target.cls) if any(n is target.node for n in ast.walk(c.node)))
    names, seen = {owner.name}, set()
    while True:
        fresh = []
        for reading in shelf.having(shelf.package.name, *(n.encode() for n in names)):
            module = symbols.module(reading.module)
            for node in classes(reading.tree) if module else ():
                cls = Class(node, Scope(symbols, module))
                if id(node) not in seen and any(c.node is owner.node for c in lineage(cls)):
                    seen.add(id(node))
                    fresh.append((reading, cls))
        yield from fresh
        more = {cls.name for _, cls in fresh} - names
        if not more:
            return
        names |= more


def _through_super(reading: Reading, cls: Class, name: str, target: Target) -> Iterator[OwnCall]:
    """`super().m(…)` in a class whose next base with that method is the target's."""
    above = [c for c in lineage(cls)[1:] if any(getattr(n, "name", None) == name for n in c.node.body)]
    if not above or all(n is not target.node for n in above[0].node.body):
        return
    for node in _calls(cls.node):
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == name and isinstance(func.value, ast.Call):
            if dotted(func.value.func) == "super":
                yield OwnCall(reading.path, call_of(node, reading))


def _on(node: ast.ClassDef, receivers: tuple[str, ...], name: str) -> list[ast.Call]:
    wanted = {f"{receiver}.{name}" for receiver in receivers}
    return [n for n in _calls(node) if dotted(n.func) in wanted]


def _calls(tree: ast.AST) -> list[ast.Call]:
    return [n for n in ast.walk(tree) if isinstance(n, ast.Call)]


def call_of(node: ast.Call, reading: Reading) -> Call:
    """The record of one call, as it is written."""
    keywords = tuple((k.arg or "**", reading.text(k.value)) for k in node.keywords)
    callee = dotted(node.func) or reading.text(node.func)
    return Call(callee, tuple(map(reading.text, node.args)), keywords, node.lineno)
