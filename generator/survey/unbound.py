"""Names that a file uses and nobody binds: what raises NameError when the line is reached."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator

from .scope import own_nodes
from .symbols import Module, Symbols
from .syntax import walk

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
    ends: dict[str, list[tuple[int, int]]] = {}
    loads: dict[str, list[ast.Name]] = {}
    bound: Counter[str] = Counter()
    otherwise = _params(function.args)
    for node in nodes:
        kind = node.__class__
        if kind is ast.Name:
            if node.ctx.__class__ is ast.Load:
                loads.setdefault(node.id, []).append(node)
            else:
                bound[node.id] += 1
        elif kind is ast.Assign:
            for name in _targets(node):
                ends.setdefault(name, []).append((node.end_lineno, node.end_col_offset))
        elif kind in _NAMED:
            otherwise.add(node.name)
        elif kind is ast.Import or kind is ast.ImportFrom:
            otherwise |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif kind is ast.Global or kind is ast.Nonlocal:
            otherwise.update(node.names)
    for name, stores in ends.items():
        first = min(stores)
        early = [n for n in loads.get(name, ()) if (n.lineno, n.col_offset) < first]
        if early and name not in otherwise and bound[name] == len(stores):
            early = _outside(early, nodes, first[0])
            if early:
                yield name, min(n.lineno for n in early)


def _targets(node: ast.Assign) -> list[str]:
    if len(node.targets) == 1 and node.targets[0].__class__ is ast.Name:
        return [node.targets[0].id]
    names = [n for t in node.targets for n in ast.walk(t) if n.__class__ is ast.Name]
    return [n.id for n in names if n.ctx.__class__ is ast.Store]


def _outside(reads: list[ast.Name], nodes: tuple[ast.AST, ...], line: int) -> list[ast.Name]:
    """The reads that no comprehension holds, and no loop that holds a line as well."""
    inner = {c for n in nodes if isinstance(n, _INNER) for c in ast.walk(n) if isinstance(c, ast.Name)}
    loops = [n for n in nodes if isinstance(n, ast.For | ast.While | ast.AsyncFor)]
    spans = [(n.lineno, n.end_lineno) for n in loops if n.lineno <= line <= n.end_lineno]
    return [n for n in reads if n not in inner and not any(a <= n.lineno <= b for a, b in spans)]


def under_condition(tree: ast.Module, line: int) -> bool:
    """True if a line stands in a branch, a handler or a loop: then it need not be reached."""
    tests = [n for n in walk(tree) if isinstance(n, ast.If | ast.For | ast.While | ast.Try | ast.Match | ast.IfExp)]
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
    return [n for part in parts for n in walk(part) if isinstance(n, ast.Name)]


def _in_annotation(name: ast.Name, owner: ast.AST) -> bool:
    annotations = [n.annotation for n in own_nodes(owner) if isinstance(n, ast.AnnAssign)]
    return any(name is n for a in annotations for n in ast.walk(a))
