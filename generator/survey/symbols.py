"""What a dotted name means over several checkouts: the function, class or module behind it, through re-exports."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .imports import Import, imports_in
from .reading import Reading
from .shelf import Shelf
from .signature import Function
from .syntax import dotted, top_level

_HOPS = 12
Definition = Function | ast.ClassDef


@dataclass(frozen=True, eq=False)
class Module:
    """The names that a file binds at its top level.

    Attributes:
        reading: the file.
        definitions: functions and classes; of several with one name the last, as Python has it.
        imports: what import statements at top level bind.
        values: names that a plain assignment binds, with the last assigned expression.
        stars: modules that it imports everything from.
        rebound: names that it binds more than once, so that nobody can tell which one counts.
    """

    reading: Reading
    definitions: Mapping[str, Definition] = field(default_factory=dict)
    imports: Mapping[str, Import] = field(default_factory=dict)
    values: Mapping[str, ast.expr | None] = field(default_factory=dict)
    stars: tuple[str, ...] = ()
    rebound: frozenset[str] = frozenset()

    @property
    def dynamic(self) -> bool:
        """True if names can come from a module-level `__getattr__`."""
        return "__getattr__" in self.definitions

    def binds(self, name: str) -> bool:
        """True if the file itself binds a name."""
        return name in self.definitions or name in self.imports or name in self.values


@dataclass(frozen=True, eq=False)
class Symbol:
    """A function or class at the top level of a file, or a method: `owner` is the class that defines it."""

    module: Module
    node: Definition
    owner: ast.ClassDef | None = None

    @property
    def name(self) -> str:
        """`function`, `Class` or `Class.method`."""
        return f"{self.owner.name}.{self.node.name}" if self.owner else self.node.name


class Symbols:
    """Finds what dotted names mean in the checkouts of a workspace.

    Attributes:
        scopes: module name to what `scope.scope_of` keeps for it.
    """

    def __init__(self, shelves: Mapping[str, Shelf]):
        self._shelves = {shelf.package.name: shelf for shelf in shelves.values()}
        self._modules: dict[str, Module | None] = {}
        self.scopes: dict[str, Any] = {}

    def module(self, name: str) -> Module | None:
        """The module of an absolute dotted name; None if it is none of these checkouts'."""
        if name not in self._modules:
            shelf = self._shelves.get(name.partition(".")[0])
            path = name.replace(".", "/")
            reading = shelf and (shelf.open(f"{path}.py") or shelf.open(f"{path}/__init__.py"))
            self._modules[name] = module_of(reading) if reading else None
        return self._modules[name]

    def known(self, name: str) -> bool:
        """True if a dotted name begins with the package of one of the checkouts."""
        return name.partition(".")[0] in self._shelves

    def is_package(self, name: str) -> bool:
        """True if a dotted name is a folder with Python files, with or without an `__init__.py`."""
        shelf = self._shelves.get(name.partition(".")[0])
        return shelf is not None and bool(shelf.list(name.replace(".", "/")))

    def find(self, name: str, hops: int = _HOPS) -> Symbol | Module | None:
        """What an absolute dotted name means, or None where that cannot be told or is nothing."""
        if not self.known(name) or hops <= 0:
            return None
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            module = self.module(".".join(parts[:length]))
            if module is not None:
                return self.member(module, parts[length:], hops - 1) if length < len(parts) else module
        return None

    def member(self, module: Module, names: list[str], hops: int = _HOPS) -> Symbol | Module | None:
        """What `module.a.b` means."""
        name, rest = names[0], names[1:]
        if name in module.rebound:
            return None
        if name in module.definitions:
            return self._inside(Symbol(module, module.definitions[name]), rest)
        if name in module.imports:
            return self.find(".".join([module.imports[name].target, *rest]), hops - 1)
        value = dotted(module.values[name]) if module.values.get(name) is not None else None
        if value and value != name and hops > 0:
            return self.member(module, [*value.split("."), *rest], hops - 1)
        if name in module.values:
            return None
        for star in module.stars:
            if found := self.find(".".join([star, *names]), hops - 1):
                return found
        return None

    def offers(self, module_name: str, name: str) -> bool | None:
        """True if `from module import name` works, False if it fails; None if the module is not in these checkouts.

        A module that is not there at all offers nothing.
        """
        if not self.known(module_name):
            return None
        module = self.module(module_name)
        if module is None:
            return self.is_package(f"{module_name}.{name}") or self.module(f"{module_name}.{name}") is not None
        if module.binds(name) or module.dynamic or self.module(f"{module_name}.{name}") or module.reading.unreadable:
            return True
        if module.reading.is_package and self.is_package(f"{module_name}.{name}"):
            return True
        said = [self.offers(star, name) for star in module.stars if star != module_name]
        return True if True in said else None if None in said else False

    def elsewhere(self, module_name: str, name: str) -> str | None:
        """The module below a package that defines a name which the package does not offer, if there is one."""
        shelf = self._shelves.get(module_name.partition(".")[0])
        if shelf is None:
            return None
        needles = (f"def {name}(".encode(), f"class {name}(".encode(), f"class {name}:".encode())
        found = shelf.having(module_name.replace(".", "/"), *needles) or shelf.having(shelf.package.name, *needles)
        return found[0].module if len(found) == 1 else None

    def _inside(self, symbol: Symbol, rest: list[str]) -> Symbol | None:
        if not rest:
            return symbol
        if len(rest) > 1 or not isinstance(symbol.node, ast.ClassDef):
            return None
        for node in top_level(symbol.node.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == rest[0]:
                return Symbol(symbol.module, node, symbol.node)
        return None


def module_of(reading: Reading) -> Module:
    """Read the names that a file binds at its top level."""
    definitions: dict[str, Definition] = {}
    values: dict[str, ast.expr | None] = {}
    importing: list[ast.AST] = []
    counts: Counter[str] = Counter()
    for node in top_level(reading.tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            definitions[node.name] = node
            counts[node.name] += 1
        elif isinstance(node, ast.Import | ast.ImportFrom):
            importing.append(node)
        else:
            bound = _bound(node)
            values |= bound
            counts.update(list(bound))
    every = imports_in(importing, reading)
    stars = tuple(key.removesuffix(".*") for key in every if key.endswith(".*"))
    imports = {k: v for k, v in every.items() if not k.endswith(".*")}
    counts.update(list(imports))
    rebound = frozenset(name for name, count in counts.items() if count > 1)
    return Module(reading, definitions, imports, values, stars, rebound)


def _bound(node: ast.stmt) -> dict[str, ast.expr | None]:
    """The names that a statement at top level binds, with the value where it is a plain assignment."""
    if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):
        return {t.id: node.value for t in node.targets if isinstance(t, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {node.target.id: node.value}
    heads = [node.test] if isinstance(node, ast.If) else []
    if isinstance(node, ast.If | ast.Try | ast.With):
        heads += [item.optional_vars for item in getattr(node, "items", []) if item.optional_vars]
    else:
        heads = [node]
    names = [n.id for h in heads for n in ast.walk(h) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    return dict.fromkeys(names)
