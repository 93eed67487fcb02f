"""A checkout whose files are read and parsed at most once, and which may differ from the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from generator.workspace.checkout import Checkout

from .reading import Reading, paths, read


@dataclass(frozen=True, eq=False)
class Shelf(Checkout):
    """A checkout that keeps what was read of it; `reading.read` and what builds on it work on it as on any other.

    Attributes:
        overlay: bytes that go before those on disk, by path; None where a file is to be gone.
        base: a shelf that has the files which the overlay leaves alone.
    """

    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    base: Shelf | None = None
    _kept: dict[str, Reading | None] = field(default_factory=dict)

    @classmethod
    def of(cls, checkout: Checkout, overlay: Mapping[str, bytes | None] | None = None) -> Shelf:
        """Put a checkout on a shelf; one that is on a shelf already lends what was read of it."""
        base = checkout if isinstance(checkout, Shelf) else None
        return cls(checkout.repo, checkout.root, checkout.package, overlay or {}, base)

    def open(self, path: str) -> Reading | None:
        """The file of a path relative to the checkout; None if there is none."""
        if path not in self._kept:
            self._kept[path] = self._read(path)
        return self._kept[path]

    def list(self, folder: str, *, deep: bool = True) -> list[str]:
        """The Python files under a folder, sorted, relative to the checkout."""
        start = f"{folder}/"
        inside = [p for p in self._all if p.startswith(start)]
        return inside if deep else [p for p in inside if "/" not in p[len(start) :]]

    def having(self, folder: str, *needles: bytes) -> list[Reading]:
        """The readable files under a folder whose bytes hold one of `needles`."""
        readings = [r for p in self.list(folder) if (r := self.open(p))]
        return [r for r in readings if any(needle in r.data for needle in needles)]

    @property
    def files_read(self) -> int:
        """How many files were opened."""
        return sum(reading is not None for reading in self._kept.values())

    @cached_property
    def _all(self) -> tuple[str, ...]:
        found = set(self.base._all if self.base else paths(self._plain, self.package.name))
        found |= {p for p, data in self.overlay.items() if data is not None and p.endswith(".py")}
        return tuple(sorted(p for p in found if self.overlay.get(p, b"") is not None))

    @cached_property
    def _plain(self) -> Checkout:
        return Checkout(self.repo, self.root, self.package)

    def _read(self, path: str) -> Reading | None:
        if path not in self.overlay:
            return self.base.open(path) if self.base else read(self._plain, path)
        data = self.overlay[path]
        return None if data is None else Reading(self.repo, path, data)
