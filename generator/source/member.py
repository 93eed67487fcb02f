"""A string into a tuple that a function tests membership in, or into a `Literal[…]`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import libcst as cst

from . import row as rows
from .address import Address, get, replace
from .base import Found
from .errors import AnchorMissing
from .lines import line_of
from .text import Source
from .walk import block_of, statements


@dataclass(frozen=True)
class Member:
    """Insert `item` at the end of the first collection of strings in `scope`.

    Attributes:
        scope: a function (dotted), whose first `… in ("a", "b")` of an `if` or `elif` is meant, or a variable that a
            `Literal["a", "b"]` is assigned to.
        item: the string.
    """

    scope: str
    item: str
    kind: ClassVar[str] = "member"

    @property
    def name(self) -> str:
        return self.item

    @property
    def anchor(self) -> str:
        return f"`{self.scope}`"

    def find(self, source: Source) -> Found | None:
        spot = self._collection(source)
        at = self._at(source, spot) if spot else None
        if at is None:
            return None
        items = "slice" if isinstance(get(source.module, spot), cst.Subscript) else "elements"
        return Found(line_of(source, (*spot, (items, at))), self.item, False)

    def insert(self, source: Source) -> Source:
        spot = self._collection(source)
        if spot is None:
            raise AnchorMissing(
                f"no collection of strings in `{self.scope}`", where=source.path, next="add the name by hand"
            )
        if self._at(source, spot) is not None:
            return source
        node = get(source.module, spot)
        row = rows.read(_as_list(node))
        quote = next((e.value.quote for e in row.items if _string(e) is not None), source.quote)
        new = cst.Element(cst.SimpleString(f"{quote}{self.item}{quote}"))
        return replace(source, spot, _back(node, row.put(len(row.items), new, source.indent)))

    def remove(self, source: Source) -> Source:
        spot = self._collection(source)
        at = self._at(source, spot) if spot else None
        if at is None:
            return source
        node = get(source.module, spot)
        return replace(source, spot, _back(node, rows.read(_as_list(node)).take(at)))

    def _at(self, source: Source, spot: Address) -> int | None:
        items = [_string(e) for e in rows.read(_as_list(get(source.module, spot))).items]
        return items.index(self.item) if self.item in items else None

    def _collection(self, source: Source) -> Address | None:
        for address in (*_literals(source, self.scope), *_tests(source, self.scope)):
            node = _as_list(get(source.module, address))
            if node.elements and all(_string(e) is not None for e in node.elements):
                return address
        return None


def _literals(source: Source, name: str) -> Iterator[Address]:
    for where, statement in statements(source.module):
        for at, small in enumerate(statement.body if isinstance(statement, cst.SimpleStatementLine) else ()):
            targets = [t.target for t in small.targets] if isinstance(small, cst.Assign) else []
            named = any(isinstance(t, cst.Name) and t.value == name for t in targets)
            if named and isinstance(small.value, cst.Subscript):
                yield (*where, ("body", at), ("value", None))


def _tests(source: Source, scope: str) -> Iterator[Address]:
    try:
        block = block_of(source, scope)
    except AnchorMissing:
        return
    for where, statement in statements(get(source.module, block), block):
        address = where
        while isinstance(statement, cst.If):
            test = statement.test.comparisons[0] if isinstance(statement.test, cst.Comparison) else None
            if test and isinstance(test.operator, cst.In) and isinstance(test.comparator, (cst.Tuple, cst.List)):
                yield (*address, ("test", None), ("comparisons", 0), ("comparator", None))
            address, statement = (*address, ("orelse", None)), statement.orelse


def _as_list(node: Any) -> Any:
    """Return a tuple as it is, and a subscript's items as those of a list."""
    if not isinstance(node, cst.Subscript):
        return node
    elements = [cst.Element(item.slice.value, item.comma) for item in node.slice if isinstance(item.slice, cst.Index)]
    opening = cst.LeftSquareBracket(node.lbracket.whitespace_after)
    return cst.List(elements, lbracket=opening, rbracket=cst.RightSquareBracket(node.rbracket.whitespace_before))


def _back(node: Any, row: rows.Row) -> Any:
    new = rows.write(_as_list(node), row)
    if not isinstance(node, cst.Subscript):
        return new
    return node.with_changes(
        slice=[cst.SubscriptElement(cst.Index(e.value), e.comma) for e in new.elements],
        lbracket=cst.LeftSquareBracket(new.lbracket.whitespace_after),
        rbracket=cst.RightSquareBracket(new.rbracket.whitespace_before),
    )


def _string(element: Any) -> str | None:
    value = getattr(element, "value", None)
    return value.raw_value if isinstance(value, cst.SimpleString) else None
