"""Fixtures that many tests share: a workspace of small checkouts, and the command line in process."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from generator.cli.main import run
from generator.sandbox.write import write_sandbox


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def pristine(tmp_path_factory) -> Path:
    """A sandbox that nobody changes."""
    folder = tmp_path_factory.mktemp("pristine") / "sandbox"
    write_sandbox(folder)
    return folder


@pytest.fixture
def workspace(pristine, tmp_path) -> Path:
    """A sandbox of one's own: `lmdeploy/` and `dlinfer/`, each a git checkout with one commit."""
    folder = tmp_path / "workspace"
    shutil.copytree(pristine, folder, symlinks=True)
    return folder


@pytest.fixture
def scaffold(workspace, capfd, monkeypatch):
    """Run `scaffold …` in the workspace."""
    monkeypatch.chdir(workspace)

    def command(*args: str) -> Result:
        capfd.readouterr()
        code = run([str(a) for a in args])
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return command


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, git's and the tool's own bookkeeping left out."""
    files = (p for p in sorted(folder.rglob("*")) if p.is_file())
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in files
        if not {".git", ".scaffold"} & set(p.relative_to(folder).parts)
    }
