"""Where a node hangs in the tree, and how to put another one there without visiting the rest."""

from __future__ import annotations

from typing import Any

import libcst as cst

from .text import Source

Step = tuple[str, int | None]
Address = tuple[Step, ...]


def get(node: cst.CSTNode, address: Address) -> Any:
    """Return the node at an address below `node`."""
    for field, index in address:
        node = getattr(node, field)
        if index is not None:
            node = node[index]
    return node


def put(node: Any, address: Address, new: cst.CSTNode) -> Any:
    """Return `node` with `new` at an address; only the nodes on the way are copied, in a loop."""
    above = []
    for field, index in address:
        above.append(node)
        node = getattr(node, field)
        if index is not None:
            node = node[index]
    for parent, (field, index) in zip(reversed(above), reversed(address), strict=True):
        if index is not None:
            row = list(getattr(parent, field))
            row[index] = new
            new = parent.with_changes(**{field: row})
        else:
            new = parent.with_changes(**{field: new})
    return new


def replace(source: Source, address: Address, new: cst.CSTNode) -> Source:
    """Return the file with `new` at an address of its tree."""
    return source.with_module(put(source.module, address, new))


def indentation(source: Source, address: Address) -> str:
    """Return the whitespace that a statement at this address starts with."""
    node: Any = source.module
    prefix = ""
    for field, index in address:
        if isinstance(node, cst.IndentedBlock):
            prefix += source.indent if node.indent is None else node.indent
        node = getattr(node, field)
        if index is not None:
            node = node[index]
    if isinstance(node, cst.IndentedBlock):
        prefix += source.indent if node.indent is None else node.indent
    return prefix
