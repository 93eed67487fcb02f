"""What a checkout's working tree has changed since its last commit."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class History:
    """Attributes:
    root: the checkout. changed: paths that differ from the last commit, untracked ones included.
    """

    root: Path
    changed: tuple[str, ...]

    @classmethod
    def of(cls, root: Path) -> History | None:
        """Return the history, None if the folder is no git work tree of its own or git cannot be run."""
        top = _git(root, "rev-parse", "--show-toplevel")
        if top is None or Path(top.decode("utf-8", "surrogateescape").strip()).resolve() != root.resolve():
            return None
        listed = _git(root, "status", "--porcelain=v1", "-z", "--no-renames", "-uall")
        rows = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
        return cls(root, tuple(row[3:] for row in rows if row))

    def before(self, path: str) -> bytes | None:
        """Return the file as it was committed, None if it was not there."""
        return _git(self.root, "show", f"HEAD:{path}")

    def after(self, path: str) -> bytes | None:
        """Return the file as it is, None if it is gone or leads out of the checkout."""
        full = self.root / path
        inside = full.resolve().is_relative_to(self.root.resolve())
        return full.read_bytes() if inside and full.is_file() else None


def _git(root: Path, *args: str) -> bytes | None:
    try:
        done = subprocess.run(["git", "-C", str(root), *args], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def removed_lines(before: bytes, after: bytes) -> list[tuple[int, str]]:
    """Return (1-based line, text) of the lines of `before` that `after` does not have in this order."""
    old, new = before.splitlines(), iter(after.splitlines())
    lost = []
    kept = list(new)
    at = 0
    for number, line in enumerate(old, 1):
        try:
            at = kept.index(line, at) + 1
        except ValueError:
            lost.append((number, line.decode("utf-8", "replace")))
    return lost
