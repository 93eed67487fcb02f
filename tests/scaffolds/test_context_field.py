"""`scaffold context-field`: declared, computed the vendor's way, passed on."""

import json

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

BACKENDS = "lmdeploy/lmdeploy/pytorch/backends/dlinfer"
TYPES = "dlinfer/dlinfer/utils/type_annotation.py"
VENDORS = ("ascend", "camb", "maca")
VALUE = "step_context.kv_seqlens - step_context.q_seqlens"


def text_of(workspace, path):
    return (workspace / path).read_text()


@pytest.mark.parametrize("vendor", VENDORS)
def test_three_places_with_a_helper(scaffold, workspace, vendor):
    before = snapshot(workspace)
    result = scaffold("context-field", "new_lens", "--vendor", vendor, "--type", "Tensor", "--value", VALUE, "--json")
    assert result.code == 0, result.err
    plan = json.loads(result.out)
    after = snapshot(workspace)
    assert lost_lines(before, after) == []
    compiles(after)
    assert {s["layer"] for s in plan["steps"]} == {"B"} and plan["id"] == f"context-field-new_lens-{vendor}"
    assert "    new_lens: Tensor | None = None\n" in text_of(workspace, f"{BACKENDS}/attention.py")
    backend = text_of(workspace, f"{BACKENDS}/{vendor}/op_backend.py")
    helper = f"        def get_new_lens():\n            return {VALUE}\n"
    call = "        new_lens = get_new_lens()\n        attn_meta_cls = "
    assert backend.index("def get_total_slots") < backend.index(helper) < backend.index(call)
    assert backend.index(call) < backend.index("            new_lens=new_lens,\n")


def test_a_plain_value_is_passed_as_it_is(scaffold, workspace):
    given = ("--type", "int = -1", "--value", "block_size")
    result = scaffold("context-field", "longest", "--vendor", "camb", *given)
    assert result.code == 0 and "is a Python int: a captured graph keeps" in result.out
    backend = text_of(workspace, f"{BACKENDS}/camb/op_backend.py")
    assert "            longest=block_size,\n" in backend and "get_longest" not in backend
    assert "    longest: int = -1\n" in text_of(workspace, f"{BACKENDS}/attention.py")


def test_moe_metadata_is_declared_in_dlinfer(scaffold, workspace):
    before = snapshot(workspace)
    given = ("--metadata", "moe", "--type", "Tensor", "--value", "None")
    result = scaffold("context-field", "new_mask", "--vendor", "ascend", *given)
    assert result.code == 0, result.err
    assert lost_lines(before, snapshot(workspace)) == []
    assert "    new_mask: torch.Tensor = None\n" in text_of(workspace, TYPES)
    assert "new_mask=None,\n" in text_of(workspace, f"{BACKENDS}/ascend/op_backend.py")
    assert scaffold("undo", "new_mask").code == 0 and snapshot(workspace) == before


@pytest.mark.parametrize("vendor", ["camb", "maca"])
def test_vendors_that_set_no_moe_metadata(scaffold, workspace, vendor):
    given = ("--metadata", "moe", "--type", "int", "--value", "1")
    before = snapshot(workspace)
    result = scaffold("context-field", "new_count", "--vendor", vendor, *given)
    assert result.code == 2 and f"{vendor} sets no MoE metadata" in result.err and "op_backend.py:" in result.err
    assert snapshot(workspace) == before


def test_moe_metadata_that_nothing_builds_yet(scaffold, workspace):
    """Ascend's ops read it, so it is built; a second field joins it, and undo works in any order."""
    path = workspace / f"{BACKENDS}/ascend/op_backend.py"
    text = path.read_text()
    start, end = (
        text.index(f"        {s}") for s in ("moe_metadata = DlinferMoeMetadata(", "step_context.moe_metadata")
    )
    path.write_text(text[:start] + text[end:].replace("        step_context.moe_metadata = moe_metadata\n", "", 1))
    before = snapshot(workspace)
    given = ("--vendor", "ascend", "--metadata", "moe", "--type", "int")
    assert scaffold("context-field", "one", *given, "--value", "1").code == 0
    assert "moe_metadata = DlinferMoeMetadata(one=1)\n" in path.read_text()
    result = scaffold("context-field", "two", *given, "--value", "2")
    assert result.code == 0, result.err
    compiles(snapshot(workspace))
    assert "DlinferMoeMetadata(one=1, two=2)\n" in path.read_text()
    assert path.read_text().count("step_context.moe_metadata = moe_metadata\n") == 1
    for name in ("one", "two"):
        assert scaffold("undo", name).code == 0
    assert snapshot(workspace) == before


