"""The line number of a node, without a metadata provider (they cost more than the parse)."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

# The one private name of LibCST used here: its position providers hook into code generation the same way.
from libcst._nodes.internal import CodegenState

from .address import Address, get
from .text import Source, deep_recursion


@dataclass(frozen=False)
class _Until(CodegenState):
    """Remembers how much code stood before one node."""

    target: cst.CSTNode | None = None
    before: str | None = field(default=None)

    def before_codegen(self, node: cst.CSTNode) -> None:
        if node is self.target and self.before is None:
            self.before = "".join(self.tokens)


def line_of(source: Source, address: Address, owned: int = 0) -> int:
    """Return the 1-based line on which the code of a node starts.

    Args:
        source: the file.
        address: the node's place in it.
        owned: how many of the comment lines directly above it count as its own.
    """
    module, node = source.module, get(source.module, address)
    top = address[0][1] or 0
    above = "".join(map(source.code, (*module.header, *module.body[:top])))
    inside = _code_before(source, module.body[top], node)
    leading = len(getattr(node, "leading_lines", ())) if len(address) > 1 or top else 0
    return _newlines(above + inside) + leading - owned + 1


def _code_before(source: Source, statement: cst.CSTNode, node: cst.CSTNode) -> str:
    if node is statement:
        return ""
    state = _Until(default_indent=source.indent, default_newline=source.newline, target=node)
    with deep_recursion():
        statement._codegen(state)
    return state.before or ""


def _newlines(code: str) -> int:
    return len(code.replace("\r\n", "\n").replace("\r", "\n").split("\n")) - 1
