"""Files that are not as one would write them: line ends, marks, tabs, long chains, ghosts in strings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

DISPATCHER = "lmdeploy/lmdeploy/pytorch/backends/dlinfer/op_backend.py"
CAMB = "dlinfer/dlinfer/vendor/camb/camb_ops.py"
LLM = "dlinfer/dlinfer/ops/llm.py"


def rewrite(workspace: Path, change) -> None:
    """Change the bytes of every Python file that is not empty."""
    for path in workspace.rglob("*.py"):
        data = path.read_bytes()
        if data and ".git" not in path.parts:
            path.write_bytes(change(data))


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def bom(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


def no_final_newline(data: bytes) -> bytes:
    return data.rstrip(b"\n")


def tabs(data: bytes) -> bytes:
    """Indent with tabs outside strings that span lines (their content is not indentation)."""
    if b'"""\n' in data.replace(b'.\n    """', b""):
        return data
    lines = [re.sub(rb"^(?:    )+", lambda m: b"\t" * (len(m[0]) // 4), line) for line in data.split(b"\n")]
    changed = b"\n".join(lines)
    try:
        compile(changed, "tabs", "exec")
    except SyntaxError:
        return data
    return changed


@pytest.mark.parametrize(
    "changes", [(crlf,), (bom,), (no_final_newline,), (tabs,), (bom, crlf), (no_final_newline, crlf)]
)
@pytest.mark.parametrize("op", [("rms_norm_gated",), ("gelu_and_mul_x", "--body", "torch")])
def test_the_files_own_way_is_kept(scaffold, workspace, changes, op):
    for change in changes:
        rewrite(workspace, change)
    before = snapshot(workspace)
    result = scaffold("op", *op, "--vendor", "camb")
    assert result.code == 0, result.err
    after = snapshot(workspace)
    assert lost_lines(before, after) == []
    compiles(after)
    for path, data in after.items():
        if path in before and path.endswith(".py"):
            assert data.startswith(b"\xef\xbb\xbf") == before[path].startswith(b"\xef\xbb\xbf")
            assert data.endswith(b"\n") == before[path].endswith(b"\n")
            if crlf in changes:
                assert data.count(b"\n") == data.count(b"\r\n"), path
    if tabs in changes and b"\n\t" in before[CAMB]:
        assert b"\n    " not in after[CAMB].rpartition(b"def ")[2]
    assert scaffold("undo", op[0]).code == 0
    assert snapshot(workspace) == before


def test_a_dispatcher_of_500_branches(scaffold, workspace):
    path = workspace / DISPATCHER
    text = path.read_text()
    branches = "".join(f"        elif layer_type == OpType.X{i}:\n            return X{i}\n" for i in range(500))
    path.write_text(text.replace("        else:", f"{branches}        else:", 1))
    before = snapshot(workspace)
    assert scaffold("op", "rms_norm_gated", "--vendor", "camb").code == 0
    new = path.read_text()
    assert new.index("OpType.X499") < new.index("OpType.RMSNormGated") < new.index("        else:")
    assert lost_lines(before, snapshot(workspace)) == []
    assert scaffold("undo", "rms_norm_gated").code == 0 and snapshot(workspace) == before


def test_comments_around_the_anchors_stay_where_they_are(scaffold, workspace):
    path = workspace / DISPATCHER
    text = path.read_text().replace(
        "        else:", "        # the end of the chain\n        # falls back\n        else:  # really\n", 1
    )
    path.write_text(re.sub(r"# really\n\n", "# really\n", text))
    llm = workspace / LLM
    llm.write_text(
        llm.read_text().replace("\n]\n", "  # last\n    # nothing behind this\n]  # done\n", 1)
        + "\n# the end of the file\n"
    )
    before = snapshot(workspace)
    assert scaffold("op", "rms_norm_gated", "--vendor", "camb").code == 0
    after = snapshot(workspace)
    assert lost_lines(before, after) == []
    for path, data in after.items():
        for comment in re.findall(
            rb"# (?:the end of the chain|falls back|really|last|nothing behind this|done|the end of the file)",
            before.get(path, b""),
        ):
            assert comment in data
    assert after[LLM].endswith(b"\n# the end of the file\n")
    assert scaffold("undo", "rms_norm_gated").code == 0 and snapshot(workspace) == before


def test_a_decorator_inside_a_string_is_a_ghost(scaffold, workspace):
    ghost = "\n\n'''\n@register_ops(vendor_ops_registry)\ndef rms_norm_gated(x):\n    return x\n'''\n"
    (workspace / CAMB).write_text((workspace / CAMB).read_text() + ghost)
    before = snapshot(workspace)
    assert scaffold("op", "rms_norm_gated", "--vendor", "camb").code == 0
    text = (workspace / CAMB).read_text()
    assert text.count("def rms_norm_gated(") == 2 and ghost.strip() in text
    compiles(snapshot(workspace))
    assert scaffold("undo", "rms_norm_gated").code == 0 and snapshot(workspace) == before
