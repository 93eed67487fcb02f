"""Buffers, fields and patches follow their templates, and edits made since are kept."""

from __future__ import annotations

import pytest

from tests.conftest import snapshot

from .kit import change, release

CAMB_GRAPH = "dlinfer/dlinfer/framework/lmdeploy_ext/cudagraph/camb_cudagraph.py"
CAMB_BACKEND = "lmdeploy/lmdeploy/pytorch/backends/dlinfer/camb/op_backend.py"
MACA = "dlinfer/dlinfer/framework/lmdeploy_ext/device/maca.py"
QUANT = "dlinfer/dlinfer/framework/lmdeploy_ext/quants/ascend_awq.py"
COMMANDS = {
    "state_ids": ("graph-buffer", "state_ids", "--vendor", "camb", "--like", "ascend"),
    "lens": ("context-field", "lens", "--vendor", "camb", "--type", "Tensor", "--value", "step_context.q_seqlens + 1"),
    "gated_delta.CausalConv1dFunc": ("device-patch", "gated_delta.CausalConv1dFunc", "--vendor", "maca"),
    "AwqLinear.create_weights": ("quant-patch", "AwqLinear.create_weights", "--vendor", "ascend", "--stack"),
}
NEWER = {
    "shared/graph-buffer/fill-kwarg.jinja": ("{{ name }} = kwargs.get(", "# from the model\n{{ name }} = kwargs.get("),
    "shared/context-field/helper.txt.jinja": ("    return {{", "    # newer\n    return {{"),
    "shared/patch/replacement.jinja": ('"""lmdeploy\'s own until', '"""Still lmdeploy\'s own until'),
    "shared/patch/function.txt.jinja": ("    {{ it.target }} = ", "    # applied last\n    {{ it.target }} = "),
}


@pytest.fixture
def applied(scaffold, workspace, templates):
    for command in COMMANDS.values():
        done = scaffold(*command, "--template", templates)
        assert done.code == 0, done.err
    return workspace


@pytest.fixture
def newer(applied, templates):
    release(templates, "1.1.0", NEWER)
    return templates


def text_of(workspace, path):
    return (workspace / path).read_text()


def test_untouched_code_follows(scaffold, applied, newer):
    done = scaffold("update", "--template", newer)
    assert done.code == 0, done.err
    assert "        # from the model\n        state_ids = kwargs.get(" in text_of(applied, CAMB_GRAPH)
    assert "            # newer\n            return step_context.q_seqlens + 1\n" in text_of(applied, CAMB_BACKEND)
    assert "Still lmdeploy's own" in text_of(applied, MACA)
    assert "# applied last" in text_of(applied, QUANT)
    once = snapshot(applied)
    assert scaffold("update", "--template", newer).code == 0 and snapshot(applied) == once


def test_edits_are_kept(scaffold, applied, newer):
    change(applied / CAMB_GRAPH, "context.state_offsets = ", "print('mine')\n        context.state_offsets = ")
    call = "        super().__init__(activation)"
    change(applied / MACA, call, f"{call}\n        self.mine = 1")
    done = scaffold("update", "--template", newer)
    assert done.code == 0, done.out + done.err
    assert "print('mine')" in text_of(applied, CAMB_GRAPH) and "# from the model" in text_of(applied, CAMB_GRAPH)
    assert "self.mine = 1" in text_of(applied, MACA) and "Still lmdeploy's own" in text_of(applied, MACA)


def test_undo_after_an_update(scaffold, workspace, templates):
    before = snapshot(workspace)
    for command in COMMANDS.values():
        assert scaffold(*command, "--template", templates).code == 0
    release(templates, "1.1.0", NEWER)
    assert scaffold("update", "--template", templates).code == 0
    for name in COMMANDS:
        done = scaffold("undo", name)
        assert done.code == 0, done.out
    assert snapshot(workspace) == before
