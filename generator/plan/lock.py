"""One command at a time writes to a checkout."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from generator.errors import ScaffoldError

from . import disk
from .places import FOLDER, HOLDER, LOCK, require_no_links

LOCK_SECONDS = 5.0


@contextmanager
def locked(roots: Mapping[str, Path], command: str, seconds: float) -> Iterator[None]:
    """Hold the locks of these checkouts, taken in one order everywhere so that no two commands wait for each other.

    Raises:
        ScaffoldError: another command holds one for longer than `seconds`, or the checkout cannot be written to.
    """
    with ExitStack() as held:
        for repo, root in sorted(roots.items(), key=lambda item: item[1]):
            try:
                held.callback(_acquire(repo, root, seconds).release)
                (root / HOLDER).write_text(f"{os.getpid()} {command}\n")
            except OSError as error:
                raise ScaffoldError(f"cannot write to {repo}: {error.strerror}", where=f"{repo}/{LOCK}") from error
        yield


def _acquire(repo: str, root: Path, seconds: float):
    from filelock import FileLock, Timeout

    require_no_links(root, repo)
    disk.make_folders(root / FOLDER)
    lock = FileLock(root / LOCK, timeout=seconds)
    try:
        lock.acquire()
    except Timeout as error:
        raise ScaffoldError(
            f"another scaffold command is writing to {repo}: {_holder(root)}",
            where=f"{repo}/{LOCK}",
            next="wait until it has ended, then run this again",
        ) from error
    return lock


def _holder(root: Path) -> str:
    try:
        pid, _, command = (root / HOLDER).read_text().strip().partition(" ")
    except OSError:
        return "which one is not known"
    return f"process {pid} ({command})"