def test_the_step_context_itself(scaffold, workspace):
    given = ("--metadata", "step", "--type", "Tensor", "--value", VALUE)
    result = scaffold("context-field", "new_lens", "--vendor", "maca", *given)
    assert result.code == 0 and "declares no field" in result.out
    assert f"        step_context.new_lens = {VALUE}\n" in text_of(workspace, f"{BACKENDS}/maca/op_backend.py")


def test_fields_that_are_read_and_not_filled_are_offered(scaffold, workspace):
    path = workspace / f"{BACKENDS}/attention.py"
    path.write_text(path.read_text().replace("attn_metadata.block_size,", "attn_metadata.cu_seq_lens_kv,", 1))
    given = ("--vendor", "maca", "--type", "Tensor", "--value", "kv_seqlens")
    result = scaffold("context-field", *given)
    assert result.code == 2 and "cu_seq_lens_kv" in result.err
    result = scaffold("context-field", "cu_seq_lens_kv", *given)
    assert result.code == 0 and "is declared already" in result.out
    assert "            cu_seq_lens_kv=kv_seqlens,\n" in text_of(workspace, f"{BACKENDS}/maca/op_backend.py")


def test_vendors_share_the_declaration(scaffold, workspace):
    before = snapshot(workspace)
    for vendor in VENDORS:
        given = ("--type", "Optional[Tensor]", "--value", "step_context.q_seqlens + 1")
        assert scaffold("context-field", "new_lens", "--vendor", vendor, *given).code == 0
    assert text_of(workspace, f"{BACKENDS}/attention.py").count("new_lens: Tensor | None = None\n") == 1
    once = snapshot(workspace)
    again = scaffold("context-field", "new_lens", "--vendor", "camb", *given)
    assert again.code == 0 and snapshot(workspace) == once
    for vendor in ("camb", "ascend", "maca"):
        assert "new_lens: Tensor" in text_of(workspace, f"{BACKENDS}/attention.py")
        assert scaffold("undo", f"context-field-new_lens-{vendor}").code == 0
    assert snapshot(workspace) == before


def test_block_shapes_only_on_request(scaffold, workspace):
    given = ("--type", "Tensor", "--value", "q_seqlens")
    result = scaffold("context-field", "new_lens", "--vendor", "maca", *given, "--dry-run")
    assert "block shape" not in result.out
    result = scaffold("context-field", "new_lens", "--vendor", "maca", *given, "--kv-block-shape")
    assert result.code == 0 and "layout of the whole KV cache" in result.out
    backend = text_of(workspace, f"{BACKENDS}/maca/op_backend.py")
    assert "    @staticmethod\n    def get_k_block_shape(\n        block_size: int,\n" in backend
    assert "return DlinferOpsBackend.get_k_block_shape(block_size, num_heads, head_size, dtype)\n" in backend
    compiles(snapshot(workspace))
    result = scaffold("context-field", "new_lens", "--vendor", "camb", *given, "--kv-block-shape", "--json")
    names = {s["name"]: s["kind"] for s in json.loads(result.out)["steps"]}
    assert names["get_k_block_shape"] == "present"


def test_types_bring_their_imports(scaffold, workspace):
    given = ("--type", "Any", "--value", "step_context.model_config")
    assert scaffold("context-field", "odd", "--vendor", "camb", *given).code == 0
    attention = text_of(workspace, f"{BACKENDS}/attention.py")
    assert "from typing import Any\n" in attention and "    odd: Any | None = None\n" in attention


REFUSED = {
    "an unknown name": (("--type", "Tensor", "--value", "q_seqlns"), "did you mean `q_seqlens`"),
    "a name of some steps": (("--type", "Tensor", "--value", "last + 1"), "under a condition only"),
    "a name bound later": (("--type", "Tensor", "--value", "attn_metadata"), "bound only in line"),
    "an unknown type": (("--type", "Wonder", "--value", "q_seqlens"), "the type `Wonder` is not known"),
    "a default that is no constant": (("--type", "int = len(x)", "--value", "1"), "cannot be the default"),
    "no Python": (("--type", "int", "--value", "1 +"), "no Python expression"),
    "an assignment": (("--type", "int", "--value", "(x := 1)"), "more than compute"),
    "no value": (("--type", "int"), "--value"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused(scaffold, workspace, case):
    arguments, reason = case
    before = snapshot(workspace)
    result = scaffold("context-field", "new_thing", "--vendor", "maca", *arguments)
    assert result.code == 2 and reason in result.err, result.err
    assert snapshot(workspace) == before


def test_a_local_of_that_name(scaffold):
    given = ("--type", "Tensor", "--value", "step_context.q_seqlens + 1")
    result = scaffold("context-field", "block_size", "--vendor", "maca", *given)
    assert result.code == 2 and "is a local of MacaOpsBackend.update_step_context already" in result.err
