"""Names that a file uses and nobody binds: what raises NameError when the line is reached."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from .scope import children
from .symbols import Module, Symbols
from .syntax import dotted

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ALWAYS = frozenset(dir(builtins)) | frozenset(
    f"__{name}__" for name in "file name path class doc annotations spec package loader builtins module qualname".split()
)


def unbound_names(module: Module, symbols: Symbols) -> list[tuple[str, int]]:
    """The names that a file reads and that no scope around them, no import and no builtin binds, with their lines.

    A file with a star import of something that is not in the workspace has none: nobody can tell.
    """
    known = _starred(module, symbols)
    if known is None:
        return []
    tree = module.reading.tree
    names = known | _bound(tree.body) | _globals(tree)
    postponed = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)
    found = _reads(tree.body, [_ALWAYS | names], postponed)
    return sorted(set(found), key=lambda item: (item[1], item[0]))


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


def _globals(tree: ast.Module) -> set[str]:
    """The names that functions declare as global: one of them may bind it."""
    return {name for n in ast.walk(tree) if isinstance(n, ast.Global) for name in n.names}


def _bound(body: list[ast.stmt]) -> set[str]:
    """The names that the statements of one scope bind."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            names.add(node.name)
            waiting.extend([*node.decorator_list, *(node.args.defaults if isinstance(node, _FUNCTIONS) else node.bases)])
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
        waiting.extend(children(node))
    return names


def _params(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    return {arg.arg for arg in every}


def _reads(body: list[ast.AST], scopes: list[frozenset[str] | set[str]], postponed: bool) -> Iterator[tuple[str, int]]:
    """Reads of unbound names under some nodes; `scopes` are the name sets that count, class bodies not among them."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, _FUNCTIONS):
            annotations = [] if postponed else _annotations(node)
            waiting.extend([*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults), *annotations])
            yield from _reads(node.body, [*scopes, _params(node.args) | _bound(node.body)], postponed)
        elif isinstance(node, ast.Lambda):
            waiting.extend([*node.args.defaults, *filter(None, node.args.kw_defaults)])
            yield from _reads([node.body], [*scopes, _params(node.args) | _bound([node.body])], postponed)
        elif isinstance(node, ast.ClassDef):
            waiting.extend([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)])
            yield from _class_reads(node, scopes, postponed)
        elif isinstance(node, ast.AnnAssign) and postponed:
            waiting.extend(filter(None, (node.target, node.value)))
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and not any(node.id in names for names in scopes):
                yield node.id, node.lineno
        else:
            waiting.extend(children(node))


def _class_reads(node: ast.ClassDef, scopes: list, postponed: bool) -> Iterator[tuple[str, int]]:
    """A class body sees its own names; the functions in it do not."""
    own = [n for n in node.body if not isinstance(n, _FUNCTIONS)]
    yield from _reads(own, [*scopes, _bound(node.body)], postponed)
    for function in (n for n in node.body if isinstance(n, _FUNCTIONS)):
        heads = [*function.decorator_list, *function.args.defaults]
        yield from _reads(heads, [*scopes, _bound(node.body)], postponed)
        yield from _reads(function.body, [*scopes, _params(function.args) | _bound(function.body)], postponed)


def _annotations(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    args = function.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, *filter(None, (args.vararg, args.kwarg))]
    return [a for a in (*(arg.annotation for arg in every), function.returns) if a is not None and dotted(a)]
