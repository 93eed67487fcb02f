"""Keeps `.scaffold/` out of the user's commits without touching a tracked file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from generator.errors import ScaffoldError

from . import disk
from .places import FOLDER

LINE = f"{FOLDER}/".encode()


def exclude_bookkeeping(repo: str, root: Path) -> None:
    """Add `.scaffold/` to the checkout's `info/exclude` once. A folder that is no git checkout has none.

    In a linked worktree the file is the main checkout's, which git itself reads for both.

    Raises:
        ScaffoldError: the file cannot be written.
    """
    place = _exclude_file(root)
    if place is None:
        return
    data = place.read_bytes() if place.exists() else b""
    if LINE in data.splitlines():
        return
    try:
        disk.make_folders(place.parent)
        disk.append(place, (b"\n" if data and not data.endswith(b"\n") else b"") + LINE + b"\n")
    except OSError as error:
        what = f"cannot keep {FOLDER}/ out of git's sight: {error.strerror}; nothing was changed"
        next = "make it writable, or use --track"
        raise ScaffoldError(what, where=f"{repo}: {place}", next=next) from error


def _exclude_file(root: Path) -> Path | None:
    # A git hook that runs scaffold exports GIT_DIR and the like, which would point at another repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(root), "rev-parse", "--git-path", "info/exclude"]
    try:
        found = subprocess.run(command, capture_output=True, env=environment)
    except FileNotFoundError:
        return None
    if found.returncode:
        return None
    return root / os.fsdecode(found.stdout.removesuffix(b"\n"))
