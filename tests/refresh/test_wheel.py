"""The wheel: two builds are the same bytes, and what it installs serves every template version without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from generator.render.root import template_root
from generator.render.template import URL
from tests.plan.kit import commit

from . import copier
from .kit import V11, change
from .test_edits import CAMB, OPS

ID = "op-rms_norm_gated-camb"
_MAIN = "from generator.cli.main import main; main()"


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """This project as it stands, in a git checkout without tags."""
    folder = tmp_path_factory.mktemp("project") / "project"
    left_out = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", "tests", "benchmarks")
    shutil.copytree(template_root(), folder, ignore=left_out)
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    commit(folder)
    return folder


def build(project: Path, target: str, output: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(output)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    (built,) = output.iterdir()
    return built


def installed(wheel: Path, folder: Path):
    """Run the command of an unpacked wheel."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)

    def scaffold(workspace: Path, *words: str) -> subprocess.CompletedProcess:
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        command = [sys.executable, "-P", "-c", _MAIN, *words]
        return subprocess.run(command, cwd=workspace, env=environment, capture_output=True, text=True)

    return scaffold


def test_two_builds_are_the_same_bytes(project, tmp_path):
    one, other = (build(project, "wheel", tmp_path / name) for name in "ab")
    assert one.read_bytes() == other.read_bytes()
    source = build(project, "sdist", tmp_path / "s")
    shutil.unpack_archive(source, tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").iterdir()
    assert build(folder, "wheel", tmp_path / "c").read_bytes() == one.read_bytes()


def test_an_installed_wheel_updates_what_an_older_one_made(project, workspace, tmp_path):
    old = installed(build(project, "wheel", tmp_path / "v1"), tmp_path / "one")
    done = old(workspace, "op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc")
    assert done.returncode == 0, done.stderr
    found = yaml.safe_load((workspace / "dlinfer/.scaffold" / ID / "answers.yml").read_bytes())
    assert found["_src_path"] == URL and found["_commit"].startswith("v")
    other = Path(shutil.copytree(workspace, tmp_path / "other", symlinks=True))
    new = installed(build(_newer(project, tmp_path), "wheel", tmp_path / "v2"), tmp_path / "two")
    _commits(workspace)
    change(workspace / OPS, "    Apply Root", "    Mine: apply Root")
    assert new(workspace, "update", "--check").returncode == 1
    done = new(workspace, "update", "--to", found["_commit"])
    assert done.returncode == 0 and "known yet" not in (workspace / CAMB).read_text(), done.stderr
    done = new(workspace, "update")
    assert done.returncode == 0, done.stderr
    assert "Mine: apply Root" in (workspace / OPS).read_text() and "known yet" in (workspace / CAMB).read_text()
    _plain(new, other, tmp_path)


def _plain(scaffold, workspace: Path, tmp_path: Path) -> None:
    """The same with plain copier, from the bundle that the wheel gives away."""
    bundle = tmp_path / "history.bundle"
    assert "insteadOf" in scaffold(workspace, "template", "bundle", str(bundle)).stdout
    for repo in ("lmdeploy", "dlinfer"):
        done = copier.update(workspace / repo, bundle, ID, tmp_path / "cache")
        assert done.returncode == 0, done.stderr
    assert "known yet" in (workspace / CAMB).read_text()


def _newer(project: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(project, tmp_path / "newer"))
    for path, (old, new) in V11.items():
        change(folder / "templates" / path, old, new)
    (folder / "templates/VERSION").write_text("99.0.0\n")
    commit(folder)
    return folder


def _commits(workspace: Path) -> None:
    for repo in ("lmdeploy", "dlinfer"):
        commit(workspace / repo)
