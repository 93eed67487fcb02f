"""Small checkouts to plan on, and a look at everything in them."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

from generator.plan.plan import Plan
from generator.plan.tree import Tree


def write(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write files below a root."""
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return root


def checkout(root: Path, files: Mapping[str, bytes]) -> Path:
    """Write a git checkout with one commit."""
    write(root, {".gitignore": b"*.pyc\n", **files})
    git(root, "init", "-q", "-b", "main")
    commit(root)
    return root


def git(root: Path, *words: str) -> str:
    """Run git in a checkout and return what it printed."""
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false"]
    command = ["git", *identity, *words]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def commit(root: Path) -> None:
    """Commit everything in a checkout."""
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "a commit")


def snapshot(roots: Mapping[str, Path]) -> dict[str, tuple[int, bytes | None]]:
    """Return the permission bits and bytes of all files, and all folders, but git's and the bookkeeping."""
    found = {}
    for repo, root in roots.items():
        for parent, folders, names in os.walk(root):
            folders[:] = [name for name in folders if name not in (".git", ".scaffold")]
            for name in (*folders, *names):
                place = Path(parent) / name
                mode = stat.S_IMODE(place.lstat().st_mode)
                data = None if place.is_dir() else place.read_bytes()
                found[f"{repo}/{place.relative_to(root).as_posix()}"] = (mode, data)
    return found


def bookkeeping(roots: Mapping[str, Path]) -> set[str]:
    """Return the names in every `.scaffold/`."""
    return {place.name for root in roots.values() for place in (root / ".scaffold").glob("*")}


def bare_plan(tree: Tree, command: str = "op x") -> Plan:
    """Return a plan of whatever is staged in a tree."""
    return Plan("op-x-camb", ("op-x-camb",), command, (), tree)
