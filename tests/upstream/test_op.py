"""`scaffold op` on real releases of lmdeploy and dlinfer, over the eras."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import black
import pytest

from generator.cli.main import run
from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

# Releases with today's layout, in the eras of 79 columns, of 120 columns with `typing`, and of `X | None`.
ERAS = ("0.6.2.post1", "0.7.3", "0.10.2", "0.17.0")
OPS = {
    "a new op": ("rms_norm_gated",),
    "an op whose OpType exists": ("layer_norm",),
    "an activation with a shape function": ("gelu_and_mul", "--body", "torch"),
    "an op of its own": ("thing", "--param", "x: Tensor", "--param", "bias: Optional[Tensor] = None"),
}


@pytest.fixture(params=ERAS)
def workspace(request, upstream_workspace) -> Path:
    found = upstream_workspace(request.param)
    return found["lmdeploy"].root.parent


@pytest.mark.parametrize("args", OPS.values(), ids=OPS)
def test_insert_only_idempotent_and_back(workspace, args, capsys):
    before = snapshot(workspace)
    linted = _ruff(workspace)
    command = ["op", *args, "--vendor", "ascend", "--no-native-doc", "--workspace", str(workspace)]
    assert run(command) == 0, capsys.readouterr().err
    after = snapshot(workspace)
    assert after != before and lost_lines(before, after) == []
    compiles({p: d for p, d in after.items() if d != before.get(p)})
    _black_still_passes(before, after)
    assert _ruff(workspace) <= linted
    assert run(command) == 0 and snapshot(workspace) == after
    assert run(["undo", args[0], "--workspace", str(workspace)]) == 0
    assert snapshot(workspace) == before


def test_a_vendor_that_the_checkout_lacks(workspace, capsys):
    before = snapshot(workspace)
    assert run(["op", "rms_norm_gated", "--vendor", "camb", "--workspace", str(workspace)]) == 2
    assert "camb_ops.py" in capsys.readouterr().err and snapshot(workspace) == before


def test_a_layout_that_is_newer_is_refused(upstream_workspace, capsys):
    root = upstream_workspace("0.18.0")["lmdeploy"].root.parent
    before = snapshot(root)
    assert run(["op", "rms_norm_gated", "--vendor", "ascend", "--no-native-doc", "--workspace", str(root)]) == 2
    assert "newer than what is known here" in capsys.readouterr().err and snapshot(root) == before


def _ruff(workspace: Path) -> set[str]:
    """What ruff finds by lmdeploy's own rules (its wheel holds no configuration), without positions."""
    columns = "79" if "-0.6." in workspace.name else "120"
    args = [
        "--isolated",
        "--no-cache",
        "--line-length",
        columns,
        "--select",
        "E,F,W,I",
        "--ignore",
        "E231,E741,E501",
        "--output-format",
        "concise",
    ]
    folders = ["lmdeploy/pytorch/backends", "lmdeploy/pytorch/kernels/dlinfer", "lmdeploy/pytorch/nn"]
    ruff = [sys.executable, "-m", "ruff", "check", "-q", *args, *folders]
    done = subprocess.run(ruff, cwd=workspace / "lmdeploy", capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    rows = [line.split(":", 3) for line in done.stdout.splitlines() if line.count(":") >= 3]
    return {f"{path}{text}" for path, _, _, text in rows}


def _black_still_passes(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    mode = black.Mode()
    for path, data in after.items():
        if path.startswith("dlinfer/") and path.endswith(".py") and data != before.get(path):
            old = before.get(path, b"").decode()
            if old and black.format_str(old, mode=mode) != old:
                continue
            assert black.format_str(data.decode(), mode=mode) == data.decode(), path
