"""The calls inside a block, found without LibCST's visitors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from typing import Any

import libcst as cst

from .address import Address
from .walk import dotted

_LAYOUT = ("whitespace", "lpar", "rpar", "comma", "semicolon", "lines", "header", "footer", "indent", "trailing")


def calls(node: Any, address: Address, name: str) -> Iterator[tuple[Address, cst.Call]]:
    """Yield every call of a dotted name below a node, in file order, each with its address.

    Those in the braces of an f-string are left out: not every argument can be written there.
    """
    if isinstance(node, cst.FormattedString):
        return
    if isinstance(node, cst.Call) and dotted(node.func) == name:
        yield address, node
    for field in _parts(type(node)):
        value = getattr(node, field)
        if isinstance(value, cst.CSTNode):
            yield from calls(value, (*address, (field, None)), name)
        elif isinstance(value, (list, tuple)):
            for index, one in enumerate(value):
                if isinstance(one, cst.CSTNode):
                    yield from calls(one, (*address, (field, index)), name)


@cache
def _parts(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a node type that can hold an expression or a statement."""
    return tuple(field.name for field in fields(kind) if not any(word in field.name for word in _LAYOUT))
