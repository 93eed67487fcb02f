"""Functions, classes and assignments into a module or a class."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from . import body as bodies
from .address import Address, get, indentation, replace
from .base import Found
from .dialect import parse, statements, text_of, tidy
from .errors import AnchorMissing, SourceError
from .guard import edited, missing, refuse_only, refuse_taken
from .lines import line_of
from .text import Source
from .walk import bindings, block_of
from .walk import statements as statements_of


@dataclass(frozen=True)
class Unit:
    """One definition of a text.

    Attributes:
        name: what it binds.
        binds: function, class or assignment.
        node: its statement; its leading lines are its own comments only.
        blanks: how many blank lines the text has above it.
        text: its part of the text.
    """

    name: str
    binds: str
    node: Any
    blanks: int
    text: str


Spot = tuple[Unit, Address | None]


@dataclass(frozen=True)
class Definition:
    """Insert `text`, one or several adjacent definitions, as one unit.

    It goes behind or before the definition `after` or `before`, else to the end of the file (above comments that end
    it) or class. Two blank lines part it from its neighbour in a module, one in a class; comments directly above a
    definition and its decorators are part of it. Each definition is found by its name, wherever it stands in that
    scope, also in an `if` or `try`; if some of them are there, only the others are inserted, next to those.

    Attributes:
        text: the definitions.
        scope: dotted name of the class they go to; empty for the module.
        after: name of a neighbour in that scope, or None.
        before: the same, for a place above it.
    """

    text: str
    scope: str = ""
    after: str | None = None
    before: str | None = None
    kind: ClassVar[str] = "definition"

    @property
    def name(self) -> str:
        names = ", ".join(_names(tidy(self.text)))
        return f"{self.scope}.{names}" if self.scope else names

    @property
    def anchor(self) -> str:
        where = f"`{self.scope}`" if self.scope else "the file"
        if self.after or self.before:
            return f"{where}, {'behind' if self.after else 'before'} `{self.after or self.before}`"
        return f"the end of {where}"

    def find(self, source: Source) -> Found | None:
        spots = self._spots(source)
        there = [(unit, spot) for unit, spot in spots if spot]
        if not there:
            return None
        text = ""
        for unit, spot in there:
            text += ("\n" * (unit.blanks + 1) if text else "") + _text(source, unit, spot)
        line = min(line_of(source, spot, _own(source, unit, spot)) for unit, spot in there)
        changed = len(there) < len(spots) or any(_text(source, unit, spot) != unit.text for unit, spot in there)
        return Found(line, text, changed)

    def insert(self, source: Source) -> Source:
        address = block_of(source, self.scope)
        spots = self._spots(source)
        absent = [unit for unit, spot in spots if not spot]
        if len(absent) < len(spots):
            return self.insert_parts(source, {unit.name for unit in absent})
        refuse_taken(source, address, [(unit.name, unit.binds) for unit in absent])
        return self._put(source, address, absent, self._place(source, address))

    def insert_parts(self, source: Source, names: Set[str]) -> Source:
        """Return the file with these definitions of the text beside others of it, of which one must be there."""
        for unit, spot in self._spots(source):
            if unit.name in names and spot is None:
                refuse_taken(source, block_of(source, self.scope), [(unit.name, unit.binds)])
                source = self._put_beside(source, unit)
        return source

    def remove(self, source: Source) -> Source:
        spots = self._spots(source)
        for unit, spot in spots:
            if spot and _text(source, unit, spot) != unit.text:
                raise edited(source, spot, f"`{unit.name}`", _own(source, unit, spot))
        # From the last one up, so that the blank lines between two of them go with the lower one.
        for index in reversed(range(len(spots))):
            unit, spot = self._spots(source)[index]
            if spot:
                refuse_only(source, spot, f"`{unit.name}`")
                source = _take(source, unit, spot, unit.blanks if index else self._margin)
        return source

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other text for this one definition, where it stands now."""
        ((unit, spot),) = self._spots(source)
        if spot is None:
            return source
        block, index = get(source.module, spot[:-1]), spot[-1][1] or 0
        ((new),) = _units(text, source, indentation(source, spot))
        lines = bodies.gap(block, index)
        longer = bodies.put_in(block, index, [new.node], len(lines) - _own(source, unit, spot))
        return replace(source, spot[:-1], bodies.take_out(longer, index + 1, _own(source, unit, spot)))

    def parts(self, source: Source) -> list[Definition]:
        """Return one insertion for each definition of the text, with the same place."""
        units = _units(self.text, source, "")
        return [Definition(unit.text, self.scope, self.after, self.before) for unit in units]

    @property
    def _margin(self) -> int:
        return 1 if self.scope else 2

    def _spots(self, source: Source) -> list[Spot]:
        """Each definition of the text, as it would be written here, with its place in the file."""
        try:
            address = block_of(source, self.scope)
        except AnchorMissing:
            return [(unit, None) for unit in _units(self.text, source, "")]
        there: dict[tuple[str, str], Address] = {}
        for where, statement in statements_of(get(source.module, address), address):
            there.update(dict.fromkeys(bindings(statement), where))
        units = _units(self.text, source, indentation(source, address))
        return [(unit, there.get((unit.name, unit.binds))) for unit in units]

    def _put(self, source: Source, address: Address, units: Sequence[Unit], index: int) -> Source:
        block = get(source.module, address)
        lines = bodies.gap(block, index)
        if not block.body:
            split, before, after = len(lines), self._margin if lines else 0, 0
        elif index == 0:
            split, before, after = len(lines) - bodies.owned(block, 0, 0), 0, self._margin
        else:
            split, before, after = 0, self._margin, 0
        new = [unit.node if i == 0 else _spaced(unit) for i, unit in enumerate(units)]
        return replace(source, address, bodies.put_in(block, index, new, split, before, after))

    def _put_beside(self, source: Source, unit: Unit) -> Source:
        """Put one definition of the text next to one that is there: below the ones above it, if any."""
        spots = self._spots(source)
        at = next(i for i, (other, _) in enumerate(spots) if other.name == unit.name)
        above = [spot for _, spot in spots[:at] if spot]
        spot = above[-1] if above else next(spot for _, spot in spots[at:] if spot)
        return self._put(source, spot[:-1], [unit], (spot[-1][1] or 0) + bool(above))

    def _place(self, source: Source, address: Address) -> int:
        block = get(source.module, address)
        neighbour = self.after or self.before
        if not neighbour:
            return len(block.body)
        bound = [(i, name, binds) for i, s in enumerate(block.body) for name, binds in bindings(s)]
        hits = [i for i, name, binds in bound if name == neighbour and binds != "import"]
        if not hits:
            raise missing(source, neighbour, f"`{self.scope}`" if self.scope else "this file")
        return hits[-1] + 1 if self.after else hits[0]


