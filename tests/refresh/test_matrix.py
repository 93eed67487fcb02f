"""Where templates and checkouts may be, and in what state: copier's own matrix of cases, and its seven traps.

Every case ends in one of two ways: the update is right and no line of the user is lost, or it is refused and says why.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import snapshot
from tests.plan.kit import commit, git

from . import copier
from .kit import V11, change, release
from .test_edits import CAMB, KERNEL, OPS
from .test_template_changes import WRAPPER

ID = "op-rms_norm_gated-camb"
OP = ("op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc")
NEW = "no native call is known yet"


@pytest.fixture
def cache(tmp_path) -> Path:
    return tmp_path / "cache"


def is_new(workspace: Path) -> bool:
    return NEW in (workspace / CAMB).read_text() and "One call a vendor" in (workspace / OPS).read_text()


# The templates.


def test_templates_that_are_no_git_checkout(scaffold, workspace, templates):
    shutil.rmtree(templates / ".git")
    assert scaffold(*OP, "--template", templates).code == 0
    for path, (old, new) in V11.items():
        change(templates / "templates" / path, old, new)
    (templates / "templates/VERSION").write_text("1.1.0\n")
    assert scaffold("update", "--template", templates).code == 0
    assert is_new(workspace)


def test_templates_without_tags(scaffold, applied, newer):
    git(newer, "tag", "-d", "v1.0.0", "v1.1.0")
    assert scaffold("update", "--template", newer).code == 0
    assert is_new(applied)


def test_plain_copier_with_templates_without_tags(applied, pristine, templates, cache, tmp_path):
    git(templates, "tag", "-d", "v1.0.0")
    other = Path(shutil.copytree(pristine, tmp_path / "other", symlinks=True))
    for repo in ("lmdeploy", "dlinfer"):
        done = copier.copy(other / repo, templates, applied / repo / ".scaffold" / ID / "answers.yml", cache)
        assert done.returncode == 0, done.stderr
    release(templates, "1.1.0", V11)
    git(templates, "tag", "-d", "v1.1.0")
    for repo in ("lmdeploy", "dlinfer"):
        assert copier.update(other / repo, templates, ID, cache).returncode == 0
    assert is_new(other)


def test_uncommitted_templates_leave_no_version_that_nobody_has(scaffold, workspace, templates):
    change(templates / "templates/shared/op/layer4/body.jinja", "no native call is known", "not committed yet")
    scaffold(*OP, "--template", templates)
    assert "_commit: v1.0.0\n" in (workspace / "dlinfer/.scaffold" / ID / "answers.yml").read_text()
    git(templates, "checkout", "-q", "--", ".")
    release(templates, "1.1.0", V11)
    assert scaffold("update", "--template", templates).code == 0
    assert is_new(workspace)


def test_templates_that_moved(scaffold, applied, newer, tmp_path):
    moved = newer.rename(tmp_path / "elsewhere")
    assert scaffold("update", "--template", newer).code == 2
    assert scaffold("update", "--template", moved).code == 0
    assert is_new(applied)


def test_relative_folder(scaffold, applied, newer, monkeypatch):
    monkeypatch.chdir(newer.parent)
    done = scaffold("update", "--template", newer.name, "--workspace", applied)
    assert done.code == 0 and is_new(applied)


@pytest.mark.parametrize("bare", [True, False], ids=["bare", "bundle"])
def test_bare_repository_and_bundle(scaffold, applied, newer, tmp_path, bare):
    place = tmp_path / ("fork.git" if bare else "fork.bundle")
    if bare:
        subprocess.run(["git", "clone", "-q", "--bare", str(newer), str(place)], check=True)
    else:
        git(newer, "bundle", "create", "-q", str(place), "--all", "HEAD")
    assert scaffold("update", "--template", place).code == 0
    assert is_new(applied)


def test_templates_that_have_forgotten_the_old_version(scaffold, applied, newer):
    shutil.rmtree(newer / ".git")
    git(newer, "init", "-q", "-b", "main")
    commit(newer)
    change(applied / OPS, "    Apply Root", "    Mine: apply Root")
    assert scaffold("update", "--template", newer).code == 0
    assert is_new(applied) and "Mine: apply Root" in (applied / OPS).read_text()


# The checkouts.


def test_checkouts_that_are_not_under_git(scaffold, workspace, templates):
    for repo in ("lmdeploy", "dlinfer"):
        shutil.rmtree(workspace / repo / ".git")
    scaffold(*OP, "--template", templates)
    release(templates, "1.1.0", V11)
    assert scaffold("update", "--template", templates).code == 0
    assert is_new(workspace)


def test_checkouts_in_one_repository(scaffold, workspace, templates, cache):
    for repo in ("lmdeploy", "dlinfer"):
        shutil.rmtree(workspace / repo / ".git")
    git(workspace, "init", "-q", "-b", "main")
    commit(workspace)
    scaffold(*OP, "--template", templates)
    other = Path(shutil.copytree(workspace, workspace.parent / "other", symlinks=True))
    release(templates, "1.1.0", V11)
    assert scaffold("update", "--template", templates).code == 0
    for repo in ("lmdeploy", "dlinfer"):
        done = copier.update(other / repo, templates, ID, cache)
        assert done.returncode == 0, done.stderr
    assert is_new(workspace) and snapshot(other) == snapshot(workspace)


def test_linked_worktree(scaffold, workspace, templates, cache, tmp_path, monkeypatch):
    linked = tmp_path / "linked"
    for repo in ("lmdeploy", "dlinfer"):
        git(workspace / repo, "worktree", "add", "-q", "-b", "work", str(linked / repo))
    monkeypatch.chdir(linked)
    scaffold(*OP, "--template", templates)
    release(templates, "1.1.0", V11)
    assert copier.update(linked / "dlinfer", templates, ID, cache).returncode == 0
    assert scaffold("update", "--template", templates).code == 0
    assert is_new(linked) and not is_new(workspace)


def test_shallow_clone(scaffold, applied, newer, tmp_path, monkeypatch):
    shallow = tmp_path / "shallow"
    for repo in ("lmdeploy", "dlinfer"):
        commit(applied / repo)
        source = f"file://{applied / repo}"
        subprocess.run(["git", "clone", "-q", "--depth", "1", source, str(shallow / repo)], check=True)
        shutil.copytree(applied / repo / ".scaffold", shallow / repo / ".scaffold")
    monkeypatch.chdir(shallow)
    assert scaffold("update", "--template", newer).code == 0
    assert is_new(shallow)


@pytest.mark.parametrize("staged", [True, False])
def test_dirty_checkout(scaffold, applied, newer, staged):
    (applied / "dlinfer/notes.txt").write_text("mine\n")
    (applied / "dlinfer/README.md").write_text("mine too\n")
    if staged:
        git(applied / "dlinfer", "add", "-A")
    assert scaffold("update", "--template", newer).code == 0
    assert is_new(applied)
    assert (applied / "dlinfer/notes.txt").read_text() == "mine\n"
    assert (applied / "dlinfer/README.md").read_text() == "mine too\n"


def test_answers_are_gone(scaffold, applied, newer):
    (applied / "dlinfer/.scaffold" / ID / "answers.yml").unlink()
    done = scaffold("update", "--template", newer)
    assert done.code == 2 and "answers" in done.err


def test_bookkeeping_is_gone(scaffold, applied, newer):
    for repo in ("lmdeploy", "dlinfer"):
        commit(applied / repo)
        git(applied / repo, "clean", "-fdxq")
    before = snapshot(applied)
    done = scaffold("update", "--template", newer)
    assert "nothing is applied" in done.out and snapshot(applied) == before


def test_one_checkout_is_not_here(scaffold, applied, newer, tmp_path):
    (applied / "lmdeploy").rename(tmp_path / "away")
    assert scaffold("update", "--template", newer).code == 0
    assert is_new(applied)
    (tmp_path / "away").rename(applied / "lmdeploy")
    assert scaffold("update", "--check", "--template", newer).code == 1
    assert scaffold("update", "--template", newer).code == 0
    assert scaffold("update", "--check", "--template", newer).code == 0


# The seven traps of copier's update.


def test_t1_a_file_that_git_ignores_keeps_its_edit(scaffold, applied, newer, cache):
    (applied / "lmdeploy/.gitignore").open("a").write("rms_norm_gated.py\n")
    change(applied / KERNEL, "import Tensor\n", "import Tensor\n\n# mine\n")
    other = Path(shutil.copytree(applied, applied.parent / "other", symlinks=True))
    assert scaffold("update", "--template", newer).code == 0
    assert copier.update(other / "lmdeploy", newer, ID, cache).returncode == 0
    for workspace in (applied, other):
        assert "# mine" in (workspace / KERNEL).read_text() and "gated wrapper." in (workspace / KERNEL).read_text()


def test_t2_a_dropped_file_that_was_edited_stays(scaffold, applied, templates, cache):
    change(applied / KERNEL, "import Tensor\n", "import Tensor\n\n# mine\n")
    git(templates, "rm", "-q", f"templates/{WRAPPER}")
    release(templates, "1.1.0", {})
    done = copier.update(applied / "lmdeploy", templates, ID, cache)
    assert done.returncode != 0 and "# mine" in (applied / KERNEL).read_text()
    assert scaffold("update", "--template", templates).code == 1


def test_t3_no_task_inserts_again(applied, newer, cache):
    change(applied / OPS, "    Apply Root", "    Mine: apply Root")
    assert copier.update(applied / "dlinfer", newer, ID, cache).returncode == 0
    assert "Mine: apply Root" in (applied / OPS).read_text() and is_new(applied)


def test_t4_several_ids_in_one_call(scaffold, applied, templates):
    for name in ("layer_norm_x", "softmax_x"):
        words = ("--param", "x: Tensor", "--no-native-doc", "--template", templates)
        assert scaffold("op", name, "--vendor", "camb", *words).code == 0
    release(templates, "1.1.0", V11)
    assert scaffold("update", "--template", templates).code == 0
    assert (applied / CAMB).read_text().count(NEW) == 3


def test_t5_skip_if_exists_is_not_used(templates):
    assert "_skip_if_exists" not in (templates / "copier.yml").read_text()


def test_t6_conflicts_are_no_success(scaffold, applied, newer, cache):
    change(applied / KERNEL, '"""RMS norm gated kernel."""', '"""Mine."""')
    other = Path(shutil.copytree(applied, applied.parent / "other", symlinks=True))
    assert scaffold("update", "--template", newer).code == 1
    assert copier.update(other / "lmdeploy", newer, ID, cache).returncode != 0


def test_t7_a_failure_half_way_changes_nothing(applied, newer, cache):
    path = "camb/op/dlinfer/.scaffold/{{ kind }}-{{ name }}-{{ vendor }}/odd.txt.jinja"
    odd = "#@ insert: export\n#@ path: dlinfer/ops/llm.py\n#@ variable: __none__\n#@ item: x\n"
    release(newer, "1.2.0", {}, {path: odd})
    before = snapshot(applied)
    done = copier.update(applied / "dlinfer", newer, ID, cache)
    assert done.returncode != 0 and "__none__" in done.stderr
    assert snapshot(applied) == before
    assert (applied / "dlinfer/.scaffold" / ID / "answers.yml").read_text().startswith("_commit: v1.0.0")
