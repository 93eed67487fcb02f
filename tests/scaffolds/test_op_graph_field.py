"""`scaffold op --graph-field`: the buffers of an op that needs one, in the same plan."""

import json

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

OP = ("op", "rms_norm_gated", "--vendor", "camb", "--no-native-doc")
GRAPH = "dlinfer/dlinfer/framework/lmdeploy_ext/cudagraph"


def test_op_and_buffers_in_one_plan(scaffold, workspace):
    before = snapshot(workspace)
    lens = "lens owner=attn_metadata size=max_batches dtype=int32 fill=-1"
    fields = ("--graph-field", "state_ids", "--graph-field", lens)
    result = scaffold(*OP, *fields, "--json")
    assert result.code == 0, result.err
    plan, after = json.loads(result.out), snapshot(workspace)
    assert lost_lines(before, after) == []
    compiles(after)
    assert {s["layer"] for s in plan["steps"]} >= {"0", "1", "2", "3", "4", "C1"}
    assert set(plan["ids"]) == {"op-rms_norm_gated-camb", "graph-buffer-state_ids-camb", "graph-buffer-lens-camb"}
    text = after[f"{GRAPH}/camb_cudagraph.py"].decode()
    assert "context.state_offsets = " in text, "ported from the vendor that has it"
    assert 'input_buffers["lens"] = torch.full(' in text
    assert scaffold(*OP, *fields).code == 0 and snapshot(workspace) == after
    for name in ("rms_norm_gated", "state_ids", "lens"):
        assert scaffold("undo", name).code == 0
    assert snapshot(workspace) == before


def test_a_bare_name_that_nobody_has_is_said_to_be_inferred(scaffold):
    result = scaffold(*OP, "--graph-field", "new_lens", "--dry-run")
    assert result.code == 0 and "it is taken for owner=attn_metadata size=max_batches dtype=int32" in result.out


def test_refused_as_a_whole(scaffold, workspace):
    before = snapshot(workspace)
    for field in ("lens size", "lens colour=red", "lens owner=kwarg size=batch_size dtype=int32", "class"):
        result = scaffold(*OP, "--graph-field", field)
        assert result.code == 2, result.out
    assert snapshot(workspace) == before
