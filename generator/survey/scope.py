"""What a name means at a place in a file: in a function, a method, a nested class or a module."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from .imports import Import, imports_in
from .signature import Function
from .symbols import Definition, Module, Symbol, Symbols
from .syntax import children, dotted

_NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_CLOSED = frozenset((*_NESTED, ast.Lambda))
_KEPT = "_own_nodes"


@dataclass(frozen=True, eq=False)
class Class:
    """A class, with the place that it is defined in.

    Attributes:
        node: its definition.
        scope: what names mean around it.
    """

    node: ast.ClassDef
    scope: Scope

    @property
    def name(self) -> str:
        """Its plain name."""
        return self.node.name


@dataclass(frozen=True, eq=False)
class Callee:
    """A function or method that a call reaches.

    Attributes:
        node: its definition.
        scope: what names mean around it.
        owner: the class that defines it, for a method.
        bound: True if the caller does not pass `self` or `cls`.
    """

    node: Function
    scope: Scope
    owner: Class | None = None
    bound: bool = False

    @property
    def name(self) -> str:
        """`function` or `Class.method`."""
        return f"{self.owner.name}.{self.node.name}" if self.owner else self.node.name


@dataclass(frozen=True, eq=False)
class Instance:
    """A value that is an instance of a class."""

    cls: Class


Meaning = Class | Callee | Instance | Module | None


@dataclass(frozen=True, eq=False)
class Scope:
    """A place in a file.

    Attributes:
        symbols: of the workspace.
        module: the file.
        function: the innermost function around the place, or None at module level.
        cls: the class whose method `function` is.
        outer: the scope around `function`, None at module level.
    """

    symbols: Symbols
    module: Module
    function: Function | None = None
    cls: Class | None = None
    outer: Scope | None = None
    _inner: dict = field(default_factory=dict, repr=False)
    _meanings: dict = field(default_factory=dict, repr=False)

    def inside(self, function: Function, cls: Class | None = None) -> Scope:
        """The scope of the body of a function that is defined here."""
        key = (function, cls and cls.node)
        return self._inner.setdefault(key, Scope(self.symbols, self.module, function, cls, self))

    def meaning(self, name: str, depth: int = 8) -> Meaning:
        """What a plain name means here; None if that cannot be told."""
        if name in self._meanings:
            return self._meanings[name]
        found = self._looked_up(name, depth) if depth > 0 else None
        if depth > 4:
            # Not what was given up on the way down from somewhere else.
            self._meanings[name] = found
        return found

    def _looked_up(self, name: str, depth: int) -> Meaning:
        if self.function is None:
            return self._of(self.symbols.member(self.module, [name]))
        if self._bound[name] == 0:
            return self.outer.meaning(name, depth) if self.outer else None
        if self._bound[name] > 1:
            return None
        if name in self._imports:
            return self._of(self.symbols.find(self._imports[name].target))
        if name in self._definitions:
            return self._defined(self._definitions[name])
        value = self.single.get(name)
        return self.value(value, depth - 1) if value is not None else None

    def value(self, node: ast.expr, depth: int = 8) -> Meaning:
        """What an expression means here: a name, a dotted name, or a class that is called."""
        if isinstance(node, ast.Call):
            made = self.value(node.func, depth - 1) if depth > 0 else None
            return Instance(made) if isinstance(made, Class) else None
        text = dotted(node)
        return self.dotted(text, depth) if text else None

    def dotted(self, text: str, depth: int = 8) -> Meaning:
        """What a dotted name means here, `self` included."""
        from .classes import attribute

        head, *rest = text.split(".")
        if rest and (longest := self._imported_module(text)):
            return self._of(self.symbols.find(longest))
        if head == "self" and self.own_class is not None:
            found: Meaning = Instance(self.own_class)
        elif head == "cls" and self.own_class is not None:
            found = self.own_class
        else:
            found = self.meaning(head, depth)
        for name in rest:
            if isinstance(found, Module):
                found = self._of(self.symbols.find(f"{found.reading.module}.{name}"))
            else:
                found = attribute(found, name, depth - 1) if depth > 0 else None
        return found

    @property
    def own_class(self) -> Class | None:
        """The class that `self` is of here."""
        return self.cls or (self.outer.own_class if self.outer else None)

    def _imported_module(self, text: str) -> str | None:
        """The name that `import a.b` gives to `a.b.c`, if the import binds the whole way."""
        if not self._dotted_imports:
            return None
        parts = text.split(".")
        for length in range(len(parts), 1, -1):
            found = self._import_of(".".join(parts[:length]))
            if found and found.name is None:
                return ".".join([found.module, *parts[length:]])
        return None

    @cached_property
    def _dotted_imports(self) -> bool:
        """True if an `import a.b` without `as` can be seen from here."""
        own = self._imports if self.function else self.module.imports
        return any("." in name for name in own) or (self.outer is not None and self.outer._dotted_imports)

    def _import_of(self, name: str) -> Import | None:
        if self.function is None:
            return self.module.imports.get(name)
        return self._imports.get(name) or (self.outer._import_of(name) if self.outer else None)

    def _of(self, found: Symbol | Module | None) -> Meaning:
        if not isinstance(found, Symbol):
            return found
        scope = scope_of(self.symbols, found.module)
        if found.owner:
            owner = Class(found.owner, scope)
            return Callee(found.node, scope, owner) if not isinstance(found.node, ast.ClassDef) else None
        return scope._defined(found.node)

    def _defined(self, node: Definition) -> Meaning:
        return Class(node, self) if isinstance(node, ast.ClassDef) else Callee(node, self)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of the function's own body."""
        return own_nodes(self.function) if self.function else ()

    @cached_property
    def single(self) -> dict[str, ast.expr]:
        """Names that the function binds exactly once, by a plain assignment, with the assigned expression."""
        return {
            n.targets[0].id: n.value
            for n in self.nodes
            if isinstance(n, ast.Assign)
            and len(n.targets) == 1
            and isinstance(n.targets[0], ast.Name)
            and self._bound[n.targets[0].id] == 1
        }

    @cached_property
    def _bound(self) -> Counter[str]:
        """How often the function binds each name itself, parameters included."""
        assert self.function is not None
        args = self.function.args
        every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
        counts: Counter[str] = Counter(a.arg for a in every if a)
        for node in self.nodes:
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                counts[node.id] += 1
            elif isinstance(node, _NESTED):
                counts[node.name] += 1
            elif isinstance(node, ast.Import | ast.ImportFrom):
                counts.update((a.asname or a.name).partition(".")[0] for a in node.names)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                counts[node.name] += 1
            elif isinstance(node, ast.Global | ast.Nonlocal):
                counts.update({name: 2 for name in node.names})
        return counts

    @cached_property
    def _imports(self) -> dict[str, Import]:
        nodes = [n for n in self.nodes if isinstance(n, ast.Import | ast.ImportFrom)]
        return imports_in(nodes, self.module.reading)

    @cached_property
    def _definitions(self) -> dict[str, Definition]:
        return {n.name: n for n in self.nodes if isinstance(n, _NESTED)}


def scope_of(symbols: Symbols, module: Module) -> Scope:
    """The scope of a module; one and the same for a module."""
    return symbols.scopes.setdefault(module.reading.module, Scope(symbols, module))


def own_nodes(owner: Function | ast.ClassDef | ast.Lambda | ast.Module) -> tuple[ast.AST, ...]:
    """The nodes in the body of a function, class, lambda or module; those of another one in it only as itself.

    They are kept on the node, where they live as long as the tree does: several rules go through the same bodies.
    """
    kept = owner.__dict__.get(_KEPT)
    if kept is None:
        found: list[ast.AST] = []
        waiting: list[ast.AST] = list(owner.body) if isinstance(owner.body, list) else [owner.body]
        while waiting:
            node = waiting.pop()
            found.append(node)
            if node.__class__ not in _CLOSED:
                waiting.extend(children(node))
            elif node.__class__ is not ast.Lambda:
                waiting.extend(node.decorator_list)
        kept = owner.__dict__[_KEPT] = tuple(found)
    return kept
