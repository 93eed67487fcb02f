"""Statements into a block and out of it, so that taking out is the exact inverse of putting in.

The lines between two statements (blank ones and comments) are a *gap*. LibCST keeps it in different places: with the
statement below, in `Module.header` above the first, in the footer below the last. Putting statements in splits one gap
in two and may add blank lines; taking them out joins the two again and drops the lines that were added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import libcst as cst

_OF_FILE = re.compile(
    r"^#!|copyright|licen[cs]e|spdx|author|coding[:=]|-\*-|vim?:|https?:|(adapt|modifi|borrow|generat)\w+ (from|by)",
    re.IGNORECASE,
)

Lines = tuple[cst.EmptyLine, ...]


def blank(count: int) -> Lines:
    """Return blank lines."""
    return tuple(cst.EmptyLine(indent=False) for _ in range(count))


def gap(block: Any, index: int) -> Lines:
    """Return the lines above statement `index` of a block, or below its last one."""
    if isinstance(block, cst.Module) and not block.body:
        return (*block.header, *block.footer)
    if index == len(block.body):
        return tuple(block.footer)
    lead = tuple(block.body[index].leading_lines)
    return (*block.header, *lead) if isinstance(block, cst.Module) and index == 0 else lead


def _with_gap(block: Any, index: int, lines: Sequence[cst.EmptyLine]) -> Any:
    if isinstance(block, cst.Module) and not block.body:
        return block.with_changes(header=lines, footer=())
    if index == len(block.body):
        return block.with_changes(footer=lines)
    first_of_file = isinstance(block, cst.Module) and index == 0
    body = list(block.body)
    body[index] = body[index].with_changes(leading_lines=() if first_of_file else lines)
    return block.with_changes(body=body, header=lines) if first_of_file else block.with_changes(body=body)


def put_in(block: Any, index: int, new: Sequence[Any], split: int = 0, before: int = 0, after: int = 0) -> Any:
    """Return the block with statements put in at `index`; the first one's leading lines count as its own comments.

    Args:
        block: a module or an indented block.
        index: the statement they come to stand above.
        new: the statements.
        split: how many lines of the gap stay above them; the rest goes below.
        before: how many blank lines are added above them.
        after: how many blank lines are added below them.
    """
    lines = gap(block, index)
    if not isinstance(new[-1], cst.SimpleStatementLine):
        split = max(split, _indented(lines))
    own = tuple(new[0].leading_lines)
    if isinstance(block, cst.Module) and not block.body and not lines:
        block = block.with_changes(has_trailing_newline=True)
    block = block.with_changes(body=[*block.body[:index], *new, *block.body[index:]])
    block = _with_gap(block, index + len(new), (*blank(after), *lines[split:]))
    return _with_gap(block, index, (*lines[:split], *blank(before), *own))


def _indented(lines: Lines) -> int:
    """How many lines of a gap reach down to its last indented comment: below a def that would be a part of it."""
    return max((at + 1 for at, line in enumerate(lines) if line.comment and line.whitespace.value), default=0)


def take_out(block: Any, index: int, own: int = 0, blanks: int = 0) -> Any:
    """Return the block without statement `index`, and without lines of the gaps that came with it.

    Args:
        block: a module or an indented block with other statements than this one.
        index: the statement.
        own: how many comment lines above it are its own.
        blanks: at most how many blank lines go too: those directly above it, else those directly below. Where there
            are none because something else was put between, those below that.
    """
    above, below = gap(block, index), gap(block, index + 1)
    above = above[: len(above) - own]
    taken = min(blanks, blanks_at_start(above[::-1]))
    above = above[: len(above) - taken]
    more = min(blanks - taken, blanks_at_start(below))
    below = below[more:]
    block = block.with_changes(body=[*block.body[:index], *block.body[index + 1 :]])
    block = _with_gap(block, index, (*above, *below))
    if blanks and not taken and not more:
        block = _without_blanks_below(block, index, blanks)
    return _without_end(block)


def _without_blanks_below(block: Any, index: int, blanks: int) -> Any:
    for at in range(index + 1, len(block.body)):
        lines = gap(block, at)
        if blanks_at_start(lines):
            return _with_gap(block, at, lines[min(blanks, blanks_at_start(lines)) :])
        if lines:
            break
    return block


def _without_end(block: Any) -> Any:
    """Only a file without a byte has neither lines nor a newline at its end."""
    if isinstance(block, cst.Module) and not (block.header or block.body or block.footer):
        return block.with_changes(has_trailing_newline=False)
    return block


def blanks_at_start(lines: Sequence[cst.EmptyLine]) -> int:
    """Return how many blank lines a gap starts with; one with spaces, a form feed or another newline is not ours."""
    plain = (not (line.comment or line.whitespace.value or line.newline.value) for line in lines)
    return next((at for at, is_plain in enumerate(plain) if not is_plain), len(lines))


def attached(lines: Sequence[cst.EmptyLine]) -> int:
    """Return how many comment lines stand at the end of a gap, directly above the statement below it."""
    run = 0
    for line in reversed(lines):
        if line.comment is None:
            break
        run += 1
    return run


def owned(block: Any, index: int, expected: int) -> int:
    """Return how many comment lines above statement `index` are its own.

    A licence, a coding cookie or a source at the start of a file is the file's, whatever follows it, unless the
    statement is known to have brought it (`expected` lines).
    """
    lines = gap(block, index)
    run = attached(lines)
    starts_file = isinstance(block, cst.Module) and index == 0 and run == len(lines)
    if starts_file and any(_OF_FILE.search(line.comment.value) for line in lines if line.comment):
        return min(run, expected)
    return run
