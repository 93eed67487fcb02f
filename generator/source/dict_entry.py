"""An entry into a dict literal, such as a registry of models."""

from __future__ import annotations

from dataclasses import dataclass
from os.path import commonprefix
from typing import Any, ClassVar

import libcst as cst

from . import row as rows
from .address import Address, get, replace
from .base import Found
from .dialect import from_file, parse, tidy, to_file
from .errors import SourceError
from .guard import edited, missing
from .lines import line_of
from .literal import literals, the_literal
from .text import Source, deep_recursion

# Keys are one family from this many common letters on: the rule that placed most of 325 entries of vLLM's registry
# where its maintainers had put them.
_FAMILY = 3


@dataclass(frozen=True)
class DictEntry:
    """Insert `key: text` into the dict literal `variable`.

    It goes behind the last smaller key of its family (the keys that share the longest beginning with it), else to
    where it adds the least disorder among the keys of its letter; nothing is sorted again. Comments stay with the entry
    below them, and the comment that opens a section stays on top of it.

    Attributes:
        variable: the name that the dict is assigned to, dotted in a class.
        key: the string key, with or without quotes.
        text: the value, an expression.
        section: the comment line that opens the section to insert into (`[Multimodal]`); None for the entries above
            the first section, or for the whole dict if it opens with one or has none.
    """

    variable: str
    key: str
    text: str
    section: str | None = None
    kind: ClassVar[str] = "dict-entry"

    @property
    def name(self) -> str:
        return self._string

    @property
    def anchor(self) -> str:
        return f"`{self.variable}`, {self.section}" if self.section else f"`{self.variable}`"

    def find(self, source: Source) -> Found | None:
        spot = self._spot(source)
        if spot is None:
            return None
        return Found(line_of(source, spot), self._text(source, spot), self._is_edited(source, spot))

    def insert(self, source: Source) -> Source:
        if self._spot(source):
            return source
        address = the_literal(source, self.variable, (cst.Dict,), "dict")
        literal = get(source.module, address)
        row = rows.read(literal)
        at, keep = self._place(source, row)
        longer = row.put(at, cst.DictElement(cst.Name("_"), cst.Name("_")), source.indent, keep)
        quote = next((item.key.quote for item in row.items if key_of(item) is not None), source.quote)
        entry = _entry(f"{quote}{self._string}{quote}", self.text, source, longer.pad(at))
        return replace(source, address, rows.write(literal, longer.with_item(at, entry)))

    def remove(self, source: Source) -> Source:
        spot = self._spot(source)
        if spot is None:
            return source
        if self._is_edited(source, spot):
            raise edited(source, spot, f"`{self.name}` in `{self.variable}`")
        literal = get(source.module, spot[:-1])
        return replace(source, spot[:-1], rows.write(literal, rows.read(literal).take(spot[-1][1] or 0)))

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with another value for the key."""
        spot = self._spot(source)
        if spot is None:
            return source
        element = get(source.module, spot)
        pad = rows.read(get(source.module, spot[:-1])).pad(spot[-1][1] or 0)
        return replace(source, (*spot, ("value", None)), _entry(element.key.value, text, source, pad).value)

    @property
    def _string(self) -> str:
        if self.key[:1] in "\"'" and self.key[-1:] == self.key[:1] and len(self.key) > 1:
            return self.key[1:-1]
        return self.key

    def _spot(self, source: Source) -> Address | None:
        for address, _ in literals(source, self.variable, (cst.Dict,)):
            for at, element in enumerate(get(source.module, address).elements):
                if key_of(element) == self._string:
                    return (*address, ("elements", at))
        return None

    def _text(self, source: Source, spot: Address) -> str:
        pad = rows.read(get(source.module, spot[:-1])).pad(spot[-1][1] or 0)
        with deep_recursion():
            code = source.module.code_for_node(get(source.module, spot).value)
        return from_file(code, source, pad)

    def _is_edited(self, source: Source, spot: Address) -> bool:
        comment = rows.read(get(source.module, spot[:-1])).comment_behind(spot[-1][1] or 0)
        marked = comment is not None and not comment.startswith("# noqa")
        return marked or self._text(source, spot) != tidy(self.text)

    def _place(self, source: Source, row: rows.Row) -> tuple[int, int]:
        """The index to insert at, and how many comment lines above it stay above the new entry."""
        start, end, headings = self._section(source, row)
        at, below = place_among([key_of(item) for item in row.items[start:end]], self._string)
        at += start
        allowed = next(place for place in row.places() if place >= at)
        if below or allowed != at:
            return allowed, 0
        return at, headings if self.section else _headings(row, at)

    def _section(self, source: Source, row: rows.Row) -> tuple[int, int, int]:
        """The section's first index, the one behind its last, and the number of lines that open it."""
        if self.section is None:
            above = next((at for at in range(1, len(row.items)) if _headings(row, at)), None)
            return 0, len(row.items) if above is None or _headings(row, 0) else above, 0
        for start in range(len(row.items) + 1):
            for number, comment in enumerate(_comments(row, start)):
                if _plain(comment) == _plain(self.section):
                    opens = _headings if comment.startswith("[") else _comments
                    others = range(start + 1, len(row.items))
                    end = next((at for at in others if opens(row, at)), len(row.items))
                    return start, end, number + 1
        raise missing(source, self.section, f"`{self.variable}`")


