"""Whatever buffers, fields and patches were added, taking them back in any order gives back every byte."""

import random

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

LENS = ("--size", "max_batches", "--dtype", "int32")
COMMANDS = {
    "graph-buffer-state_ids-camb": ("graph-buffer", "state_ids", "--vendor", "camb", "--like", "ascend"),
    "graph-buffer-one-camb": ("graph-buffer", "one", "--vendor", "camb", "--owner", "moe_metadata", *LENS),
    "graph-buffer-two-camb": ("graph-buffer", "two", "--vendor", "camb", "--owner", "moe_metadata", *LENS),
    "graph-buffer-near-camb": ("graph-buffer", "near", "--vendor", "camb", "--owner", "step_context", *LENS),
    "graph-buffer-far-camb": ("graph-buffer", "far", "--vendor", "camb", "--owner", "step_context", *LENS),
    "graph-buffer-lens-camb": ("graph-buffer", "lens", "--vendor", "camb", "--owner", "attn_metadata", *LENS),
    "context-field-lens-camb": ("context-field", "lens", "--vendor", "camb", "--type", "Any", "--value", "block_size"),
    "context-field-lens-maca": ("context-field", "lens", "--vendor", "maca", "--type", "Any", "--value", "block_size"),
    "context-field-more-camb": ("context-field", "more", "--vendor", "camb", "--type", "int", "--value", "1 + 1"),
    "device-patch-lmdeploy.pytorch.nn.gated_delta.CausalConv1d.forward-maca": (
        "device-patch",
        "gated_delta.CausalConv1d.forward",
        "--vendor",
        "maca",
    ),
    "device-patch-lmdeploy.pytorch.nn.gated_delta.CausalConv1dFunc-maca": (
        "device-patch",
        "gated_delta.CausalConv1dFunc",
        "--vendor",
        "maca",
    ),
    "device-patch-lmdeploy.pytorch.nn.gated_delta.CausalConv1d.forward-camb": (
        "device-patch",
        "gated_delta.CausalConv1d.forward",
        "--vendor",
        "camb",
    ),
    "quant-patch-lmdeploy.pytorch.nn.linear.awq.AwqLinear.forward-ascend": (
        "quant-patch",
        "AwqLinear.forward",
        "--vendor",
        "ascend",
    ),
    "quant-patch-lmdeploy.pytorch.nn.linear.awq.AwqLinear.create_weights-ascend": (
        "quant-patch",
        "AwqLinear.create_weights",
        "--vendor",
        "ascend",
        "--stack",
    ),
}


@pytest.mark.parametrize("seed", range(4))
def test_in_any_order(scaffold, workspace, seed):
    choose = random.Random(seed)
    before = snapshot(workspace)
    ids = choose.sample(sorted(COMMANDS), len(COMMANDS) - 4)
    for id in ids:
        done = scaffold(*COMMANDS[id])
        assert done.code == 0, (id, done.err)
    after = snapshot(workspace)
    assert lost_lines(before, after) == []
    compiles(after)
    choose.shuffle(ids)
    for id in ids:
        done = scaffold("undo", id)
        assert done.code == 0, (id, done.out, done.err)
        compiles(snapshot(workspace))
    assert snapshot(workspace) == before
