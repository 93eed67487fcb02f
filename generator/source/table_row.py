"""A row into a Markdown table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Found
from .dialect import tidy
from .dict_entry import place_among
from .errors import AnchorMissing, Edited
from .plain import Plain


@dataclass(frozen=True)
class TableRow:
    """Insert the line `text` into the table that has a row whose first cell is `beside`.

    Rows are placed by their first cells as `DictEntry` places keys; nothing is sorted again.

    Attributes:
        beside: the first cell of a row that is there, such as `` `LlamaForCausalLM` ``.
        text: the row.
    """

    beside: str
    text: str
    kind: ClassVar[str] = "table-row"

    @property
    def name(self) -> str:
        return _first(self.text)

    @property
    def anchor(self) -> str:
        return f"the table with {self.beside}"

    def find(self, source: Plain) -> Found | None:
        lines = source.lines
        at = next((i for start, end in self._tables(lines) for i in range(start, end) if self._is_ours(lines[i])), None)
        if at is None:
            return None
        text = lines[at].rstrip("\r\n")
        return Found(at + 1, text, text != tidy(self.text))

    def insert(self, source: Plain) -> Plain:
        if self.find(source):
            return source
        lines = source.lines
        start, end = next(iter(self._tables(lines)), (0, 0))
        if start == end:
            raise AnchorMissing(f"no table with {self.beside}", where=source.path, next="add the row by hand")
        at, _ = place_among([_first(line) for line in lines[start:end]], _first(self.text))
        return source.with_lines([*lines[: start + at], tidy(self.text) + source.newline, *lines[start + at :]])

    def remove(self, source: Plain) -> Plain:
        found = self.find(source)
        if found is None:
            return source
        if found.edited:
            raise Edited(
                f"the row {self.name} has been changed since",
                where=f"{source.path}:{found.line}",
                next="take it out by hand, or give it back its text",
            )
        lines = source.lines
        return source.with_lines(lines[: found.line - 1] + lines[found.line :])

    def rewrite(self, source: Plain, text: str) -> Plain:
        """Return the file with another row in its place."""
        found = self.find(source)
        lines = source.lines
        end = lines[found.line - 1][len(lines[found.line - 1].rstrip("\r\n")) :]
        return source.with_lines([*lines[: found.line - 1], tidy(text) + end, *lines[found.line :]])

    def _is_ours(self, line: str) -> bool:
        return _first(line) == _first(self.text)

    def _tables(self, lines: list[str]) -> list[tuple[int, int]]:
        """The spans of body rows of the tables that hold `beside`."""
        return [span for span in tables(lines) if any(_first(line) == self.beside for line in lines[span[0] : span[1]])]


def tables(lines: list[str]) -> list[tuple[int, int]]:
    """Return the spans of body rows of all tables, below the line of dashes."""
    spans, start = [], None
    for at, line in enumerate([*lines, ""]):
        if not line.lstrip().startswith("|"):
            if start is not None:
                spans.append((start, at))
            start = None
        elif start is None and set(line.strip()) <= set("|-: "):
            start = at + 1
    return spans


def _first(line: str) -> str:
    return line.strip().strip("|").split("|", 1)[0].strip()
