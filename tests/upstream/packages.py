"""Real sources of upstream, from PyPI by name, kept outside the repository.

A wheel is downloaded once, its Python files are unpacked into a git repository with one commit, and the wheel is
deleted. The cache is `$XDG_CACHE_HOME/npu-scaffold/upstream`, or `~/.cache/npu-scaffold/upstream`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

# Changes when what is kept of a wheel changes, so that an older cache is not taken for a newer one.
_LAYOUT = "1"
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in {"NAME": "upstream", "EMAIL": "upstream@example.com", "DATE": "2020-01-01T00:00:00Z"}.items()
}


@dataclass(frozen=True)
class Package:
    """A wheel on PyPI: its name, version, platform tags, and the top folder that is kept of it."""

    name: str
    version: str
    platforms: tuple[str, ...]
    folder: str

    @property
    def label(self) -> str:
        """`name-version`."""
        return f"{self.name}-{self.version}"


_X86 = ("manylinux2014_x86_64", "manylinux_2_28_x86_64")
# One version for each era of style: 79 columns and `OpType.Attention`; 120 columns; `nn/linear` a package; `X | None`.
ERAS = ("0.6.2.post1", "0.7.3", "0.10.2", "0.17.0")
# From here on lmdeploy has no `OpType`: a backend builds an operator from a `BuildSpec`.
WITHOUT_OP_TYPE = "0.18.0"
LMDEPLOY = {v: Package("lmdeploy", v, _X86, "lmdeploy") for v in (*ERAS, WITHOUT_OP_TYPE)}
# It is built for Ascend hosts only and holds that vendor only.
DLINFER = Package("dlinfer-ascend", "0.2.7", ("manylinux2014_aarch64",), "dlinfer")


def cache() -> Path:
    """The folder of the cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "npu-scaffold" / "upstream" / _LAYOUT


def sources(package: Package) -> Path:
    """The unpacked sources of a package, a git repository with a clean work tree; shared, so not to be written to.

    Raises:
        RuntimeError: pip could not get the wheel; with what it said.
    """
    place = cache() / package.label
    if not place.is_dir():
        cache().mkdir(parents=True, exist_ok=True)
        with FileLock(f"{place}.lock"), tempfile.TemporaryDirectory(dir=cache()) as work:
            if not place.is_dir():
                tree = _unpacked(_download(package, Path(work)), package, Path(work) / "tree")
                _commit(tree, package)
                tree.rename(place)
    return place


def copy_to(package: Package, target: Path) -> Path:
    """Copy the sources of a package, history included, into a new folder and return it."""
    shutil.copytree(sources(package), target)
    return target


def _download(package: Package, work: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += [f"--platform={platform}" for platform in package.platforms]
    command += ["--python-version=3.11", f"--dest={work}", f"{package.name}=={package.version}"]
    done = subprocess.run(command, capture_output=True, text=True)
    wheels = sorted(work.glob("*.whl"))
    if done.returncode or not wheels:
        raise RuntimeError(
            f"pip could not download {package.label} (without a network: -m 'not upstream')\n{done.stderr}"
        )
    return wheels[0]


def _unpacked(wheel: Path, package: Package, tree: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        names = [n for n in archive.namelist() if n.startswith(f"{package.folder}/") and n.endswith(".py")]
        archive.extractall(tree, names)
    wheel.unlink()
    return tree


def _commit(tree: Path, package: Package) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | _IDENTITY
    message = f"{package.name} {package.version} as on PyPI"
    for arguments in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", message], ["gc", "-q"]):
        subprocess.run(["git", "-C", tree, "-c", "core.autocrlf=false", *arguments], check=True, env=environment)
