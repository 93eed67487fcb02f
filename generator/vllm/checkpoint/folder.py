"""One checkpoint folder: which files are in it, and their bytes, never outside of it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from .json_data import BadCheckpoint

MAX_JSON = 512 * 1024 * 1024
LFS = b"version https://git-lfs.github.com/spec/v1"
ANNEX = b"/annex/objects/"


@dataclass(frozen=True)
class Folder:
    """The folder at `root`; names are plain file names of its top level."""

    root: Path

    @classmethod
    def open(cls, root: Path) -> Folder:
        """Return the folder.

        Raises:
            BadCheckpoint: it is not there, or it is a file.
        """
        if not root.is_dir():
            what = "is a file, not a checkpoint folder" if root.exists() else "there is no such folder"
            raise BadCheckpoint(what, where=str(root), next="give the folder that holds config.json")
        return cls(root.resolve())

    def names(self) -> list[str]:
        """Return the names of everything at the top level, sorted."""
        return sorted(entry.name for entry in os.scandir(self.root))

    def path(self, name: str) -> Path | None:
        """Return the regular file `name`, or None if it is absent, no regular file, or leads out of the checkpoint."""
        if not is_plain(name):
            return None
        path = self.root / name
        try:
            regular = stat.S_ISREG(path.stat().st_mode)
        except (OSError, ValueError):
            return None
        return path if regular and self._inside(path.resolve()) else None

    def leads_out(self, name: str) -> bool:
        """Return True if `name` is a link whose target is outside of the checkpoint."""
        path = self.root / name
        return is_plain(name) and path.is_symlink() and not self._inside(path.resolve())

    def read(self, name: str, limit: int = MAX_JSON) -> bytes | None:
        """Return the bytes of `name`, or None if `path` gives none.

        Raises:
            BadCheckpoint: it is larger than `limit` bytes, or cannot be read.
        """
        path = self.path(name)
        if path is None:
            return None
        if path.stat().st_size > limit:
            raise BadCheckpoint(f"larger than {limit >> 20} MiB", where=name, next="check that it is the right file")
        try:
            return path.read_bytes()
        except OSError as error:
            raise BadCheckpoint(f"cannot be read: {error.strerror}", where=name, next="check its permissions") from None

    def _inside(self, target: Path) -> bool:
        return target.is_relative_to(self.root) or target.is_relative_to(self._blobs())

    def _blobs(self) -> Path:
        """Return where a hub cache keeps the files that `snapshots/<revision>/` links to."""
        cached = self.root.parent.name == "snapshots"
        return self.root.parent.parent / "blobs" if cached else self.root


def is_plain(name: object) -> bool:
    """Return True if `name` is one path component that cannot lead anywhere else."""
    return isinstance(name, str) and name not in ("", ".", "..") and not any(c in name for c in "/\\\0")


def pointer(head: bytes) -> str | None:
    """Return `Git LFS` or `git-annex` if a file that starts with `head` only points at its content."""
    if head.startswith(LFS):
        return "Git LFS"
    return "git-annex" if head.startswith(ANNEX) else None
