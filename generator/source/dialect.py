"""Between a fragment's way of writing (four spaces, `\\n`, column 0) and that of the file it goes to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import libcst as cst

from .errors import SourceError
from .text import Source, deep_recursion

_UNIT = "    "


def to_file(text: str, source: Source, prefix: str) -> str:
    """Return fragment text as lines of the file, indented by `prefix`, with the file's newline and indentation."""
    lines = [_reindent(line, _UNIT, source.indent) for line in tidy(text).split("\n")]
    return "".join((prefix + line if line else line) + source.newline for line in lines)


def from_file(code: str, source: Source, prefix: str) -> str:
    """Return code of the file as a fragment would write it; the inverse of `to_file`."""
    lines = tidy(code.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(_reindent(line.removeprefix(prefix), source.indent, _UNIT) for line in lines)


def tidy(text: str) -> str:
    """Return text without blank lines around it."""
    lines = text.replace("\r\n", "\n").split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines)


def statements(text: str, source: Source, prefix: str) -> tuple[Any, ...]:
    """Parse fragment text into statements that fit into the file below `prefix`, the first with its own comments.

    Raises:
        SourceError: the text is not Python, or ends in a comment that belongs to no statement.
    """
    return _statements(to_file(text, source, prefix), prefix)


@lru_cache(maxsize=256)
def _statements(code: str, prefix: str) -> tuple[Any, ...]:
    module = parse(f"if 1:\n{code}" if prefix else code)
    if not prefix:
        body, lead, tail = list(module.body), module.header, module.footer
    else:
        block = module.body[0].body
        body, lead, tail = list(block.body), block.body[0].leading_lines, (*block.footer, *module.footer)
    if any(line.comment for line in tail):
        raise SourceError(
            f"the text to insert ends in a comment that belongs to no statement: {code.splitlines()[-1].strip()}",
            next="put the comment above a statement",
        )
    if body:
        body[0] = body[0].with_changes(leading_lines=strip_blank(lead))
    return tuple(body)


def parse(code: str) -> cst.Module:
    """Parse text of a fragment.

    Raises:
        SourceError: it is not Python.
    """
    try:
        with deep_recursion():
            return cst.parse_module(code)
    except Exception as error:
        reason = getattr(error, "message", None) or str(error)
        raise SourceError(
            f"the text to insert is not Python ({reason.splitlines()[0]}): {tidy(code).splitlines()[:1]}",
            next="correct the fragment",
        ) from error


def strip_blank(lines: Sequence[cst.EmptyLine]) -> tuple[cst.EmptyLine, ...]:
    """Return lines without the blank ones at the start."""
    first = next((i for i, line in enumerate(lines) if line.comment), len(lines))
    return tuple(lines[first:])


def text_of(source: Source, statement: Any, prefix: str, comments: Sequence[cst.EmptyLine] = ()) -> str:
    """Return a statement as a fragment would write it, below its own comment lines."""
    block = cst.IndentedBlock([statement.with_changes(leading_lines=comments)], indent=prefix or source.indent)
    with deep_recursion():
        code = source.module.code_for_node(block if prefix else block.body[0])
    return from_file(code, source, prefix)


def _reindent(line: str, old: str, new: str) -> str:
    if old == new or not line.startswith(old):
        return line
    rest = line.lstrip(old[0])
    steps, odd = divmod(len(line) - len(rest), len(old))
    return new * steps + old[0] * odd + rest
