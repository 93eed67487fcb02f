"""The calls of a file whose callee is known: what is called, how, and from where."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .callables import constructor, signature_for
from .calls import Call, call_of
from .classes import called, method
from .scope import Callee, Class, Instance, Meaning, Scope, own_nodes
from .signature import Function, Signature
from .syntax import children, dotted, methods

Adopted = Mapping[ast.AST, Class]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, eq=False)
class Site:
    """One call.

    Attributes:
        repo, path, line: the place.
        call: as written, seen through locals and argument tuples.
        signature: of the callee, as the caller sees it.
        callee: what is called, None for a class without an `__init__` of its own.
        cls: the class, where a class or an instance is called, or a method of one.
        name: of the callee: `function`, `Class`, `Class.method`.
        target_repo, target_path, target_line: where the callee is defined.
        inside: name of the function around it, "" at module level.
        function: that function, or None.
    """

    repo: str
    path: str
    line: int
    call: Call
    signature: Signature
    callee: Callee | None
    cls: Class | None
    name: str
    target_repo: str
    target_path: str
    target_line: int
    inside: str
    function: Function | None = None


def sites_in(
    scope: Scope,
    adopted: Adopted | None = None,
    replaced: Adopted | None = None,
    names: frozenset[str] | None = None,
    lines: Sequence[int] | None = None,
) -> Iterator[Site]:
    """The calls of a file.

    Args:
        scope: of the module.
        adopted: functions that are assigned to a class's attribute, with that class: what `self` is in them.
        replaced: classes, by their definition, with the class that stands in for each.
        names: only calls of `name(…)` or `x.name(…)`; all of them if not given.
        lines: only the functions around one of these lines, and no call at module level; all if not given.
    """
    finder = _Finder(adopted or {}, replaced or {}, names, lines)
    if lines is None:
        yield from finder.calls(scope, own_nodes(scope.module.reading.tree), "")
    yield from finder.definitions(scope, scope.module.reading.tree.body, None, "")


@dataclass(frozen=True)
class _Finder:
    adopted: Adopted
    replaced: Adopted
    names: frozenset[str] | None
    lines: Sequence[int] | None

    def definitions(self, scope: Scope, body: list, cls: Class | None, prefix: str) -> Iterator[Site]:
        for node in _defined_in(body):
            if isinstance(node, ast.ClassDef):
                inner = Class(node, scope)
                for function in methods(node):
                    yield from self.function(scope, function, inner, f"{prefix}{node.name}.")
            else:
                yield from self.function(scope, node, self.adopted.get(node, cls), prefix)

    def function(self, scope: Scope, node: Function, cls: Class | None, prefix: str) -> Iterator[Site]:
        if self.lines is not None and not any(node.lineno <= n <= (node.end_lineno or 0) for n in self.lines):
            return
        inside = scope.inside(node, cls)
        yield from self.calls(inside, inside.nodes, f"{prefix}{node.name}")
        yield from self.definitions(inside, node.body, None, f"{prefix}{node.name}.")

    def calls(self, scope: Scope, nodes: Sequence[ast.AST], inside: str) -> Iterator[Site]:
        locals_ = scope.single if scope.function else {}
        reading = scope.module.reading
        for node in nodes:
            if isinstance(node, ast.Call) and self.asked(node.func) and (target := self.target(node.func, scope)):
                callee, cls, signature, name = target
                _, call = call_of(node, locals_, reading)
                where = callee.scope.module.reading if callee else cls.scope.module.reading
                at = callee.node.lineno if callee else cls.node.lineno
                place = (reading.repo, reading.path, node.lineno, call, signature, callee, cls, name)
                yield Site(*place, where.repo, where.path, at, inside, scope.function)

    def asked(self, func: ast.expr) -> bool:
        if self.names is None:
            return True
        name = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
        return name in self.names

    def target(self, func: ast.expr, scope: Scope) -> tuple[Callee | None, Class | None, Signature, str] | None:
        meant = _super(func, scope) or self._stand_in(scope.value(func))
        if isinstance(meant, Class):
            made = constructor(meant)
            return (made[0], meant, made[1], meant.name) if made else None
        if isinstance(meant, Instance):
            meant = called(meant.cls)
        if not isinstance(meant, Callee):
            return None
        meant = self._same_on_stand_in(meant)
        signature = signature_for(meant)
        return (meant, meant.owner, signature, meant.name) if signature else None

    def _stand_in(self, meant: Meaning) -> Meaning:
        if isinstance(meant, Class):
            return self.replaced.get(meant.node, meant)
        if isinstance(meant, Instance):
            return Instance(self.replaced.get(meant.cls.node, meant.cls))
        return meant

    def _same_on_stand_in(self, meant: Callee) -> Callee:
        other = self.replaced.get(meant.owner.node) if meant.owner else None
        return (method(other, meant.node.name) or meant) if other else meant


def _super(func: ast.expr, scope: Scope) -> Callee | None:
    """The method that `super().m` means, as far as the first base has it."""
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
        return None
    if dotted(func.value.func) != "super":
        return None
    cls: Meaning = scope.own_class
    if func.value.args:
        cls = scope.value(func.value.args[0])
    if not isinstance(cls, Class) or not cls.node.bases:
        return None
    base = cls.scope.value(_bare(cls.node.bases[0]))
    return method(base, func.attr) if isinstance(base, Class) else None


def _bare(base: ast.expr) -> ast.expr:
    return base.value if isinstance(base, ast.Subscript) else base


def _defined_in(body: list) -> Iterator[Function | ast.ClassDef]:
    """The functions and classes among the statements of a body, those under `if`, `try`, `with` and loops included."""
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node
        elif isinstance(node, ast.stmt | ast.excepthandler):
            waiting.extend(n for n in children(node) if isinstance(n, ast.stmt | ast.excepthandler))
