"""`write_sandbox`: both repositories, committed, and never over something else."""

from __future__ import annotations

import compileall
import shutil
import subprocess
from pathlib import Path

import pytest

from generator.errors import ScaffoldError
from generator.sandbox import write
from generator.sandbox.write import write_sandbox


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout.strip()


def test_writes_both_repositories_with_one_commit_each(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "work"
    assert write_sandbox(target) == [target / "lmdeploy", target / "dlinfer"]
    assert sorted(p.name for p in target.iterdir()) == ["dlinfer", "lmdeploy"]
    for root in (target / "lmdeploy", target / "dlinfer"):
        assert _git(root, "status", "--porcelain", "--ignored") == ""
        assert _git(root, "rev-list", "--count", "HEAD") == "1"
        assert _git(root, "log", "-1", "--format=%an <%ae>") == "scaffold <scaffold@localhost>"
        assert (root / ".gitignore").is_file() and not (root / "gitignore").exists()


def test_the_commit_is_the_same_whatever_the_user_has_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [_git(root, "rev-parse", "HEAD") for root in write_sandbox(tmp_path / "a")]
    config = tmp_path / "config"
    config.write_text(f"[commit]\ngpgsign = true\n[core]\nexcludesFile = {tmp_path}/ignore\nautocrlf = true\n")
    (tmp_path / "ignore").write_text("*.py\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    second = write_sandbox(tmp_path / "b")
    monkeypatch.undo()
    assert [_git(root, "rev-parse", "HEAD") for root in second] == first


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    assert len(write_sandbox(tmp_path)) == 2


@pytest.mark.parametrize("name", ["notes.txt", ".git"])
def test_refuses_a_folder_that_holds_something(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(ScaffoldError, match="not empty") as caught:
        write_sandbox(tmp_path)
    assert (caught.value.exit_code, caught.value.where) == (2, str(tmp_path))
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_refuses_a_file_of_that_name(tmp_path: Path) -> None:
    (tmp_path / "work").write_text("mine")
    with pytest.raises(ScaffoldError, match="no folder"):
        write_sandbox(tmp_path / "work")


def test_refuses_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "work").symlink_to(tmp_path / "gone")
    with pytest.raises(ScaffoldError):
        write_sandbox(tmp_path / "work")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ScaffoldError, match="cannot be written") as caught:
        write_sandbox(tmp_path / "file" / "work")
    assert caught.value.where == str(tmp_path / "file" / "work")


def test_without_git_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(ScaffoldError, match="git was not found"):
        write_sandbox(tmp_path / "work")
    assert list((tmp_path / "work").iterdir()) == []


def test_what_an_installer_compiled_beside_the_sources_stays_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = tmp_path / "files"
    shutil.copytree(write._FILES, files)
    assert compileall.compile_dir(files, quiet=1)
    monkeypatch.setattr(write, "_FILES", files)
    roots = write_sandbox(tmp_path / "work")
    assert not [path for root in roots for path in root.rglob("*.pyc")]
