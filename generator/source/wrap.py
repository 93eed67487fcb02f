"""A `from … import` on one line, and the same in parentheses with one name a line, as isort writes it."""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from . import row as rows
from .text import Source

_FOR_TOOLS = re.compile(r"#\s*(noqa|(type|pyright|pylint|ruff|flake8|isort|ty):)", re.IGNORECASE)


def fits(source: Source, statement: Any, width: str) -> bool:
    """Return whether no line of a statement is longer than `width` columns.

    As for ruff, a comment behind it counts unless it is one for a tool (`# noqa`, `# type: …`).
    """
    comment = statement.trailing_whitespace.comment
    if comment and _FOR_TOOLS.match(comment.value):
        statement = statement.with_changes(trailing_whitespace=cst.TrailingWhitespace())
    code = source.module.code_for_node(statement.with_changes(leading_lines=()))
    return all(len(line) <= int(width) for line in code.splitlines())


def explode(statement: Any, indent: str) -> Any:
    """Return a one-line import in parentheses, one name a line; a comment behind it moves behind the bracket."""
    node = statement.body[0]
    end = statement.trailing_whitespace
    row = rows.read(node)
    line = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(indent))
    opening = line.with_changes(first_line=end)
    closing = cst.ParenthesizedWhitespace(indent=True)
    gaps = (opening, *[line] * (len(row.items) - 1), closing)
    bracketed = node.with_changes(lpar=cst.LeftParen(), rpar=cst.RightParen())
    exploded = rows.write(bracketed, rows.Row(row.items, gaps, row.before_commas, True))
    return statement.with_changes(body=[exploded], trailing_whitespace=cst.TrailingWhitespace())


def implode(statement: Any, indent: str, ignore: int = -1) -> Any | None:
    """Return what `explode` made its statement from, or None if it did not make this one.

    Args:
        statement: the import.
        indent: one step of indentation.
        ignore: a name that may have a comment behind it, by index.
    """
    node = statement.body[0]
    row = rows.read(node)
    if len(statement.body) != 1 or not node.lpar or not row.trailing or not all(map(rows.is_broken, row.gaps)):
        return None
    *names, closing = row.gaps
    if any(gap.empty_lines for gap in row.gaps) or {gap.last_line.value for gap in names} != {indent}:
        return None
    if closing.last_line.value or statement.trailing_whitespace.comment:
        return None
    if any(row.comment_behind(at) for at in range(len(row.items)) if at != ignore):
        return None
    gaps = (cst.SimpleWhitespace(""), *[cst.SimpleWhitespace(" ")] * (len(row.items) - 1), cst.SimpleWhitespace(""))
    flat = rows.write(node, rows.Row(row.items, gaps, row.before_commas, False))
    flat = flat.with_changes(lpar=None, rpar=None)
    return statement.with_changes(body=[flat], trailing_whitespace=row.gaps[0].first_line)
