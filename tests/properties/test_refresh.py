"""Random edits, template changes, updates and undos: what a user wrote is never lost, and a refresh comes to rest."""

from __future__ import annotations

import ast
import contextlib
import io
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.cli.main import run
from generator.refresh.lines import has_markers
from generator.render.root import template_root
from tests.conftest import snapshot
from tests.refresh.kit import V11, change
from tests.refresh.test_template_changes import HELPER, LAYER3

FILES = (
    "dlinfer/dlinfer/ops/llm.py",
    "dlinfer/dlinfer/vendor/camb/camb_ops.py",
    "lmdeploy/lmdeploy/pytorch/kernels/dlinfer/rms_norm_gated.py",
    "lmdeploy/lmdeploy/pytorch/backends/norm.py",
    "lmdeploy/lmdeploy/pytorch/backends/dlinfer/op_backend.py",
)
CHANGES = {
    **dict(zip(("call", "wrapper", "stub", "abstract"), V11.items(), strict=True)),
    "argument": ("shared/op/layer3/function.py.txt.jinja", ("    Args:\n", "    Arguments, in order:\n")),
}
one_edit = st.tuples(st.sampled_from(FILES), st.floats(0, 1), st.sampled_from(["line", "end", "gone"]))
edits = st.lists(one_edit, max_size=4)
versions = st.lists(st.sets(st.sampled_from([*CHANGES, "helper"])), min_size=1, max_size=2)


@pytest.fixture(scope="module")
def applied(pristine, tmp_path_factory) -> Path:
    """`rms_norm_gated` for two vendors, made by the templates of this package given as a folder."""
    top = tmp_path_factory.mktemp("refresh")
    workspace = Path(shutil.copytree(pristine, top / "workspace", symlinks=True))
    words = ("--vendor", "camb", "--vendor", "maca", "--no-native-doc", "--template", templates(top, set()))
    code, _ = command(workspace, "op", "rms_norm_gated", *words)
    assert code == 0
    return workspace


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(before=edits, steps=versions, between=edits, undo=st.permutations(["camb", "maca"]))
def test_refresh(applied, pristine, before, steps, between, undo):
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        workspace = Path(shutil.copytree(applied, top / "workspace", symlinks=True))
        mine = edit(workspace, before, "a", set())
        changed: set[str] = set()
        for number, step in enumerate(steps):
            changed |= step
            new = templates(top / str(number), changed)
            code, _ = command(workspace, "update", "--template", new)
            require_sound(workspace, mine)
            rest = snapshot(workspace)
            assert command(workspace, "update", "--template", new)[0] == code
            assert snapshot(workspace) == rest
            mine = edit(workspace, between, f"b{number}", mine) if not marked(workspace) else mine
        for vendor in undo:
            command(workspace, "undo", f"op-rms_norm_gated-{vendor}")
            require_sound(workspace, mine)
        if not before and not between:
            assert snapshot(workspace) == snapshot(pristine)


def templates(top: Path, changes: set[str]) -> Path:
    """Templates with these changes; in every version under a folder of the same name, so they are one source."""
    root = top / "templates"
    shutil.copytree(template_root() / "templates", root / "templates")
    shutil.copy(template_root() / "copier.yml", root)
    (root / "templates/VERSION").write_text(f"1.{len(changes)}.0\n")
    for name in changes & set(CHANGES):
        path, (old, new) = CHANGES[name]
        change(root / "templates" / path, old, new)
    if "helper" in changes:
        (root / "templates" / LAYER3 / "shape.py.txt.jinja").write_text(HELPER)
    return root


def edit(workspace: Path, edits, label: str, mine: set[str]) -> set[str]:
    """Make edits that leave the files Python, and return what the user wrote, then and now, and has not deleted."""
    written = set(mine)
    for number, (path, where, kind) in enumerate(edits):
        file = workspace / path
        if not file.exists() or has_markers(file.read_bytes()):
            continue
        lines = file.read_text().split("\n")
        at = int(where * (len(lines) - 1))
        token = f"# user {label}{number}"
        if kind == "gone":
            new = [*lines[:at], *lines[at + 1 :]]
        elif kind == "end":
            new = [*lines[:at], f"{lines[at]}  {token}", *lines[at + 1 :]]
        else:
            new = [*lines[:at], " " * (len(lines[at]) - len(lines[at].lstrip())) + token, *lines[at:]]
        if parses("\n".join(new)) and (kind == "gone" or said("\n".join(new), token)):
            file.write_text("\n".join(new))
            written.add(token)
    texts = "\n".join((workspace / path).read_text() for path in FILES if (workspace / path).exists())
    return {token for token in written if f"{token}\n" in texts}


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def said(text: str, token: str) -> bool:
    """Tell whether a line is a comment, not a part of a string."""
    import tokenize

    found = tokenize.generate_tokens(io.StringIO(text).readline)
    return any(one.type == tokenize.COMMENT and one.string.endswith(token) for one in found)


def marked(workspace: Path) -> bool:
    return any((workspace / path).exists() and has_markers((workspace / path).read_bytes()) for path in FILES)


def require_sound(workspace: Path, mine: set[str]) -> None:
    texts = {path: (workspace / path).read_text() for path in FILES if (workspace / path).exists()}
    for path, text in texts.items():
        assert parses(text) or has_markers(text.encode()), path
    for token in mine:
        assert any(f"{token}\n" in text for text in texts.values()), token


def command(workspace: Path, *words: object) -> tuple[int, str]:
    """Run a command quietly; its bad input is a failure of the test."""
    out = io.TextIOWrapper(io.BytesIO())
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = run([*map(str, words), "--workspace", str(workspace)])
    out.seek(0)
    text = out.read()
    assert code in (0, 1), text
    return code, text
