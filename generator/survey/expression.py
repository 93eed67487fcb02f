"""Expressions that somebody typed: read, never evaluated."""

from __future__ import annotations

import ast
import builtins

from generator.errors import ScaffoldError

_NOT_VALUES = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def parse_expression(text: str, of: str) -> ast.expr:
    """Return the syntax tree of one expression.

    Args:
        text: as typed.
        of: what it is given for, such as `--value`.

    Raises:
        ScaffoldError: it is no single Python expression, or one that binds or waits.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        next = "correct it, and mind the quotes"
        raise ScaffoldError(f"`{text}` is no Python expression", where=of, next=next) from None
    if any(isinstance(node, _NOT_VALUES) for node in ast.walk(tree)):
        raise ScaffoldError(f"`{text}` does more than compute a value", where=of, next="give a plain expression")
    return tree


def spelled(tree: ast.expr) -> str:
    """An expression as `ast.unparse` writes it: one line, single quotes."""
    return ast.unparse(tree)


def free_names(tree: ast.expr) -> list[str]:
    """The names that an expression needs from around it, in order, without builtins and its own loop variables."""
    own = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    used = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    return [n for n in dict.fromkeys(used) if n not in own and not hasattr(builtins, n)]


def called(tree: ast.expr) -> list[ast.Call]:
    """The calls in an expression."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
