"""Names that a file uses and nobody binds: what raises NameError when the line is reached."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator

from .scope import own_nodes
from .symbols import Module, Symbols

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_INNER = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMED = frozenset((*_FUNCTIONS, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar))
_ALWAYS = frozenset(dir(builtins)) | frozenset(
    f"__{name}__"
    for name in "file name path class doc annotations spec package loader builtins module qualname".split()
)


def unbound_names(module: Module, symbols: Symbols) -> list[tuple[str, int]]:
    """The names that a file reads and that no scope around them, no import and no builtin binds, with their lines.

    A file with a star import of something that is not in the workspace has none: nobody can tell.
    """
    known = _starred(module, symbols)
    if known is None:
        return []
    tree = module.reading.tree
    postponed = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
    names = _ALWAYS | known | _bound(tree) | _globals(tree)
    found = {*_reads(tree, [names], postponed), *_too_early(tree)}
    return sorted(found, key=lambda item: (item[1], item[0]))


def _too_early(owner: ast.AST) -> Iterator[tuple[str, int]]:
    """The locals of functions that are read before the first statement that binds them: UnboundLocalError.

    Only where no loop holds both, and only plain assignments count: what binds otherwise may come first.
    """
    for node in own_nodes(owner):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            if not isinstance(node, ast.ClassDef):
                yield from _early_in(node)
            yield from _too_early(node)


def _early_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, int]]:
    nodes = own_nodes(function)
    stores: dict[str, list[tuple[int, int]]] = {}
    for node in nodes:
        if node.__class__ is ast.Assign:
            names = [
                n.id
                for t in node.targets
                for n in ast.walk(t)
                if n.__class__ is ast.Name and n.ctx.__class__ is ast.Store
            ]
            for name in names:
                stores.setdefault(name, []).append((node.end_lineno, node.end_col_offset))
    plain = stores.keys() - _params(function.args)
    if not plain:
        return
    others = [n for n in nodes if n.__class__ is ast.Name and n.id in plain]
    loads = [n for n in others if n.ctx.__class__ is ast.Load]
    bound = Counter(n.id for n in others if n.ctx.__class__ is not ast.Load)
    loops = [n for n in nodes if isinstance(n, ast.For | ast.While | ast.AsyncFor)]
    inner = {c for n in nodes if isinstance(n, _INNER) for c in ast.walk(n) if isinstance(c, ast.Name)}
    excused = {name for n in nodes if isinstance(n, ast.Global | ast.Nonlocal) for name in n.names}
    for name in plain - excused:
        if bound[name] != len(stores[name]) or _bound_otherwise(nodes, name):
            continue
        first = min(stores[name])
        early = [n for n in loads if n.id == name and n not in inner and (n.lineno, n.col_offset) < first]
        spans = [(n.lineno, n.end_lineno) for n in loops if n.lineno <= first[0] <= n.end_lineno]
        early = [n for n in early if not any(a <= n.lineno <= b for a, b in spans)]
        if early:
            yield name, min(n.lineno for n in early)


def _bound_otherwise(nodes: tuple[ast.AST, ...], name: str) -> bool:
    """True if an import, a definition or a handler binds a name as well."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            if any((a.asname or a.name).partition(".")[0] == name for a in node.names):
                return True
        elif node.__class__ in _NAMED and node.name == name:
            return True
    return False


def under_condition(tree: ast.Module, line: int) -> bool:
    """True if a line stands in a branch, a handler or a loop: then it need not be reached."""
    tests = [n for n in ast.walk(tree) if isinstance(n, ast.If | ast.For | ast.While | ast.Try | ast.Match | ast.IfExp)]
    return any(n.lineno <= line <= (n.end_lineno or 0) for n in tests)


def _starred(module: Module, symbols: Symbols) -> set[str] | None:
    names: set[str] = set()
    for star in module.stars:
        other = symbols.module(star)
        inner = _starred(other, symbols) if other and other is not module else None
        if other is None or inner is None:
            return None
        names |= inner | set(other.definitions) | set(other.imports) | set(other.values)
    return names


def _globals(owner: ast.AST) -> set[str]:
    """The names that functions declare as global: one of them may bind it."""
    names: set[str] = set()
    for node in own_nodes(owner):
        if isinstance(node, ast.Global):
            names.update(node.names)
        elif isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            names |= _globals(node)
    return names


def _bound(owner: ast.AST) -> set[str]:
    """The names that the body of one scope binds."""
    names: set[str] = set()
    for node in own_nodes(owner):
        kind = node.__class__
        if kind is ast.Name:
            if node.ctx.__class__ is not ast.Load:
                names.add(node.id)
        elif kind in _NAMED:
            names.add(node.name)
        elif kind is ast.Import or kind is ast.ImportFrom:
            names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif kind is ast.MatchMapping and node.rest:
            names.add(node.rest)
    return names


def _params(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    return {arg.arg for arg in every}


def _reads(owner: ast.AST, scopes: list[set[str]], postponed: bool) -> Iterator[tuple[str, int]]:
    """The reads of unbound names in a body and the bodies in it; `scopes` are the name sets that count there."""
    for node in own_nodes(owner):
        kind = node.__class__
        if kind is ast.Name:
            if node.ctx.__class__ is ast.Load and not any(node.id in names for names in scopes):
                if not (postponed and _in_annotation(node, owner)):
                    yield node.id, node.lineno
        elif kind in _FUNCTIONS or kind is ast.Lambda:
            heads = _heads(node, postponed)
            yield from ((n.id, n.lineno) for n in heads if not any(n.id in names for names in scopes))
            outer = scopes[:-1] if owner.__class__ is ast.ClassDef else scopes
            yield from _reads(node, [*outer, _params(node.args) | _bound(node)], postponed)
        elif kind is ast.ClassDef:
            bases = [n for b in (*node.bases, *(k.value for k in node.keywords)) for n in ast.walk(b)]
            yield from _missing(bases, scopes)
            outer = scopes[:-1] if owner.__class__ is ast.ClassDef else scopes
            yield from _reads(node, [*outer, _bound(node)], postponed)


def _missing(nodes: list[ast.AST], scopes: list[set[str]]) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if isinstance(node, ast.Name) and not any(node.id in names for names in scopes):
            yield node.id, node.lineno


def _heads(function: ast.AST, postponed: bool) -> list[ast.Name]:
    """The names that are read where a function is defined: in its defaults, and in annotations unless postponed."""
    args = function.args
    parts: list[ast.expr] = [*args.defaults, *filter(None, args.kw_defaults)]
    if not postponed and not isinstance(function, ast.Lambda):
        every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
        parts += [a for a in (*(arg.annotation for arg in every), function.returns) if a is not None]
    return [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]


def _in_annotation(name: ast.Name, owner: ast.AST) -> bool:
    annotations = [n.annotation for n in own_nodes(owner) if isinstance(n, ast.AnnAssign)]
    return any(name is n for a in annotations for n in ast.walk(a))
