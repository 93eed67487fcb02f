"""One checkout's half of a transaction: stage, put in place, put back, clear away."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from . import disk
from .journal import Journal, Swap, digest
from .places import COMMIT, JOURNAL, STAGING
from .tree import Change


@dataclass(frozen=True)
class Side:
    """A checkout that takes part in a transaction.

    Attributes:
        repo: its name.
        root: its root folder, without symlinks.
        journal: what is to happen in it.
    """

    repo: str
    root: Path
    journal: Journal

    def stage(self, changes: list[Change]) -> None:
        """Put the new and the old files aside, then write the journal."""
        staging = self.root / STAGING
        disk.make_folders(staging)
        for number, change in enumerate(changes):
            target = self.root / change.path
            if change.after is not None:
                disk.write(staging / f"{number}.new", change.after, disk.mode_of(target))
            if change.before is not None:
                disk.keep(target, staging / f"{number}.old")
        disk.sync(staging)
        self.journal.write(self.root)
        disk.sync(staging.parent)

    def forward(self) -> list[str]:
        """Bring every file to its new bytes; return those that hold neither the old nor the new ones and were left."""
        kept = [swap.path for number, swap in enumerate(self.journal.swaps) if not self._settle(number, swap, "new")]
        for folder in self.journal.pruned:
            disk.remove_folder(self.root / folder)
        return kept

    def back(self) -> list[str]:
        """Bring every file to its old bytes. Returns what `forward` returns."""
        kept = [swap.path for number, swap in enumerate(self.journal.swaps) if not self._settle(number, swap, "old")]
        for folder in reversed(self.journal.made):
            disk.remove_folder(self.root / folder)
        return kept

    def clear(self) -> None:
        """Remove the staged bytes, then the journal: while it is there, the transaction can be settled."""
        clear_staging(self.root)
        disk.unlink(self.root / JOURNAL)

    def _settle(self, number: int, swap: Swap, to: str) -> bool:
        wanted, other = (swap.new, swap.old) if to == "new" else (swap.old, swap.new)
        target, staged = self.root / swap.path, self.root / STAGING / f"{number}.{to}"
        if os.path.realpath(target) != str(target):
            return False
        have = _digest_of(target)
        if have == wanted:
            return True
        if have != other or (wanted is not None and not staged.exists()):
            return False
        if wanted is None:
            disk.unlink(target)
        else:
            disk.make_folders(target.parent)
            disk.replace(staged, target)
        return True


def _digest_of(target: Path) -> str | None:
    if target.is_file() or not os.path.lexists(target):
        return digest(target.read_bytes() if target.is_file() else None)
    return "no regular file"


def clear_staging(root: Path) -> None:
    """Remove the folder of staged bytes."""
    staging = root / STAGING
    if staging.is_dir():
        for place in sorted(staging.iterdir()):
            disk.unlink(place)
        disk.remove_folder(staging)


def commit(root: Path, tx: str) -> None:
    """Set the leader's mark: from here on the transaction is finished, not reverted."""
    disk.write(root / STAGING / "commit", tx.encode())
    disk.replace(root / STAGING / "commit", root / COMMIT)
    disk.sync((root / COMMIT).parent)
