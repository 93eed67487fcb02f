"""Every way in which this room changes the disk. Small, so that tests can fail or kill it at each call."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def write(place: Path, data: bytes, mode: int | None = None) -> None:
    """Write a file that is not there yet, down to the disk; `mode` is its permission bits, default by umask."""
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    except OSError as error:
        error.filename = os.fspath(place)
        raise
    finally:
        os.close(fd)


def keep(place: Path, aside: Path) -> None:
    """Keep a file as it is under a second name: the same inode where the file system can, else a copy."""
    try:
        os.link(place, aside)
    except OSError:
        write(aside, place.read_bytes(), mode_of(place))


def append(place: Path, data: bytes) -> None:
    """Add a few bytes to a file, which is made if it is not there."""
    fd = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)


def replace(place: Path, target: Path) -> None:
    """Rename over the target, which has the old or the new bytes at any moment."""
    os.replace(place, target)


def unlink(place: Path) -> None:
    """Remove a file; one that is gone is fine."""
    try:
        os.unlink(place)
    except FileNotFoundError:
        pass


def make_folders(folder: Path) -> None:
    """Make a folder and those above it."""
    if not folder.is_dir():
        make_folders(folder.parent)
        os.mkdir(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder if it is there and empty."""
    if folder.is_dir() and not any(folder.iterdir()):
        os.rmdir(folder)


def sync(folder: Path) -> None:
    """Bring a folder's names down to the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def mode_of(place: Path) -> int | None:
    """Return the permission bits of a file, None if it is not there."""
    try:
        return stat.S_IMODE(os.lstat(place).st_mode)
    except FileNotFoundError:
        return None
