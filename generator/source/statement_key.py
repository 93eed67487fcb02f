"""What tells a statement from its neighbours after somebody edited it: what it assigns, calls or tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from .text import deep_recursion

_EMPTY = cst.Module(())


@dataclass(frozen=True)
class Key:
    """What a statement does.

    Attributes:
        code: to compare by.
        sure: whether one match proves that it is the same statement: an item or attribute is assigned, or a call has
            a literal as its first argument. A local name may be assigned many times.
    """

    code: str
    sure: bool


def code_key(statement: Any) -> str:
    """Return a statement's code without comments above it and without layout."""
    with deep_recursion():
        return "".join(_EMPTY.code_for_node(statement.with_changes(leading_lines=())).split())


def head_key(statement: Any) -> str:
    """Return the code of a statement's first line as `code_key` does: the header alone of a compound one."""
    if isinstance(statement, cst.SimpleStatementLine):
        return code_key(statement)
    changes: dict[str, Any] = {"body": cst.SimpleStatementSuite([cst.Pass()])}
    if isinstance(statement, cst.If):
        changes["orelse"] = None
    elif isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        changes["decorators"] = ()
    elif not isinstance(statement, (cst.For, cst.While, cst.With)):
        return type(statement).__name__.lower()
    return code_key(statement.with_changes(**changes))


def looks_alike(one: Any, other: Any) -> bool:
    """Return whether two statements may have the same code, at a glance."""
    if type(one) is not type(other):
        return False
    if not isinstance(one, cst.SimpleStatementLine):
        return True
    small, same = one.body[0], other.body[0]
    if type(small) is not type(same):
        return False
    if isinstance(small, cst.Assign):
        here, there = small.targets[0].target, same.targets[0].target
        return type(here) is type(there) and (not isinstance(here, cst.Name) or here.value == there.value)
    return True


def key_of(statement: Any) -> Key | None:
    """Return what a statement does, or None where only its whole code tells."""
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return Key(f"def {statement.name.value}", True)
    if isinstance(statement, cst.SimpleStatementLine):
        return _of_small(statement.body[0]) if len(statement.body) == 1 else None
    head = _head(statement)
    first = key_of(statement.body.body[0]) if head and isinstance(statement.body, cst.IndentedBlock) else None
    return Key(f"{head} {first.code}", first.sure) if first else None


def _of_small(small: Any) -> Key | None:
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    elif isinstance(small, cst.AnnAssign):
        target = small.target
    elif isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        return _of_call(small.value)
    else:
        return None
    return Key(f"{_code(target)} =", not isinstance(target, cst.Name))


def _of_call(call: cst.Call) -> Key | None:
    first = call.args[0].value if call.args else None
    if isinstance(first, cst.SimpleString):
        return Key(f"{_code(call.func)}({first.raw_value}", True)
    return None


def _head(statement: Any) -> str:
    if isinstance(statement, (cst.If, cst.While)):
        return f"{type(statement).__name__} {_code(statement.test)}"
    if isinstance(statement, cst.For):
        return f"For {_code(statement.target)} {_code(statement.iter)}"
    if isinstance(statement, cst.With):
        return f"With {' '.join(_code(item.item) for item in statement.items)}"
    return ""


def _code(node: Any) -> str:
    with deep_recursion():
        return "".join(_EMPTY.code_for_node(node).split())
