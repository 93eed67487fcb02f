"""Classes as their users see them: methods through the bases, attributes of instances, how they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from .scope import Callee, Class, Instance, Meaning, Scope, own_nodes
from .syntax import decorator_names, dotted, methods

# Bases that add nothing to how a class is called or looked into.
_PLAIN = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol"}
_TORCH_MODULE = {"nn.Module", "torch.nn.Module", "Module"}
_UNKNOWN = ast.Constant(...)


def lineage(cls: Class, depth: int = 8) -> list[Class]:
    """A class and those of its bases that are in the workspace, nearest first."""
    found = [cls]
    for base in cls.node.bases if depth > 0 else ():
        meant = cls.scope.value(base.value if isinstance(base, ast.Subscript) else base)
        if isinstance(meant, Class) and meant.node is not cls.node:
            found += [c for c in lineage(meant, depth - 1) if all(c.node is not f.node for f in found)]
    return found


def is_open(cls: Class) -> bool:
    """True if a class has a base that is not in the workspace, a metaclass, or a decorator that may change it."""
    for one in lineage(cls):
        known = {c.name for c in lineage(one)}
        names = [dotted(b.value if isinstance(b, ast.Subscript) else b) or "?" for b in one.node.bases]
        if any(n not in _PLAIN | _TORCH_MODULE and n.rpartition(".")[2] not in known for n in names):
            return True
        if one.node.keywords or set(_short(decorator_names(one.node))) - {"dataclass"}:
            return True
    return False


def is_torch_module(cls: Class) -> bool:
    """True if a class derives from `torch.nn.Module`, whose call is `forward`."""
    bases = [dotted(b) for c in lineage(cls) for b in c.node.bases]
    return any(b in _TORCH_MODULE for b in bases)


def method(cls: Class, name: str) -> Callee | None:
    """The method of a class that a name means, through its bases, as an instance has it."""
    for one in lineage(cls):
        for node in methods(one.node):
            if node.name == name:
                static = "staticmethod" in decorator_names(node)
                return Callee(node, one.scope, one, bound=not static)
    return None


def called(cls: Class) -> Callee | None:
    """What is run when an instance is called."""
    return method(cls, "__call__") or (method(cls, "forward") if is_torch_module(cls) else None)


def attribute(owner: Meaning, name: str, depth: int = 6) -> Meaning:
    """What `owner.name` means."""
    if isinstance(owner, Class):
        found = method(owner, name)
        bound = found is not None and "classmethod" in decorator_names(found.node)
        return Callee(found.node, found.scope, found.owner, bound) if found else None
    if isinstance(owner, Instance):
        if found := method(owner.cls, name):
            return None if "property" in decorator_names(found.node) else found
        return instance_attribute(owner.cls, name, depth)
    return None


def instance_attribute(cls: Class, name: str, depth: int = 6) -> Meaning:
    """What `self.name` holds, if the class and its bases set it exactly once but for None, to something known."""
    values = [found for one in lineage(cls) for found in _stored(one).get(name, ()) if not _is_none(found[1])]
    if len(values) != 1 or depth <= 0:
        return None
    scope, value = values[0]
    return scope.value(value, depth - 1)


def stored_names(cls: Class) -> set[str]:
    """The attributes of `self` that a class and its bases set, and those that their bodies assign."""
    bodies = [n for one in lineage(cls) for b in one.node.body if isinstance(b, ast.Assign) for n in b.targets]
    return {name for one in lineage(cls) for name in _stored(one)} | {n for n in map(dotted, bodies) if n}


@lru_cache(4096)
def _stored_in(node: ast.ClassDef) -> dict[str, tuple[tuple[ast.AST, ast.expr], ...]]:
    found: dict[str, tuple[tuple[ast.AST, ast.expr], ...]] = {}
    for function in methods(node):
        for statement in own_nodes(function):
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    for name, value in _targets(target, statement.value):
                        found[name] = (*found.get(name, ()), (function, value))
            elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
                for name, value in _targets(statement.target, statement.value or _UNKNOWN):
                    found[name] = (*found.get(name, ()), (function, value))
    return found


def _stored(cls: Class) -> dict[str, list[tuple[Scope, ast.expr]]]:
    rows = _stored_in(cls.node)
    return {name: [(cls.scope.inside(f, cls), value) for f, value in values] for name, values in rows.items()}


def _targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        yield target.attr, value
    elif isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from _targets(element, _UNKNOWN)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _short(names: list[str]) -> list[str]:
    return [name.rpartition(".")[2] for name in names]
