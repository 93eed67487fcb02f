"""Another declaration of an op that is applied: all layers follow, and edits stay."""

from __future__ import annotations

import ast
import json

from tests.conftest import snapshot

from .test_edits import CAMB, KERNEL, OPS

NORM = "lmdeploy/lmdeploy/pytorch/backends/dlinfer/norm.py"
NEW = ("hidden_states: Tensor", "gate: Tensor", "weight: Tensor", "eps: float", "scale: Optional[float] = None")
PARAMS = [word for param in NEW for word in ("--param", param)]


def test_rename_a_parameter_and_add_one(scaffold, applied):
    done = scaffold("update", "op-rms_norm_gated-camb", *PARAMS)
    assert done.code == 0, done.err + done.out
    for path in (OPS, CAMB):
        text = (applied / path).read_text()
        function = text[text.index("def rms_norm_gated(") :].split(") ->")[0]
        assert "eps: float" in function and "epsilon" not in function and "scale: Optional[float]" in function
        ast.parse(text)
    assert "ext_ops.rms_norm_gated(hidden_states, gate, weight, eps, scale)" in (applied / KERNEL).read_text()
    assert "from typing" in (applied / OPS).read_text() or "Optional" in (applied / OPS).read_text()


def test_the_same_again_changes_nothing(scaffold, applied):
    scaffold("update", "rms_norm_gated", *PARAMS)
    before = snapshot(applied)
    assert scaffold("update", "rms_norm_gated", *PARAMS).code == 0
    assert scaffold("update").code == 0
    assert snapshot(applied) == before


def test_undo_gives_back_every_byte(scaffold, applied, pristine):
    scaffold("update", "rms_norm_gated", *PARAMS)
    assert scaffold("undo", "rms_norm_gated").code == 0
    assert snapshot(applied) == snapshot(pristine)


def test_all_vendors_follow(scaffold, applied, templates):
    scaffold("op", "rms_norm_gated", "--vendor", "maca", "--no-native-doc", "--template", templates)
    document = json.loads(scaffold("update", "op-rms_norm_gated-camb", *PARAMS, "--json").out)
    assert set(document["ids"]) == {"op-rms_norm_gated-camb", "op-rms_norm_gated-maca"}
    for vendor in ("camb", "maca"):
        assert "eps: float" in (applied / f"dlinfer/dlinfer/vendor/{vendor}/{vendor}_ops.py").read_text()
    assert "eps, scale" in document["spec"] or "eps: float, scale" in document["spec"]


def test_edits_stay(scaffold, applied):
    text = (applied / CAMB).read_text()
    start = text.index("    raise NotImplementedError(", text.index("def rms_norm_gated("))
    (applied / CAMB).write_text(text[:start] + "    return fused(hidden_states, gate, weight, epsilon)  # mine\n")
    done = scaffold("update", "rms_norm_gated", *PARAMS)
    after = (applied / CAMB).read_text()
    assert "fused(hidden_states, gate, weight, epsilon)  # mine" in after
    assert done.code == 1 or "still says `epsilon`" in done.out
    ast.parse(after)


def test_the_native_call_follows(scaffold, workspace):
    native = ("--native", "torch.ops.some.norm(hidden_states, gate, weight, eps=epsilon)")
    assert scaffold("op", "rms_norm_gated", "--vendor", "camb", *native).code == 0
    done = scaffold("update", "rms_norm_gated", *PARAMS)
    assert done.code == 0, done.err
    assert "torch.ops.some.norm(hidden_states, gate, weight, eps=eps)" in (workspace / CAMB).read_text()


def test_a_native_call_that_loses_its_parameter_is_refused(scaffold, workspace):
    native = ("--native", "torch.ops.some.norm(hidden_states, gate, weight, epsilon)")
    scaffold("op", "rms_norm_gated", "--vendor", "camb", *native)
    before = snapshot(workspace)
    done = scaffold("update", "rms_norm_gated", "--param", "hidden_states: Tensor", "--param", "weight: Tensor")
    assert done.code == 2 and "`epsilon`" in done.err or "`gate`" in done.err
    assert snapshot(workspace) == before


def test_layers_of_upstream_are_not_ours_to_change(scaffold, workspace):
    assert scaffold("op", "rms_norm", "--vendor", "camb", "--no-native-doc").code == 0
    done = scaffold("update", "rms_norm", "--param", "x: Tensor")
    assert done.code == 2, done.out
    assert "upstream's" in done.err or "nothing called" in done.err


def test_one_op_must_be_named(scaffold, applied):
    done = scaffold("update", "--param", "x: Tensor")
    assert done.code == 2 and "name it" in done.err
