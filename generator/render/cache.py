"""Keeps compiled templates between runs: compiling them is half the time of a render."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import BytecodeCache


def bytecode_cache() -> BytecodeCache | None:
    """Return a cache under `$XDG_CACHE_HOME/npu-scaffold`, or None where none can be written.

    It has one file a template, so it is for the templates of this package alone: those of somebody else, or of another
    version, may lie anywhere, and would fill it.

    The folder must be the user's own: compiled code that somebody else could have written is not loaded.
    """
    from jinja2 import FileSystemBytecodeCache

    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(base) / "npu-scaffold" / "templates"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        state = folder.stat()
    except OSError:
        return None
    if state.st_uid != os.getuid() or state.st_mode & 0o022 or not os.access(folder, os.W_OK):
        return None
    return FileSystemBytecodeCache(str(folder))
