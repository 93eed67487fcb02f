"""A field into a dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .base import Found
from .field import FieldLine
from .text import Source


@dataclass(frozen=True)
class DataclassField:
    """Insert `text` (`name: type = default`) behind the last annotated field of `cls`.

    Attributes:
        cls: dotted name of the class.
        text: the annotated assignment; with a default, unless all fields above have none.
    """

    cls: str
    text: str
    kind: ClassVar[str] = "dataclass-field"

    @property
    def _line(self) -> FieldLine:
        return FieldLine(self.cls, self.text, annotated=True)

    @property
    def name(self) -> str:
        return f"{self.cls}.{self._line.name}"

    @property
    def anchor(self) -> str:
        return f"`{self.cls}`, behind the last field"

    def find(self, source: Source) -> Found | None:
        return self._line.find(source)

    def insert(self, source: Source) -> Source:
        return self._line.insert(source)

    def remove(self, source: Source) -> Source:
        return self._line.remove(source)

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other text for the line, where it stands now."""
        return self._line.rewrite(source, text)
