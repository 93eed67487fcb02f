"""Patches of dlinfer beside what they replace in lmdeploy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .patches import Patch, read_patches
from .scope import Callee, Class, scope_of
from .shelf import Shelf
from .signature import Signature
from .symbols import Definition, Module, Symbol, Symbols
from .syntax import walk

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Patched:
    """One patch.

    Attributes:
        patch: what dlinfer assigns.
        owner: the class or module that the attribute belongs to, or None where that is gone.
        target: what it replaces, or None where there is no such attribute.
        node: the definition that replaces it, or None where it is not in the file.
    """

    patch: Patch
    owner: Symbol | Module | None
    target: Symbol | None
    node: Definition | None

    @property
    def name(self) -> str:
        """The last part of the target, with its class: `StateCacheEngine.allocate_caches`."""
        last = self.patch.target.rpartition(".")[2]
        return f"{self.owner.name}.{last}" if isinstance(self.owner, Symbol) else last

    @property
    def is_value(self) -> bool:
        """True if a module or class binds the name to something that is no function or class."""
        last = self.patch.target.rpartition(".")[2]
        if isinstance(self.owner, Module):
            return last in self.owner.values or last in self.owner.imports
        body = self.owner.node.body if self.owner else []
        return any(isinstance(n, ast.Name) and n.id == last for one in body for n in ast.walk(one))

    def caller_view(self) -> Signature | None:
        """The signature of a replacing function as lmdeploy calls it."""
        signature = self.patch.signature
        if signature is None or self.patch.value_kind != "function":
            return None
        method = isinstance(self.owner, Symbol)
        static = "staticmethod" in self.patch.decorators
        return Signature(signature.params[1:], signature.returns) if method and not static else signature


def read_patched(symbols: Symbols, dlinfer: Shelf) -> list[Patched]:
    """Every patch of a dlinfer checkout, with what it replaces."""
    return [_patched(patch, symbols, dlinfer) for patch in read_patches(dlinfer).values()]


def adopted(patches: list[Patched], symbols: Symbols) -> dict[ast.AST, Class]:
    """Functions that are assigned to an attribute of a class, with that class: what `self` is in them."""
    return {
        p.node: _class(p.owner, symbols)
        for p in patches
        if isinstance(p.node, ast.FunctionDef | ast.AsyncFunctionDef) and isinstance(p.owner, Symbol)
    }


def replaced(patches: list[Patched], symbols: Symbols) -> dict[ast.AST, Class]:
    """Classes of lmdeploy with the class that dlinfer puts in their place."""
    return {
        p.target.node: found
        for p in patches
        if p.target and isinstance(p.node, ast.ClassDef) and (found := _stand_in(p, symbols))
    }


def _stand_in(patched: Patched, symbols: Symbols) -> Class | None:
    module = symbols.module(patched.patch.value_path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    if module is None:
        return None
    scope = scope_of(symbols, module)
    around = [n for n in walk(module.reading.tree) if isinstance(n, _DEFINITIONS) and _holds(n, patched.node)]
    for function in around:
        if isinstance(function, ast.FunctionDef):
            scope = scope.inside(function)
    return Class(patched.node, scope)


def _holds(outer: ast.AST, inner: ast.AST) -> bool:
    return outer is not inner and outer.lineno <= inner.lineno and (outer.end_lineno or 0) >= (inner.end_lineno or 0)


def _patched(patch: Patch, symbols: Symbols, dlinfer: Shelf) -> Patched:
    owner_name, _, last = patch.target.rpartition(".")
    owner = symbols.find(owner_name)
    target = symbols.find(patch.target)
    if isinstance(owner, Symbol) and target is None:
        target = _inherited(owner, last, symbols)
    node = next(_defined_at(patch, dlinfer), None) if patch.value_line else None
    return Patched(patch, owner, target if isinstance(target, Symbol) else None, node)


def _inherited(owner: Symbol, name: str, symbols: Symbols) -> Symbol | None:
    from .classes import method

    found = method(_class(owner, symbols), name) if isinstance(owner.node, ast.ClassDef) else None
    return Symbol(found.scope.module, found.node, found.owner.node) if isinstance(found, Callee) else None


def _class(owner: Symbol, symbols: Symbols) -> Class:
    return Class(owner.node, scope_of(symbols, owner.module))


def _defined_at(patch: Patch, dlinfer: Shelf) -> Iterator[Definition]:
    reading = dlinfer.open(patch.value_path)
    for node in ast.walk(reading.tree) if reading else ():
        if isinstance(node, _DEFINITIONS) and node.lineno == patch.value_line:
            yield node
