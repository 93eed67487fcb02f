"""A name in lmdeploy that a patch is to replace: what it is, who copied it, and how lmdeploy itself calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from generator.errors import ScaffoldError
from generator.workspace.checkout import Checkout

from .classes import lineage, method
from .reading import Reading
from .scope import Class, Scope
from .shelf import Shelf
from .signature import Function, Signature, signature_of
from .symbols import Module, Symbol, Symbols
from .syntax import decorator_names

_DEFINED = re.compile(rb"^(?:class|def|async def) (\w+)", re.M)
_METHOD = re.compile(rb"^[ \t]+(?:async )?def (\w+)\(", re.M)


@dataclass(frozen=True, eq=False)
class Target:
    """A function, class or method of lmdeploy.

    Attributes:
        module: dotted name of the module that it is looked up in, where the patch has to be set.
        names: `(function,)`, `(Class,)` or `(Class, method)`.
        kind: `function`, `class` or `method`.
        node: its definition.
        home: the file that defines it, which may be another than `module`.
        cls: the class that a method is looked up in, as `module` offers it.
    """

    module: str
    names: tuple[str, ...]
    kind: str
    node: Function | ast.ClassDef
    home: Module
    cls: Class | None = None

    @property
    def dotted(self) -> str:
        """Absolute dotted name."""
        return ".".join([self.module, *self.names])

    @property
    def path(self) -> str:
        """The file of the definition, relative to the lmdeploy checkout."""
        return self.home.reading.path

    @property
    def line(self) -> int:
        """Of the definition."""
        return self.node.lineno

    @property
    def signature(self) -> Signature | None:
        """As written; of a class that of the `__init__` it has itself, else None."""
        function = self.function
        return signature_of(function, self.home.reading.text) if function else None

    @property
    def function(self) -> Function | None:
        """The function itself, or the `__init__` of a class."""
        if not isinstance(self.node, ast.ClassDef):
            return self.node
        own = [n for n in self.node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        return own[-1] if own else None

    @property
    def decorators(self) -> tuple[str, ...]:
        """Names of its decorators."""
        return tuple(decorator_names(self.node))

    @property
    def binding(self) -> str:
        """`classmethod`, `staticmethod`, `property` or "": what an attribute access makes of a method."""
        kinds = ("classmethod", "staticmethod", "property")
        return next((d for d in self.decorators if d in kinds and self.kind == "method"), "")

    @property
    def is_coroutine(self) -> bool:
        """True if calling it gives something to await; an async generator is iterated."""
        return isinstance(self.node, ast.AsyncFunctionDef) and not _yields(self.node)


@dataclass(frozen=True)
class Importer:
    """A module that copied a name when it was imported, so that a patch does not reach it.

    Attributes:
        module: dotted name.
        path, line: the import, in lmdeploy.
        name: what it is called there.
    """

    module: str
    path: str
    line: int
    name: str


def lmdeploy_symbols(checkout: Checkout) -> Symbols:
    """What dotted names mean in an lmdeploy checkout."""
    return Symbols({"lmdeploy": checkout if isinstance(checkout, Shelf) else Shelf.of(checkout)})


def find_target(symbols: Symbols, shelf: Shelf, text: str) -> Target:
    """Find what a dotted name means: absolute, or from a module's own name on, as `cache_engine.CacheEngine.m`.

    Raises:
        ScaffoldError: there is no such thing, or several; names the nearest.
    """
    parts = text.split(".")
    if not all(p.isidentifier() for p in parts):
        raise ScaffoldError(f"`{text}` is no dotted name", next="give it as package.module.Class.method")
    found = [t for name in _spellings(shelf, parts) if (t := _at(symbols, name))]
    homes = {(t.path, t.line, t.module) for t in found}
    if len(homes) > 1:
        names = ", ".join(sorted({t.dotted for t in found}))
        raise ScaffoldError(f"`{text}` can mean several things: {names}", next="give one of them in full")
    if found:
        return found[0]
    if symbols.module(text) is not None:
        raise ScaffoldError(f"`{text}` is a module", next="name a function, class or method in it")
    raise _missing(symbols, shelf, text)


def importers(symbols: Symbols, shelf: Shelf, target: Target) -> list[Importer]:
    """The modules that took a function or class by `from … import` at their top level."""
    if target.kind == "method":
        return []
    found = []
    for reading in shelf.having(shelf.package.name, target.node.name.encode()):
        module = symbols.module(reading.module)
        for name, taken in module.imports.items() if module else ():
            if taken.name != target.node.name or reading.module == target.module:
                continue
            meant = symbols.find(taken.target)
            if isinstance(meant, Symbol) and meant.node is target.node:
                found.append(Importer(reading.module, reading.path, taken.line, name))
    return found


def _spellings(shelf: Shelf, parts: list[str]) -> Iterator[str]:
    """The absolute names that a dotted name may stand for."""
    text = ".".join(parts)
    if parts[0] == shelf.package.name:
        yield text
        return
    for path in shelf.list(shelf.package.name):
        module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for k in range(len(parts) - 1, 0, -1):
            if f".{module}".endswith("." + ".".join(parts[:k])):
                yield ".".join([module, *parts[k:]])
    needle = parts[0].encode()
    for reading in shelf.having(shelf.package.name, b"class " + needle, b"def " + needle):
        if needle in _DEFINED.findall(reading.data):
            yield f"{reading.module}.{text}"


def _at(symbols: Symbols, name: str) -> Target | None:
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = symbols.module(".".join(parts[:length]))
        if module is not None:
            return _in_module(symbols, module, ".".join(parts[:length]), parts[length:])
    return None


def _in_module(symbols: Symbols, module: Module, dotted: str, names: list[str]) -> Target | None:
    found = symbols.member(module, names[:1]) if len(names) < 3 else None
    if found is None and names[0] in module.definitions:
        # Bound more than once: a class that derives from the one it shadows. What is defined here is the target.
        found = Symbol(module, module.definitions[names[0]])
    if not isinstance(found, Symbol) or len(names) > 2:
        return None
    if len(names) == 1:
        kind = "class" if isinstance(found.node, ast.ClassDef) else "function"
        return Target(dotted, tuple(names), kind, found.node, found.module)
    if not isinstance(found.node, ast.ClassDef):
        return None
    cls = Class(found.node, Scope(symbols, found.module))
    own = method(cls, names[1])
    return Target(dotted, tuple(names), "method", own.node, own.scope.module, cls) if own else None


def _missing(symbols: Symbols, shelf: Shelf, text: str) -> ScaffoldError:
    near = _nearest(symbols, shelf, text)
    hint = f"did you mean {' or '.join(near)}?" if near else "look it up in the lmdeploy checkout"
    return ScaffoldError(f"lmdeploy has no `{text}`", where=f"lmdeploy/{shelf.package.name}", next=hint)


def _nearest(symbols: Symbols, shelf: Shelf, text: str) -> list[str]:
    """Up to three names like it: of the same class, of the same module, or of the whole package."""
    parts = text.split(".")
    owner = ".".join(parts[:-1])
    for name in dict.fromkeys(_spellings(shelf, parts[:-1])) if len(parts) > 1 else ():
        target = _at(symbols, name)
        if target and isinstance(target.node, ast.ClassDef):
            classes = lineage(Class(target.node, Scope(symbols, target.home)))
            members = {n.name for c in classes for n in _functions(c.node)}
            near = get_close_matches(parts[-1], sorted(members), 3, 0.5)
            if near:
                return [f"`{owner}.{n}`" for n in near]
    names: dict[str, list[str]] = {}
    for path in shelf.list(shelf.package.name):
        reading = shelf.open(path)
        for found in _DEFINED.findall(reading.data) if reading else ():
            names.setdefault(found.decode(), []).append(reading.module)
    for part in reversed(parts):
        near = get_close_matches(part, sorted(names), 3, 0.75)
        if near:
            return [f"`{names[n][0]}.{n}`" for n in near]
    return []


def _functions(node: ast.ClassDef) -> list[Function]:
    return [n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def _yields(node: ast.AST) -> bool:
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting += ast.iter_child_nodes(inner)
    return False


def methods_named(reading: Reading, name: str) -> int:
    """How many methods of that name a file has, told by its bytes."""
    return _METHOD.findall(reading.data).count(name.encode())
