"""Breaks long signatures and calls the way lmdeploy writes them (it runs no formatter, only `ruff check`)."""

from __future__ import annotations

from collections.abc import Sequence


def wrap_def(head: str, params: Sequence[str], tail: str, columns: int) -> str:
    """A `def` on one line if it fits, else one parameter a line with a trailing comma.

    Args:
        head: `    def forward`, with its indent.
        params: each as written.
        tail: what follows the closing bracket, such as `:` or ` -> Tensor:`.
        columns: the longest line allowed.
    """
    line = f"{head}({', '.join(params)}){tail}"
    if len(line) <= columns:
        return line
    indent = " " * (len(head) - len(head.lstrip()))
    rows = "".join(f"{indent}    {p},\n" for p in params)
    return f"{head}(\n{rows}{indent}){tail}"


def wrap_call(head: str, args: Sequence[str], columns: int) -> str:
    """A call on one line if it fits, else filled lines aligned with the opening bracket.

    Args:
        head: what stands before the bracket, with its indent, such as `        return ext_ops.linear`.
        args: each as written.
        columns: the longest line allowed.
    """
    line = f"{head}({', '.join(args)})"
    if len(line) <= columns:
        return line
    align = " " * (len(head) + 1)
    lines, current = [], f"{head}("
    for i, arg in enumerate(args):
        piece = arg + (")" if i == len(args) - 1 else ",")
        glue = "" if current.endswith("(") or current == align else " "
        if len(current + glue + piece) > columns and current not in (align, f"{head}("):
            lines.append(current)
            current, glue = align, ""
        current += glue + piece
    return "\n".join([*lines, current])
