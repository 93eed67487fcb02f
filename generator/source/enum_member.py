"""A member into an Enum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Found
from .field import FieldLine
from .text import Source


@dataclass(frozen=True)
class EnumMember:
    """Insert `text` (`Name = auto()`) into the enum `cls`.

    It goes directly behind the member `after`, so it stays in that one's section of comments, else behind the last.

    Attributes:
        cls: dotted name of the class.
        text: the assignment.
        after: a member, or None.
    """

    cls: str
    text: str
    after: str | None = None
    kind: ClassVar[str] = "enum-member"

    @property
    def _line(self) -> FieldLine:
        return FieldLine(self.cls, self.text, self.after)

    @property
    def name(self) -> str:
        return f"{self.cls}.{self._line.name}"

    @property
    def anchor(self) -> str:
        return f"`{self.cls}`, behind `{self.after}`" if self.after else f"`{self.cls}`, behind the last member"

    def find(self, source: Source) -> Found | None:
        return self._line.find(source)

    def insert(self, source: Source) -> Source:
        return self._line.insert(source)

    def remove(self, source: Source) -> Source:
        return self._line.remove(source)

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other text for the line, where it stands now."""
        return self._line.rewrite(source, text)
