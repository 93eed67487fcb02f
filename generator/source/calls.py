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
    last = name.rpartition(".")[2]
    # Each entry knows the one it was reached from; addresses are put together for the few that match only.
    stack: list[Any] = [(node, None, None)]
    while stack:
        entry = stack.pop()
        node = entry[0]
        if isinstance(node, cst.Call) and _last(node.func) == last and dotted(node.func) == name:
            yield (*address, *_way(entry)), node
        below = []
        for field in _parts(type(node)):
            value = getattr(node, field)
            if isinstance(value, (list, tuple)):
                below += [(one, entry, (field, at)) for at, one in enumerate(value) if _parts(type(one))]
            elif _parts(type(value)):
                below.append((value, entry, (field, None)))
        below.reverse()
        stack += below


def _last(function: Any) -> str:
    name = function.attr if isinstance(function, cst.Attribute) else function
    return name.value if isinstance(name, cst.Name) else ""


def _way(entry: Any) -> Address:
    steps = []
    while entry[1] is not None:
        steps.append(entry[2])
        entry = entry[1]
    return tuple(reversed(steps))


@cache
def _parts(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a node type that can hold a call; none for names, literals, f-strings and what is no node."""
    if not issubclass(kind, cst.CSTNode) or issubclass(kind, (cst.Name, cst.BaseString, cst.BaseNumber)):
        return ()
    return tuple(field.name for field in fields(kind) if not any(word in field.name for word in _LAYOUT))
