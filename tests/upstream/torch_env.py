"""A Python with torch in it, kept in the cache beside upstream's sources: this package never imports torch itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from filelock import FileLock

from . import packages

TORCH = "2.13.0"


def python_with_torch() -> Path:
    """The interpreter of a virtual environment that has torch; made once.

    Raises:
        RuntimeError: pip could not install it; with what it said.
    """
    place = packages.cache() / f"torch-{TORCH}"
    python, ready = place / "bin/python", place / "ready"
    packages.cache().mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):
        if not ready.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", place], check=True)
            command = [python, "-m", "pip", "install", "--quiet", f"torch=={TORCH}"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"pip could not install torch {TORCH}\n{done.stderr}")
            ready.touch()
    return python