def key_of(element: Any) -> str | None:
    """Return the key of a dict's element if it is a plain string."""
    key = getattr(element, "key", None)
    return key.raw_value if isinstance(key, cst.SimpleString) else None


def _entry(key: str, text: str, source: Source, pad: str) -> Any:
    """The element of a key and a value, the value's lines indented by `pad`."""
    value = to_file(text, source, pad).removeprefix(pad)
    node: Any = parse(f"{{{key}: {value}}}\n").body[0]
    literal = node.body[0].value if isinstance(node, cst.SimpleStatementLine) else None
    entries = literal.elements if isinstance(literal, cst.Dict) else ()
    if len(entries) != 1 or isinstance(entries[0].comma, cst.Comma):
        raise SourceError(f"not one value: {tidy(text)}", next="give the value without a comma behind it")
    return entries[0]


def place_among(keys: list[str | None], key: str) -> tuple[int, bool]:
    """Where among these keys a new one goes, and whether that is because of the key above it, not the one below."""
    own = _ordinal(key)
    known = [(at, _ordinal(other)) for at, other in enumerate(keys) if other is not None]
    shared = [len(commonprefix((other, own))) for _, other in known]
    longest = max(shared, default=0)
    if longest >= _FAMILY:
        family = [one for one, length in zip(known, shared, strict=True) if length == longest]
        smaller = [at for at, other in family if other < own]
        return (smaller[-1] + 1, True) if smaller else (family[0][0], False)
    return _least_disorder(_same_letter(known, own), own)


def _ordinal(key: str) -> str:
    """A key as registries order it: without case, and `Qwen3_5` behind `Qwen3VL`."""
    return key.casefold().replace("_", "~")


def _same_letter(known: list[tuple[int, str]], key: str) -> list[tuple[int, str]]:
    """The longest stretch of keys that begin as this one does, with at most one other key between them; else all."""
    stretch: list[tuple[int, str]] = []
    longest: list[tuple[int, str]] = []
    for at, other in known:
        if other[:1] != key[:1]:
            continue
        stretch = [*stretch, (at, other)] if stretch and at - stretch[-1][0] <= 2 else [(at, other)]
        longest = max(longest, stretch, key=len)
    return longest if len(longest) > 1 else known


def _least_disorder(known: list[tuple[int, str]], key: str) -> tuple[int, bool]:
    """The last place with the fewest greater keys above it and smaller ones below it."""
    disorder = least = sum(other < key for _, other in known)
    place = (known[0][0] if known else 0, False)
    for at, other in known:
        disorder += 1 if other > key else -1
        if disorder <= least:
            least, place = disorder, (at + 1, True)
    return place


def _comments(row: rows.Row, at: int) -> list[str]:
    """The comment lines above entry `at`, without their `#`; a blank line is an empty string."""
    gap = row.gaps[at]
    lines = gap.empty_lines if rows.is_broken(gap) else ()
    return [line.comment.value.lstrip("# ").rstrip() if line.comment else "" for line in lines]


def _headings(row: rows.Row, at: int) -> int:
    """How many lines above entry `at` open a section (`# [Multimodal]`); those below them are the entry's own."""
    opens = [number for number, comment in enumerate(_comments(row, at)) if comment.startswith("[")]
    return opens[-1] + 1 if opens else 0


def _plain(comment: str) -> str:
    return comment.lstrip("# ").strip("[] ").casefold()
