"""Small questions about a syntax tree that several layers ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .signature import Function

_NODES = "_function_nodes"
# Fields that hold no node, in any kind of node and in one.
_SCALAR = frozenset("id ctx op ops attr arg n s kind name asname module level rest type_comment lineno tag".split())
_PLAIN = {
    (ast.Global, "names"),
    (ast.Nonlocal, "names"),
    (ast.MatchClass, "kwd_attrs"),
    (ast.MatchSingleton, "value"),
    (ast.FormattedValue, "conversion"),
    (ast.comprehension, "is_async"),
    (ast.AnnAssign, "simple"),
    (ast.Module, "type_ignores"),
}
_HOLDERS: dict[type[ast.AST], tuple[str, ...]] = {}


def dotted(node: ast.AST) -> str | None:
    """`a.b.c` for a chain of attributes on a name, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under a top-level `if`, `try` or `with` included."""
    waiting = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            handlers = [s for h in getattr(node, "handlers", []) for s in h.body]
            inner = [*node.body, *handlers, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            waiting.extend(reversed(inner))


def children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes`, without operators and contexts, which say nothing here and are half of all nodes."""
    found: list[ast.AST] = []
    names = _HOLDERS.get(node.__class__)
    for name in _holders(node.__class__) if names is None else names:
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += [item for item in value if item is not None]
        elif value is not None:
            found.append(value)
    return found


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """As `ast.walk`, in another order and without operators and contexts: a third of its time."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)


def _holders(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that hold nodes; kept: most nodes are names and constants, which have none."""
    names = () if kind is ast.Constant else (n for n in kind._fields if n not in _SCALAR and (kind, n) not in _PLAIN)
    _HOLDERS[kind] = tuple(names)
    return _HOLDERS[kind]


def function_nodes(function: Function) -> tuple[ast.AST, ...]:
    """The nodes in a function's body, nested functions and all; kept on the node, where they live with the tree."""
    kept = function.__dict__.get(_NODES)
    if kept is None:
        found: list[ast.AST] = []
        waiting: list[ast.AST] = list(function.body)
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(children(node))
        kept = function.__dict__[_NODES] = tuple(found)
    return kept


def functions(tree: ast.Module) -> list[Function]:
    """The functions of a module, outside classes and other functions."""
    return [n for n in top_level(tree.body) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def classes(tree: ast.Module) -> list[ast.ClassDef]:
    """The classes of a module, outside functions and other classes."""
    return [n for n in top_level(tree.body) if isinstance(n, ast.ClassDef)]


def methods(cls: ast.ClassDef) -> list[Function]:
    """The methods of a class, those under an `if` in its body included."""
    return [n for n in top_level(cls.body) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


def all_names(tree: ast.Module) -> dict[str, int] | None:
    """The names in `__all__` with their lines, through `+=`, `extend` and sums of literals; None without `__all__`."""
    names: dict[str, int] | None = None
    for node in top_level(tree.body):
        value = _all_value(node)
        if value is not None:
            names = (names if names and not isinstance(node, ast.Assign | ast.AnnAssign) else {}) | _strings(value)
    return names


def all_line(tree: ast.Module) -> int | None:
    """The line of the first statement that gives `__all__` its names, or None."""
    return next((node.lineno for node in top_level(tree.body) if _all_value(node) is not None), None)


def is_stub(function: Function) -> bool:
    """True if the body, a docstring aside, only raises NotImplementedError."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    if len(body) != 1 or not isinstance(body[0], ast.Raise) or body[0].exc is None:
        return False
    exc = body[0].exc
    return dotted(exc.func if isinstance(exc, ast.Call) else exc) == "NotImplementedError"


def decorator_names(node: Function | ast.ClassDef) -> list[str]:
    """The dotted names of the decorators, called or not."""
    bare = [d.func if isinstance(d, ast.Call) else d for d in node.decorator_list]
    return [name for name in map(dotted, bare) if name]


def on_device(node: Function | ast.ClassDef) -> bool:
    """True for a function under `triton.jit`, which other code launches but does not call."""
    return any(name.rpartition(".")[2] == "jit" for name in decorator_names(node))


def _all_value(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Assign) and [dotted(t) for t in node.targets] == ["__all__"]:
        return node.value
    if isinstance(node, ast.AugAssign | ast.AnnAssign) and dotted(node.target) == "__all__":
        return node.value
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if dotted(node.value.func) in ("__all__.extend", "__all__.append") and node.value.args:
            return node.value.args[0]
    return None


def _strings(value: ast.expr) -> dict[str, int]:
    constants = [n for n in ast.walk(value) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return {n.value: n.lineno for n in sorted(constants, key=lambda n: (n.lineno, n.col_offset))}
