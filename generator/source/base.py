"""What every insertion can do: be found, be inserted, be taken out again exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

from .text import Source


@dataclass(frozen=True)
class Found:
    """Where an insertion stands in a file now.

    Attributes:
        line: 1-based line of its first line.
        text: its text as it stands, dedented, `\\n` newlines, without surrounding blank lines.
        edited: True if that text is not what the insertion would write.
    """

    line: int
    text: str
    edited: bool


@runtime_checkable
class Insertion(Protocol):
    """One thing that can be put into a Python file that somebody else owns.

    Implementations are frozen dataclasses whose fields are strings, None or tuples of strings, so that they go to JSON
    and back (`source.registry`).
    """

    kind: ClassVar[str]

    @property
    def name(self) -> str:
        """What is inserted, in the reader's words: `rms_norm_gated`, `OpType.RMSNormGated`."""

    @property
    def anchor(self) -> str:
        """The place, in the reader's words: "`__all__`", "`get_layer_impl_builder`, before the final else"."""

    def find(self, source: Source) -> Found | None:
        """Return where it stands now, or None."""

    def insert(self, source: Source) -> Source:
        """Return the file with it inserted; `source` itself if it stands there already, edited or not.

        Raises:
            AnchorMissing: the place is not in the file.
            Taken: the name is bound to something else.
        """

    def remove(self, source: Source) -> Source:
        """Return the file without it: the exact inverse of `insert`, in any order with other insertions.

        Returns `source` itself if it is not there.

        Raises:
            Edited: its text was changed since; nothing is removed.
        """


@runtime_checkable
class Rewritable(Insertion, Protocol):
    """An insertion with a text of its own, which a refresh can merge."""

    text: str

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with another text where this insertion stands now; `source` itself if it is not there."""