@lru_cache(maxsize=256)
def _names(text: str) -> tuple[str, ...]:
    return tuple(_bound(node, text)[0] for node in parse(text + "\n").body)


def _units(text: str, source: Source, prefix: str) -> list[Unit]:
    units = []
    for node in statements(text, source, prefix):
        lines = tuple(node.leading_lines)
        own = lines[len(lines) - bodies.attached(lines) :]
        if any(line.comment for line in lines[: len(lines) - len(own)]):
            raise SourceError(
                f"a comment stands apart from the definition below it: {tidy(text).splitlines()[0]}",
                next="take out the blank line between them",
            )
        name, binds = _bound(node, text)
        shown = text_of(source, node, prefix, own)
        units.append(Unit(name, binds, node.with_changes(leading_lines=own), len(lines) - len(own), shown))
    return units


def _bound(node: Any, text: str) -> tuple[str, str]:
    bound = bindings(node)
    if len(bound) != 1 or bound[0][1] == "import":
        raise SourceError(
            f"not a list of definitions: {tidy(text).splitlines()[0]}",
            next="give functions, classes and single assignments only; other code is a `statement`",
        )
    return bound[0]


def _spaced(unit: Unit) -> Any:
    return unit.node.with_changes(leading_lines=(*bodies.blank(unit.blanks), *unit.node.leading_lines))


def _take(source: Source, unit: Unit, spot: Address, blanks: int) -> Source:
    new = bodies.take_out(get(source.module, spot[:-1]), spot[-1][1] or 0, _own(source, unit, spot), blanks)
    return replace(source, spot[:-1], new)


def _own(source: Source, unit: Unit, spot: Address) -> int:
    return bodies.owned(get(source.module, spot[:-1]), spot[-1][1] or 0, len(unit.node.leading_lines))


def _text(source: Source, unit: Unit, spot: Address) -> str:
    lines = bodies.gap(get(source.module, spot[:-1]), spot[-1][1] or 0)
    own = lines[len(lines) - _own(source, unit, spot) :]
    return text_of(source, get(source.module, spot), indentation(source, spot), own)
