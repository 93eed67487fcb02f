"""The value of a metadata field: an expression that `update_step_context` can compute where the metadata is built."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from difflib import get_close_matches

from generator.errors import ScaffoldError
from generator.survey.expression import free_names, parse_expression, spelled
from generator.survey.step_update import StepUpdate


@dataclass(frozen=True)
class FieldValue:
    """How a value gets into the metadata.

    Attributes:
        text: source of the expression, in lmdeploy's quotes.
        plain: True for a name, attribute or constant, which is passed as it is; anything else is computed first.
    """

    text: str
    plain: bool


def field_value(name: str, text: str, step: StepUpdate, limit: int) -> FieldValue:
    """Read a value as typed.

    Args:
        name: the local that a computed value gets, or "" for none.
        limit: the line above which every name must be bound.

    Raises:
        ScaffoldError: a name that is not known there, or that only some steps bind.
    """
    tree = parse_expression(text, "--value")
    where = f"lmdeploy/{step.path}:{limit}"
    for used in free_names(tree):
        _check(used, step, limit, where)
    bare = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    plain = isinstance(bare, ast.Name | ast.Attribute | ast.Constant)
    if not plain and name in step.bound and step.bound[name] < limit:
        raise ScaffoldError(
            f"`{name}` is a local of {step.scope} already",
            where=f"lmdeploy/{step.path}:{step.bound[name]}",
            next=f"give --value {name} to pass it on, or choose another name",
        )
    return FieldValue(spelled(tree), plain)


def _check(used: str, step: StepUpdate, limit: int, where: str) -> None:
    line = step.bound.get(used)
    if line is not None and line < limit:
        if used in step.sure or used in step.module_names:
            return
        raise ScaffoldError(
            f"`{used}` is bound under a condition only, so some steps would fail",
            where=f"lmdeploy/{step.path}:{line}",
            next="compute the value from step_context",
        )
    if used in step.module_names:
        return
    known = [n for n, at in step.bound.items() if at < limit and n in step.sure] + sorted(step.module_names)
    near = " or ".join(f"`{n}`" for n in get_close_matches(used, known, 3, 0.6))
    late = f", it is bound only in line {line}" if line is not None else ""
    next = f"did you mean {near}?" if near else "use step_context and the locals there"
    raise ScaffoldError(f"`{used}` is not known where the metadata is built{late}", where=where, next=next)
