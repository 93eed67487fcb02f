"""Fails, or kills the process, at the n-th change of the disk below a folder.

Python's audit events tell every open for writing, rename, removal, mkdir and rmdir, whoever calls them; `os.write` and
`os.fsync` have none, so those of `plan.disk` are wrapped.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from generator.plan import disk

EVENTS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link", "os.symlink"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC

_on_change: Callable[[str], None] | None = None
_below = ""


@contextmanager
def at_each_change(below: Path, do: Callable[[str], None]) -> Iterator[None]:
    """Call `do` with what is about to happen before each change of the disk below a folder."""
    global _on_change, _below
    _on_change, _below = do, str(below)
    try:
        yield
    finally:
        _on_change = None


class Counter:
    """Calls an action when the n-th change (from 0) is about to happen, and at each later one if `persistent`."""

    def __init__(self, n: int, act: Callable[[], None], *, persistent: bool = False):
        self.n, self.act, self.persistent, self.seen = n, act, persistent, 0
        self.at: str | None = None

    def __call__(self, what: str) -> None:
        number, self.seen = self.seen, self.seen + 1
        if number == self.n or (self.persistent and number > self.n):
            self.at = self.at or what
            self.act()


def changes_of(below: Path, run: Callable[[], object]) -> list[str]:
    """Return the changes that a function makes."""
    seen: list[str] = []
    with at_each_change(below, seen.append):
        run()
    return seen


def killed_at(n: int, below: Path, run: Callable[[], object]) -> bool:
    """Run a function in a child process that is killed (SIGKILL) just before its n-th change.

    Returns whether it was killed; False if it ended before.
    """
    child = os.fork()
    if child == 0:
        try:
            with at_each_change(below, Counter(n, lambda: os.kill(os.getpid(), signal.SIGKILL))):
                run()
            os._exit(0)
        except BaseException as error:  # a child of a test must never go on as a second pytest
            os.write(2, repr(error).encode())
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _audit(event: str, args: tuple) -> None:
    if _on_change is None:
        return
    if event == "open":
        path, _, flags = args
        if isinstance(flags, int) and flags & WRITING and _is_below(path):
            _on_change(f"open {path}")
    elif event in EVENTS and any(map(_is_below, args)):
        _on_change(f"{event} {args[0]}")


def _is_below(path: object) -> bool:
    return isinstance(path, (str, os.PathLike)) and os.fspath(path).startswith(_below)


def _write(fd: int, data: memoryview) -> int:
    if _on_change is not None:
        # Half of the bytes are on disk when the process dies, or when the disk is full.
        half = os.write(fd, bytes(data[: len(data) // 2])) if len(data) > 1 else 0
        _on_change("write")
        return half + os.write(fd, data[half:])
    return os.write(fd, data)


def _fsync(fd: int) -> None:
    # Not a real one: what it adds shows only when the machine loses power, and many of them are slow.
    if _on_change is not None:
        _on_change("fsync")


sys.addaudithook(_audit)
disk.os = SimpleNamespace(**{**vars(os), "write": _write, "fsync": _fsync})
