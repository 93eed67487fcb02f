"""A file that is no Python, as an edit sees it: its lines."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plain:
    """A text file, immutable.

    Attributes:
        path: how messages call the file, relative to its checkout.
        data: its bytes.
    """

    path: str
    data: bytes

    @property
    def lines(self) -> list[str]:
        """The lines with their newlines; bytes that are no UTF-8 survive as surrogates."""
        return self.data.decode("utf-8", "surrogateescape").splitlines(keepends=True)

    @property
    def newline(self) -> str:
        """What ends a line here, `\\n` or `\\r\\n`."""
        return "\r\n" if b"\r\n" in self.data else "\n"

    def with_lines(self, lines: list[str]) -> Plain:
        """Return the file with other lines, `self` if they are the same."""
        data = "".join(lines).encode("utf-8", "surrogateescape")
        return self if data == self.data else Plain(self.path, data)
