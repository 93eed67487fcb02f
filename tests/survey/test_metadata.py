"""Fields of a step's metadata: declared, computed, passed on, read."""

import pytest

from generator.survey.metadata import (
    BACKENDS,
    MetaField,
    attention_fields,
    context_name,
    field_reads,
    field_stores,
    graph_meta_fields,
    moe_fields,
    step_context_fields,
)
from generator.survey.step_update import block_shape_signature, read_step_update
from generator.workspace.checkout import recognise


@pytest.fixture(scope="module")
def lmdeploy(pristine):
    return recognise(pristine / "lmdeploy")


@pytest.fixture(scope="module")
def dlinfer(pristine):
    return recognise(pristine / "dlinfer")


def test_attention_fields_come_with_those_of_the_base(lmdeploy):
    fields = attention_fields(lmdeploy)
    assert list(fields)[0] == "is_decoding", "positional arguments go to the base class's fields first"
    assert fields["q_start_loc"].cls == "AttentionMetadata"
    assert fields["kv_start_indices"].cls == "DlinferAttentionMetadata"
    assert fields["block_size"].is_python and not fields["kv_start_indices"].is_python
    assert fields["attention_mask"].is_sequence


@pytest.mark.parametrize(
    ("annotation", "is_python"),
    [
        ("int", True),
        ("bool | None", True),
        ("Optional[bool]", True),
        ("dict", True),
        ("Tensor", False),
        ("Tensor | None", False),
        ("torch.Tensor", False),
        ("QuantPolicy", False),
        ("Dict[str, int]", True),
    ],
)
def test_python_values(annotation, is_python):
    assert MetaField("x", annotation, None, "C", "p.py", 1).is_python == is_python


def test_other_classes(lmdeploy, dlinfer):
    assert "x_active_mask" in moe_fields(dlinfer)
    assert "state_offsets" in step_context_fields(lmdeploy)
    assert {"max_batchs", "is_ssm", "use_mrope"} <= set(graph_meta_fields(lmdeploy))


def test_where_models_take_a_forward_argument_from(lmdeploy):
    assert context_name(lmdeploy, "state_ids") == "state_offsets"
    assert context_name(lmdeploy, "nothing_of_that_name") is None


def test_reads_and_stores(lmdeploy):
    folder = f"{BACKENDS}/dlinfer"
    reads = {r.field for r in field_reads(lmdeploy, "attn_metadata", folder)}
    assert {"kv_start_indices", "block_offsets"} <= reads
    assert "expert_ids_per_ep_rank" not in field_stores(lmdeploy, "attn_metadata", folder)


@pytest.mark.parametrize("vendor", ["ascend", "camb", "maca"])
def test_update_step_context(lmdeploy, vendor):
    step = read_step_update(lmdeploy, vendor)
    assert step.scope == f"{vendor.capitalize()}OpsBackend.update_step_context"
    assert step.helpers and step.attn.callee == "attn_meta_cls"
    assert step.attn.opening.startswith("attn_meta_cls = ")
    assert step.attn.keywords["kv_start_indices"] == "kv_start_indices"
    assert len(step.attn.args) == 2
    assert (step.moe is not None) == (vendor == "ascend")
    assert "step_context" in step.sure and step.bound["attn_meta_cls"] <= step.attn.line
    assert "update_step_context" not in step.bound


def test_names_under_a_condition_are_not_sure(lmdeploy):
    step = read_step_update(lmdeploy, "maca")
    assert "last" in step.bound and "last" not in step.sure
    assert "max_q_seq_len" in step.sure, "both branches bind it"


def test_block_shapes(lmdeploy):
    assert read_step_update(lmdeploy, "camb").shapes
    assert block_shape_signature(lmdeploy, "get_k_block_shape").names[0] == "block_size"
    assert read_step_update(lmdeploy, "nobody") is None
