"""`copier copy` and `copier update` by themselves come to the same bytes as `scaffold op` and `scaffold update`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.conftest import snapshot
from tests.plan.kit import git

from . import copier
from .kit import V11, change, release
from .test_edits import KERNEL, OPS

ID = "op-rms_norm_gated-camb"
REPOS = ("lmdeploy", "dlinfer")
CALL = '    return vendor_ops_registry["rms_norm_gated"]'
NOTHING = ()
EDITS = {
    "untouched": NOTHING,
    "edited": (
        (OPS, "    Apply Root Mean Square", "    Mine: apply Root Mean Square"),
        (KERNEL, "import Tensor\n", "import Tensor\n\n# mine\n"),
    ),
    "export taken out": ((OPS, '    "rms_norm_gated",\n', ""),),
    "conflict in a new file": ((KERNEL, '"""RMS norm gated kernel."""', '"""Mine."""'),),
    "conflict in a shared file": ((OPS, CALL, "    mine = 1\n" + CALL),),
}


@pytest.fixture
def other(applied, tmp_path) -> Path:
    """The workspace once more, to update it the other way."""
    return Path(shutil.copytree(applied, tmp_path / "other", symlinks=True))


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_update(scaffold, applied, other, newer, cache, edits):
    for edit in edits:
        change(applied / edit[0], *edit[1:])
        change(other / edit[0], *edit[1:])
    ours = scaffold("update", "--template", newer)
    done = [copier.update(other / repo, newer, ID, cache) for repo in REPOS]
    assert all(d.returncode == 0 for d in done) == (ours.code == 0), [d.stderr for d in done]
    assert snapshot(other) == snapshot(applied)
    assert kept(other) == kept(applied)


def test_copy(scaffold, applied, templates, pristine, cache, tmp_path):
    other = Path(shutil.copytree(pristine, tmp_path / "other", symlinks=True))
    for repo in REPOS:
        done = copier.copy(other / repo, templates, applied / repo / ".scaffold" / ID / "answers.yml", cache)
        assert done.returncode == 0, done.stderr
        assert git(other / repo, "status", "--short", "--", ".scaffold") == ""
    assert snapshot(other) == snapshot(applied)
    assert kept(other) == kept(applied)


def test_undo_of_a_plain_copy(scaffold, workspace, applied, templates, pristine, cache, tmp_path, monkeypatch):
    other = Path(shutil.copytree(pristine, tmp_path / "other", symlinks=True))
    for repo in REPOS:
        copier.copy(other / repo, templates, applied / repo / ".scaffold" / ID / "answers.yml", cache)
    monkeypatch.chdir(other)
    assert scaffold("undo", ID).code == 0
    assert snapshot(other) == snapshot(pristine)


def test_no_path_of_this_machine(applied):
    for path, data in kept(applied).items():
        assert b"/tmp" not in data and b"/root" not in data, path


def test_conflict_is_loud(applied, newer, cache):
    change(applied / OPS, CALL, "    mine = 1\n" + CALL)
    done = copier.update(applied / "dlinfer", newer, ID, cache)
    assert done.returncode != 0
    assert "conflict" in done.stderr
    assert "mine = 1" in (applied / OPS).read_text()


def test_a_file_that_is_no_python_stops_it(applied, newer, cache):
    change(applied / OPS, "def rms_norm_gated(", "def rms_norm_gated((")
    before = snapshot(applied), kept(applied)
    done = copier.update(applied / "dlinfer", newer, ID, cache)
    assert done.returncode != 0 and "llm.py" in done.stderr
    assert (snapshot(applied), kept(applied)) == before


def test_scaffold_finishes_what_copier_began(scaffold, applied, newer, cache):
    change(applied / OPS, CALL, "    mine = 1\n" + CALL)
    for repo in REPOS:
        copier.update(applied / repo, newer, ID, cache)
    next(applied.glob("dlinfer/.scaffold/*/layer3/*.conflict")).unlink()
    assert scaffold("update", "--template", newer).code == 0


def kept(workspace: Path) -> dict[str, bytes]:
    """Fragments, answers and conflicts."""
    found = (p for repo in REPOS for p in (workspace / repo / ".scaffold").glob("*/**/*"))
    return {str(p.relative_to(workspace)): p.read_bytes() for p in found if p.is_file()}


def test_three_versions(scaffold, applied, other, templates, cache):
    release(templates, "1.1.0", V11)
    release(templates, "1.2.0", {"shared/op/layer4/body.jinja": ("known yet", "known so far")})
    assert scaffold("update", "--template", templates).code == 0
    assert all(copier.update(other / repo, templates, ID, cache).returncode == 0 for repo in REPOS)
    assert snapshot(other) == snapshot(applied) and kept(other) == kept(applied)
