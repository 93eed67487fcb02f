"""Where a path may lead, and how a file is read: never out of its checkout."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from generator.errors import ScaffoldError


def inside(root: Path, repo: str, path: str) -> str:
    """Return the path with every symlink on its way resolved, relative to the checkout's root.

    Raises:
        ScaffoldError: it is absolute, has `..` or control characters, leads out of the checkout or into `.git`.
    """
    where = f"{repo}/{path}"
    parts = path.split("/")
    if path.startswith("/") or not path.isprintable() or any(part in ("", ".", "..") for part in parts):
        raise ScaffoldError(f"{path!r} is not a path inside the {repo} checkout", where=repo)
    real = Path(os.path.realpath(root / path))
    if not real.is_relative_to(root) or real == root:
        raise ScaffoldError("a symlink leads out of the checkout", where=where, next="replace the link by a real file")
    relative = real.relative_to(root)
    if ".git" in (part.casefold() for part in relative.parts):
        raise ScaffoldError("git's own files are never touched", where=where)
    return relative.as_posix()


def read_file(place: Path, where: str) -> bytes | None:
    """Return a regular file's bytes, or None if there is nothing.

    Raises:
        ScaffoldError: it is a folder, a device or a pipe, or it cannot be read.
    """
    try:
        if not stat.S_ISREG(place.stat().st_mode):
            raise ScaffoldError("this is not a regular file", where=where)
        return place.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ScaffoldError(f"cannot read the file: {error.strerror}", where=where) from error
