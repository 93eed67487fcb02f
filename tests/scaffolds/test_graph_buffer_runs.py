"""Generated graph files are executed: make, fill for a large and a small step, update."""

import pytest

from .graph_runtime import MAX_BATCHES, Graph
from .tensor_stand_in import Tensor, tensor, torch_module

VENDORS = ("ascend", "camb", "maca")
FOLDER = "dlinfer/dlinfer/framework/lmdeploy_ext/cudagraph"
LARGE, SMALL = 6, 3


def graph_of(workspace, vendor, **options):
    return Graph(workspace / FOLDER / f"{vendor}_cudagraph.py", torch_module(), **options)


def handed(graph, owner, field, batch, values):
    """What the model gets of a field after one step, and what the context refers to."""
    place = {"attn_metadata": "attn", "moe_metadata": "moe", "step_context": "context", "kwarg": "kwargs"}[owner]
    inputs, attn, context = graph.step(batch, **{place: {field: values}})
    by_owner = {
        "attn_metadata": lambda: getattr(attn, field),
        "moe_metadata": lambda: getattr(context.moe_metadata, field),
        "step_context": lambda: getattr(context, field),
        "kwarg": lambda: inputs[field],
    }
    return by_owner[owner](), context


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("owner", ["attn_metadata", "moe_metadata", "step_context", "kwarg"])
@pytest.mark.parametrize("fill", ["-1", "7"])
def test_padding_holds_the_fill_value_and_shapes_stay(scaffold, workspace, vendor, owner, fill):
    given = ("--owner", owner, "--size", "max_batches", "--dtype", "int32", "--fill", fill)
    result = scaffold("graph-buffer", "new_lens", "--vendor", vendor, *given)
    assert result.code == 0, result.err
    graph = graph_of(workspace, vendor)
    buffer = graph.meta.input_buffers["new_lens"]
    assert buffer.tolist() == [int(fill)] * MAX_BATCHES
    seen = []
    for batch in (LARGE, SMALL, LARGE, 1):
        values = tensor([10 + i for i in range(batch)])
        got, _ = handed(graph, owner, "new_lens", batch, values)
        assert buffer.tolist() == values.tolist() + [int(fill)] * (MAX_BATCHES - batch)
        assert got.data_ptr() == buffer.data_ptr()
        seen.append((batch, got.shape))
    assert graph.meta.input_buffers["new_lens"] is buffer
    whole = {shape for _, shape in seen} == {(MAX_BATCHES,)}
    if vendor == "ascend" or owner in ("step_context", "moe_metadata"):
        assert whole
    else:
        assert [shape for _, shape in seen] == [(8,), (4,), (8,), (1,)]


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_step_without_the_field_leaves_no_stale_values(scaffold, workspace, vendor):
    given = ("--owner", "attn_metadata", "--size", "max_batches", "--dtype", "int32", "--fill", "5")
    assert scaffold("graph-buffer", "new_lens", "--vendor", vendor, *given).code == 0
    graph = graph_of(workspace, vendor)
    handed(graph, "attn_metadata", "new_lens", LARGE, tensor(list(range(LARGE))))
    got, _ = handed(graph, "attn_metadata", "new_lens", SMALL, None)
    assert graph.meta.input_buffers["new_lens"].tolist() == [5] * MAX_BATCHES
    assert isinstance(got, Tensor)


@pytest.mark.parametrize("vendor", ("camb", "maca"))
def test_ported_positions_in_three_axes(scaffold, workspace, vendor):
    assert scaffold("graph-buffer", "mrope_position_ids", "--vendor", vendor, "--like", "ascend").code == 0
    graph = graph_of(workspace, vendor)
    buffer = graph.meta.input_buffers["mrope_position_ids"]
    assert buffer.shape == (3, MAX_BATCHES)
    for batch in (LARGE, SMALL):
        values = tensor([[10 * axis + i for i in range(batch)] for axis in range(3)])
        got, context = handed(graph, "kwarg", "mrope_position_ids", batch, values)
        assert buffer.tolist() == [row + [0] * (MAX_BATCHES - batch) for row in values.tolist()]
        assert got.data_ptr() == buffer.data_ptr()
        assert got.shape == (3, {LARGE: 8, SMALL: 4}[batch])
        assert context.mrope_position_ids is buffer


@pytest.mark.parametrize("vendor", ("camb", "maca"))
def test_ported_state_ids_reach_the_context_by_its_own_name(scaffold, workspace, vendor):
    assert scaffold("graph-buffer", "state_ids", "--vendor", vendor, "--like", "ascend").code == 0
    graph = graph_of(workspace, vendor)
    _, context = handed(graph, "kwarg", "state_ids", SMALL, tensor([4, 5, 6]))
    assert context.state_offsets.tolist() == [4, 5, 6] + [-1] * (MAX_BATCHES - SMALL)
    assert "state_ids" not in graph_of(workspace, vendor, is_ssm=False).meta.input_buffers


@pytest.mark.parametrize("vendor", VENDORS)
def test_cumulative_lengths_have_one_entry_more(scaffold, workspace, vendor):
    given = ("--owner", "attn_metadata", "--size", "max_batches", "--dtype", "int32", "--fill", "last")
    result = scaffold("graph-buffer", "cu_seqlens_x", "--vendor", vendor, *given)
    assert result.code == 0 and "max_batches + 1" in result.out
    graph = graph_of(workspace, vendor)
    handed(graph, "attn_metadata", "cu_seqlens_x", LARGE, tensor([2 * i for i in range(LARGE + 1)]))
    got, _ = handed(graph, "attn_metadata", "cu_seqlens_x", SMALL, tensor([0, 3, 4, 9]))
    assert graph.meta.input_buffers["cu_seqlens_x"].tolist() == [0, 3, 4, 9, 9, 9, 9, 9, 9]
    assert got.shape == ((9,) if vendor == "ascend" else (5,))


def test_speculative_tokens_fit_a_buffer_by_token(scaffold, workspace):
    given = ("--owner", "kwarg", "--size", "3, max_tokens", "--dtype", "int64")
    assert scaffold("graph-buffer", "extra_ids", "--vendor", "ascend", *given).code == 0
    graph = graph_of(workspace, "ascend", max_tokens=4 * MAX_BATCHES)
    buffer = graph.meta.input_buffers["extra_ids"]
    values = tensor([[i] * 16 for i in (1, 2, 3)])
    graph.step(4, tokens=16, kwargs={"extra_ids": values})
    assert buffer.shape == (3, 32)
    assert buffer.tolist() == [[i] * 16 + [0] * 16 for i in (1, 2, 3)]


def test_the_same_step_filled_twice_keeps_its_values(scaffold, workspace):
    """Ascend's runner fills once to capture and once to replay, with metadata that refers to the buffer by then."""
    given = ("--owner", "attn_metadata", "--size", "max_batches", "--dtype", "int32", "--fill", "-1")
    assert scaffold("graph-buffer", "new_lens", "--vendor", "ascend", *given).code == 0
    graph = graph_of(workspace, "ascend")
    got, _ = handed(graph, "attn_metadata", "new_lens", SMALL, tensor([7, 8, 9]))
    again, _ = handed(graph, "attn_metadata", "new_lens", SMALL, got)
    assert again.tolist() == [7, 8, 9] + [-1] * (MAX_BATCHES - SMALL)
