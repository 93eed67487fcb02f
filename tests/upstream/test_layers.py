"""The layers of released versions are read to be what they are."""

import ast

import pytest

from generator.spec.vendor import VENDORS
from generator.survey.dispatch import read_dispatcher, read_op_types
from generator.survey.impls import read_backend_classes
from generator.survey.nn_layer import read_nn
from generator.survey.ops_layer import read_ops
from generator.survey.picture import survey_op
from generator.survey.reading import read_all
from generator.survey.shadows import find_callers, find_shadows
from generator.survey.signature import signature_of
from generator.survey.vendor_layer import read_vendor_ops
from generator.survey.wrapper_layer import read_wrappers
from generator.workspace.checkout import Workspace

from .packages import ERAS, LMDEPLOY

PLAIN = {
    "moe_gating_topk_softmax",
    "fused_attention",
    "fill_contiguous_kvcache",
    "get_cache_len",
    "weight_quant_matmul",
    "fused_moe",
}
CUSTOM = {
    "add_rms_norm",
    "apply_rotary_pos_emb",
    "prefill_attention",
    "incre_flash_attention",
    "fill_kv_cache",
    "paged_decode_attention",
    "paged_prefill_attention",
    "rms_norm",
    "silu_and_mul",
    "linear",
    "dynamic_quant",
    "linear_w8a8",
    "rms_norm_w8a8",
    "add_rms_norm_w8a8",
    "transdata",
}
# op to the OpTypes that reach it, in lmdeploy since 0.7
REACHED = {
    "add_rms_norm": ["RMSNorm"],
    "add_rms_norm_w8a8": ["RMSNormW8A8"],
    "apply_rotary_pos_emb": ["ApplyRotaryEmb"],
    "dynamic_quant": ["LinearW8A8"],
    "fill_kv_cache": ["PagedAttention"],
    "fused_moe": ["FusedMoE"],
    "linear": ["Linear"],
    "linear_w8a8": ["LinearW8A8"],
    "moe_gating_topk_softmax": ["SoftmaxTopK"],
    "paged_decode_attention": ["PagedAttention"],
    "paged_prefill_attention": ["PagedAttention"],
    "prefill_attention": ["PagedAttention", "FlashAttention"],
    "rms_norm": ["RMSNorm"],
    "rms_norm_w8a8": ["RMSNormW8A8"],
    "silu_and_mul": ["SiluAndMul"],
    "weight_quant_matmul": ["LinearW4A16"],
}
# branches of the dlinfer and the default dispatcher, members of OpType
COUNTS = {"0.6.2.post1": (8, 10, 15), "0.7.3": (12, 10, 19), "0.10.2": (12, 10, 19), "0.17.0": (12, 15, 35)}
NOT_REACHED = {"incre_flash_attention", "fused_attention", "fill_contiguous_kvcache", "get_cache_len", "transdata"}


@pytest.fixture(scope="module")
def workspaces(lmdeploy_sources, dlinfer_sources):
    return {v: Workspace({"lmdeploy": lmdeploy_sources(v), "dlinfer": dlinfer_sources}) for v in ERAS}


def test_the_ops_of_layer_3(dlinfer_sources):
    ops = read_ops(dlinfer_sources)
    assert {name for name, op in ops.items() if op.form == "plain"} == PLAIN
    assert {name for name, op in ops.items() if op.form == "one"} == CUSTOM
    assert ops.unreadable == []
    for name, op in ops.items():
        assert {forward.callee for forward in op.forwards} == {name}
        assert op.in_all and op.docstring
        assert bool(op.shape_keys or op.abstract) == (name in CUSTOM)
        assert set(op.shape_keys) | set(op.default_value) <= set(op.signature.names)


def test_layer_4_has_ascend_and_no_ghosts(dlinfer_sources):
    ops = read_vendor_ops(dlinfer_sources, VENDORS["ascend"])
    assert set(ops) == PLAIN | CUSTOM
    assert [name for name, op in ops.items() if op.is_stub] == ["transdata"]
    assert {c.callee for c in ops["rms_norm"].native_calls} == {"torch.ops.npu.npu_rms_norm"}
    assert read_vendor_ops(dlinfer_sources, VENDORS["camb"]) == read_vendor_ops(dlinfer_sources, VENDORS["maca"]) == {}


@pytest.mark.parametrize("version", ERAS[1:])
@pytest.mark.parametrize("op", sorted(REACHED))
def test_from_the_op_up_to_its_op_types(workspaces, version, op):
    picture = survey_op(workspaces[version], op)
    assert list(picture.op_types) == REACHED[op]
    assert picture.unreadable == ()
    for op_type in picture.op_types.values():
        assert op_type.member and op_type.abstract_impl and op_type.abstract_builder and op_type.nn
        assert op_type.backends["dlinfer"].impls


@pytest.mark.parametrize("op", sorted(NOT_REACHED))
def test_ops_that_lmdeploy_does_not_use(workspaces, op):
    picture = survey_op(workspaces[ERAS[-1]], op)
    assert (picture.wrappers, picture.op_types) == ((), {})


def test_attention_before_it_was_paged(workspaces):
    for op in ("prefill_attention", "paged_decode_attention", "fill_kv_cache"):
        assert list(survey_op(workspaces[ERAS[0]], op).op_types) == ["Attention"]


@pytest.mark.parametrize("version", ERAS)
def test_dispatchers_and_members(lmdeploy_sources, version):
    checkout = lmdeploy_sources(version)
    dispatchers = {b: read_dispatcher(checkout, b) for b in ("dlinfer", "default", "cuda")}
    members = read_op_types(checkout)
    assert (len(dispatchers["dlinfer"]), len(dispatchers["default"]), len(members)) == COUNTS[version]
    for backend, branches in dispatchers.items():
        assert set(branches) <= set(members)
        for branch in branches.values():
            assert branch.file and branch.builder, (backend, branch)


@pytest.mark.parametrize("version", LMDEPLOY)
def test_nothing_is_unreadable(lmdeploy_sources, version):
    checkout = lmdeploy_sources(version)
    layers = [read_wrappers(checkout), read_nn(checkout)]
    layers += [read_backend_classes(checkout, sub) for sub in ("", "dlinfer", "default", "cuda")]
    assert [record for layer in layers for record in layer.unreadable] == []
    assert all(layers)


@pytest.mark.parametrize("version", [ERAS[0], ERAS[-1]])
def test_every_signature_reads_back_to_itself(lmdeploy_sources, version):
    count = 0
    for reading in read_all(lmdeploy_sources(version), "lmdeploy/pytorch"):
        for node in ast.walk(reading.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                again = ast.parse(f"def f{signature_of(node, reading.text)}: ...").body[0]
                assert ast.dump(again.args) == ast.dump(node.args), (reading.path, node.lineno)
                count += 1
    assert count > 1000


def test_what_shadows_rms_norm_gated(workspaces):
    workspace = workspaces[ERAS[-1]]
    found = {(m.kind, m.path, m.line) for m in find_shadows(workspace, "rms_norm_gated")}
    assert ("definition", "lmdeploy/pytorch/nn/gated_delta.py", 19) in found
    callers = find_callers(workspace, ["build_rmsnorm_gated"])
    assert [m.path.rpartition("/")[2] for m in callers] == ["qwen3_5.py", "qwen3_next.py"]
