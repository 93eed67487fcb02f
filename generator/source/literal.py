"""The literals that are assigned to a variable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from .address import Address, get
from .errors import AnchorMissing
from .text import Source
from .walk import block_of, statements


def literals(source: Source, variable: str, kinds: tuple[type, ...]) -> Iterator[tuple[Address, bool]]:
    """Yield the address of every literal of these node types that is assigned or added (`+=`) to a variable.

    Args:
        source: the file.
        variable: its name; dotted (`Cls.mapping`) in a class or function.
        kinds: LibCST node types.

    Yields:
        The address, and whether it is a plain assignment that stands directly in its scope.
    """
    scope, _, name = variable.rpartition(".")
    try:
        block = block_of(source, scope)
    except AnchorMissing:
        return
    for where, statement in statements(get(source.module, block), block):
        if not isinstance(statement, cst.SimpleStatementLine):
            continue
        for at, small in enumerate(statement.body):
            if _target(small) == name and isinstance(small.value, kinds):
                plain = not isinstance(small, cst.AugAssign)
                yield (*where, ("body", at), ("value", None)), plain and len(where) == len(block) + 1


def the_literal(source: Source, variable: str, kinds: tuple[type, ...], what: str) -> Address:
    """Return the address of the literal to insert into: the last plain assignment, else the last `+=`.

    Raises:
        AnchorMissing: there is none, or it is something else than a literal.
    """
    found = list(literals(source, variable, kinds))
    if not found:
        raise AnchorMissing(
            f"`{variable}` is not assigned a literal {what}",
            where=source.path,
            next=f"turn it into a literal {what}, or add the line by hand",
        )
    plain = [address for address, direct in found if direct]
    return plain[-1] if plain else found[-1][0]


def _target(small: Any) -> str | None:
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    elif isinstance(small, cst.AnnAssign) or (
        isinstance(small, cst.AugAssign) and isinstance(small.operator, cst.AddAssign)
    ):
        target = small.target
    else:
        return None
    return target.value if isinstance(target, cst.Name) else None
