"""A refresh in the real files: big shared files that were moved about, reformatted and edited, in git checkouts."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plan.kit import commit, git
from tests.refresh import copier
from tests.refresh.kit import V11, change, make_templates, release

OPS = "dlinfer/dlinfer/ops/llm.py"
BACKEND = "lmdeploy/lmdeploy/pytorch/backends/dlinfer/op_backend.py"
NORM = "lmdeploy/lmdeploy/pytorch/backends/norm.py"
IDS = ("op-rms_norm_gated-ascend", "op-softmax_gated-ascend")
SCAFFOLD = str(Path(sys.executable).parent / "scaffold")


@pytest.fixture
def templates(tmp_path) -> Path:
    return make_templates(tmp_path / "templates")


@pytest.fixture
def workspace(upstream_workspace, templates) -> Path:
    """Two ops in real checkouts."""
    root = upstream_workspace("0.17.0")["lmdeploy"].root.parent
    for name, params in (("rms_norm_gated", ()), ("softmax_gated", ("--param", "x: Tensor"))):
        words = ("--vendor", "ascend", "--no-native-doc", "--template", templates)
        assert scaffold(root, "op", name, *params, *words).returncode == 0
    release(templates, "1.1.0", V11)
    return root


def scaffold(workspace: Path, *words: object) -> subprocess.CompletedProcess:
    """The installed command, run from a folder that is not in any checkout."""
    command = [SCAFFOLD, *map(str, words), "--workspace", str(workspace)]
    return subprocess.run(command, cwd=workspace.parent, capture_output=True, text=True)


def state(workspace: Path) -> dict[str, str]:
    """Everything that git sees, against the commit that upstream is."""
    for repo in ("lmdeploy", "dlinfer"):
        git(workspace / repo, "add", "-AN")
    return {repo: git(workspace / repo, "diff") for repo in ("lmdeploy", "dlinfer")}


def test_several_ids_over_both_checkouts(workspace, templates):
    text = (workspace / OPS).read_text()
    start = text.index('@register_custom_op("dlinfer::rms_norm_gated"')
    end = text.index("\n\n\n@", start) if "\n\n\n@" in text[start:] else len(text)
    moved = text[start:end].strip().replace("    Apply Root", "    Mine: apply Root")
    anchor = text.index("\n\n\n@register_custom_op")
    (workspace / OPS).write_text(text[:anchor] + f"\n\n\n{moved}" + text[anchor:start].rstrip() + "\n" + text[end:])
    ast.parse((workspace / OPS).read_text())
    assert scaffold(workspace, "update", "--check", "--template", templates).returncode == 1
    done = scaffold(workspace, "update", "--template", templates)
    assert done.returncode == 0, done.stdout + done.stderr
    after = (workspace / OPS).read_text()
    assert after.count("# One call a vendor.") == 2 and "Mine: apply Root" in after
    assert "implementation interface." in (workspace / NORM).read_text()
    before = state(workspace)
    assert scaffold(workspace, "update", "--template", templates).returncode == 0
    assert state(workspace) == before
    for path in (OPS, BACKEND, NORM):
        ast.parse((workspace / path).read_text())


def test_undo_after_the_update_leaves_nothing(workspace, templates):
    assert scaffold(workspace, "update", "--template", templates).returncode == 0
    for name in ("rms_norm_gated", "softmax_gated"):
        assert scaffold(workspace, "undo", name).returncode == 0
    assert state(workspace) == {"lmdeploy": "", "dlinfer": ""}


def test_another_formatter(workspace, templates):
    from ruff.__main__ import find_ruff_bin

    for path in (OPS, NORM):
        command = [find_ruff_bin(), "format", "--isolated", "--line-length", "70", str(workspace / path)]
        subprocess.run(command, check=True, capture_output=True)
    done = scaffold(workspace, "update", "--template", templates)
    assert done.returncode == 0, done.stdout
    assert (workspace / OPS).read_text().count("# One call a vendor.") == 2


def test_plain_copier_comes_to_the_same(workspace, templates, tmp_path):
    change(workspace / OPS, "    Apply Root", "    Mine: apply Root")
    other = Path(shutil.copytree(workspace, tmp_path / "other", symlinks=True))
    assert scaffold(workspace, "update", "--template", templates).returncode == 0
    for id in IDS:
        for repo in ("lmdeploy", "dlinfer"):
            done = copier.update(other / repo, templates, id, tmp_path / "cache")
            assert done.returncode == 0, done.stderr
    for repo in ("lmdeploy", "dlinfer"):
        commit(workspace / repo)
        commit(other / repo)
        assert git(workspace / repo, "rev-parse", "HEAD^{tree}") == git(other / repo, "rev-parse", "HEAD^{tree}")
