"""A name into a literal list of names: `__all__`, or another list of plain strings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import libcst as cst

from . import row as rows
from .address import Address, get, replace
from .base import Found
from .guard import edited, missing
from .lines import line_of
from .literal import literals, the_literal
from .text import Source

_LISTS = (cst.List, cst.Tuple)


@dataclass(frozen=True)
class Export:
    """Insert `item` into the list `variable`.

    Quotes, layout and trailing comma are copied from the list. It goes behind `after` if that is given, else where
    sorting puts it if the list is sorted, else to the end.

    Attributes:
        item: the string to list.
        variable: the name that the list is assigned to, dotted in a class; `+=` counts where no plain assignment is
            a literal.
        after: an item of the list, or None.
    """

    item: str
    variable: str = "__all__"
    after: str | None = None
    kind: ClassVar[str] = "export"

    @property
    def name(self) -> str:
        return self.item

    @property
    def anchor(self) -> str:
        return f"`{self.variable}`"

    def find(self, source: Source) -> Found | None:
        spot = self._spot(source)
        if spot is None:
            return None
        address, at = spot
        row = rows.read(get(source.module, address))
        line = line_of(source, (*address, ("elements", at)))
        return Found(line, self.item, row.comment_behind(at) is not None)

    def insert(self, source: Source) -> Source:
        if self._spot(source):
            return source
        address = the_literal(source, self.variable, _LISTS, "list or tuple")
        literal = get(source.module, address)
        row = rows.read(literal)
        strings = [_string(item) for item in row.items]
        quote = next((item.value.quote for item in row.items if _string(item) is not None), source.quote)
        new = cst.Element(cst.SimpleString(f"{quote}{self.item}{quote}"))
        place = self._place(source, row, strings)
        return replace(source, address, rows.write(literal, row.put(place, new, source.indent)))

    def remove(self, source: Source) -> Source:
        spot = self._spot(source)
        if spot is None:
            return source
        address, at = spot
        literal = get(source.module, address)
        row = rows.read(literal)
        if row.comment_behind(at) is not None:
            raise edited(source, (*address, ("elements", at)), f"`{self.item}` in `{self.variable}`")
        return replace(source, address, rows.write(literal, row.take(at)))

    def _spot(self, source: Source) -> tuple[Address, int] | None:
        for address, _ in literals(source, self.variable, _LISTS):
            for at, element in enumerate(get(source.module, address).elements):
                if _string(element) == self.item:
                    return address, at
        return None

    def _place(self, source: Source, row: rows.Row, strings: list[str | None]) -> int:
        if self.after is not None:
            if self.after not in strings:
                raise missing(source, self.after, f"`{self.variable}`")
            wanted = strings.index(self.after) + 1
        else:
            wanted = _sorted_place(strings, self.item)
        return next(place for place in row.places() if place >= wanted)


def _sorted_place(strings: list[str | None], item: str) -> int:
    known = [text for text in strings if text is not None]
    for key in (str, str.casefold):
        keys = [key(text) for text in known]
        if len(keys) > 1 and len(keys) == len(strings) and keys == sorted(keys):
            return next((i for i, other in enumerate(keys) if other > key(item)), len(keys))
    return len(strings)


def _string(element: Any) -> str | None:
    value = element.value
    return value.raw_value if isinstance(element, cst.Element) and isinstance(value, cst.SimpleString) else None
