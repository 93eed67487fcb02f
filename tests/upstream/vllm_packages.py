"""vLLM's and vllm-ascend's source packages from PyPI, unpacked once outside of the repository; with tests and docs.

A source package cannot be had by `pip download` alone: its metadata step needs torch and fails. `--no-clean` keeps the
folder that it was unpacked to.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from filelock import FileLock

RELEASES = ("0.18.0", "0.19.1", "0.20.2", "0.21.0", "0.22.1", "0.23.0")


def cache_folder() -> Path:
    """Return where unpacked packages are kept."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "npu-scaffold" / "sources"


@cache
def source(package: str, version: str) -> Path:
    """Return the unpacked source package, downloaded on first use.

    Raises:
        RuntimeError: pip did not fetch it.
    """
    target = cache_folder() / f"{package}-{version}"
    target.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{target}.lock"):
        if not target.is_dir():
            _fetch(package, version, target)
    return target


def _fetch(package: str, version: str, target: Path) -> None:
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-clean"]
        command += ["--no-binary", package, "-d", work, f"{package}=={version}"]
        done = subprocess.run(command, env={**os.environ, "TMPDIR": work}, capture_output=True, text=True, check=False)
        found = [path for path in Path(work).glob(f"pip-*/{package.replace('-', '*')}_*") if path.is_dir()]
        if not found:
            raise RuntimeError(f"pip did not fetch {package} {version}: {done.stderr[-500:]}")
        partial = target.with_name(f".{target.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.move(found[0], partial)
        partial.rename(target)


def vllm(version: str) -> Path:
    """Return vLLM's sources."""
    return source("vllm", version)
