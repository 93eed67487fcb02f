"""What every insertion refuses in the same words."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from .address import Address, get
from .errors import AnchorMissing, Edited, Taken
from .lines import line_of
from .text import Source
from .walk import bindings, statements

_AN = {"function": "a function", "class": "a class", "assignment": "an assignment", "import": "an import"}


def refuse_taken(source: Source, address: Address, wanted: Iterable[tuple[str, str]]) -> None:
    """Refuse names that something of another sort binds in a block.

    Args:
        source: the file.
        address: the block.
        wanted: names, each with what should bind it (see `walk.bindings`).

    Raises:
        Taken: names the line.
    """
    sorts = dict(wanted)
    for where, statement in statements(get(source.module, address), address):
        for name, binds in bindings(statement):
            if sorts.get(name, binds) != binds:
                raise Taken(
                    f"`{name}` is {_AN[binds]} already, and this would be {_AN[sorts[name]]}",
                    where=f"{source.path}:{line_of(source, where)}",
                    next="choose another name, or rename that one",
                )


def edited(source: Source, address: Address, what: str, owned: int = 0) -> Edited:
    """Return the error for an insertion that was changed since."""
    return Edited(
        f"{what} has been changed since",
        where=f"{source.path}:{line_of(source, address, owned)}",
        next="take it out by hand, or give it back its text",
    )


def refuse_only(source: Source, address: Address, what: str) -> None:
    """Refuse to take the only statement out of a block, which would leave no Python.

    Raises:
        Edited: everything else in the block has gone since.
    """
    block = get(source.module, address[:-1])
    if isinstance(block, cst.IndentedBlock) and len(block.body) == 1:
        raise Edited(
            f"{what} is all that is left in its block",
            where=f"{source.path}:{line_of(source, address)}",
            next="take the whole block out by hand",
        )


def missing(source: Source, what: str, where: str) -> AnchorMissing:
    """Return the error for a neighbour that is not there."""
    return AnchorMissing(f"no `{what}` in {where}", where=source.path, next="name another neighbour, or none")
