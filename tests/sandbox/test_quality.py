"""The sandbox passes what the real repositories' own checks ask of a file."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator.survey.imports import absolute
from generator.survey.reading import Reading, read_all
from generator.workspace.checkout import Workspace


def _module(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"RUFF_NO_CACHE": "true"}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=root, env=env, capture_output=True, text=True)


def test_lmdeploy_passes_ruff_with_its_own_configuration(sandbox: Path) -> None:
    done = _module(sandbox / "lmdeploy", "ruff", "check", ".")
    assert done.returncode == 0, done.stdout
    shown = _module(sandbox / "lmdeploy", "ruff", "check", "--show-settings", "lmdeploy/__init__.py").stdout
    assert "linter.line_length = 120" in shown and "linter.unresolved_target_version = 3.10" in shown


def test_dlinfer_passes_black(sandbox: Path) -> None:
    done = _module(sandbox / "dlinfer", "black", "--check", ".")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("repo", ["lmdeploy", "dlinfer"])
def test_every_file_compiles(sandbox: Path, repo: str) -> None:
    for path in (sandbox / repo).rglob("*.py"):
        compile(path.read_bytes(), str(path), "exec", dont_inherit=True)


def test_no_file_is_long(sandbox: Path) -> None:
    assert max(path.read_bytes().count(b"\n") for path in sandbox.rglob("*.py")) <= 400


def test_every_import_inside_the_workspace_finds_what_it_names(workspace: Workspace) -> None:
    files = {r.module: r for repo in workspace.roots for r in read_all(workspace[repo], repo)}
    missing = [f"{r.path}: {name}" for r in files.values() for name in _wanted(r) if not _has(files, name)]
    assert missing == []


def _wanted(reading: Reading) -> Iterator[str]:
    """The dotted names that a file imports from the two packages."""
    for node in ast.walk(reading.tree):
        modules = [absolute(node, reading)] if isinstance(node, ast.ImportFrom) else []
        names = [f"{module}.{a.name}" for module in modules for a in node.names if a.name != "*"]
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        yield from (name for name in names if name.partition(".")[0] in ("lmdeploy", "dlinfer"))


def _has(files: dict[str, Reading], name: str) -> bool:
    """True for a module, and for a name that is bound at the top of its module."""
    module, _, last = name.rpartition(".")
    return name in files or module in files and last in _bound(files[module].tree)


def _bound(tree: ast.Module) -> set[str]:
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {a.asname or a.name for a in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {t.id for t in targets if isinstance(t, ast.Name)}
    return names
