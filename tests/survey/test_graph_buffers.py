"""What a graph file says of its buffers."""

import pytest

from generator.survey.graph_buffers import graph_file_of, graph_path, read_graph_file
from generator.survey.reading import Reading
from generator.workspace.checkout import recognise

FILE = """\
import torch
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMeta, CudaGraphMixin


def XMixin_make_buffers_cudagraph(self, graph_meta, *args, **kwargs):
    max_batches = graph_meta.max_batchs
    max_tokens = graph_meta.max_tokens
    device = graph_meta.device
    options = dict(dtype=torch.int32, device=device)
    rows = (max_batches, 4)
    input_buffers = dict()
    input_buffers["a"] = torch.zeros(max_batches, dtype=torch.int32, device=device)
    input_buffers["b"] = -torch.ones((max_tokens,), dtype=torch.int64, device=device)
    input_buffers["c"] = torch.full((3, max_tokens), 7, dtype=torch.bool)
    input_buffers["d"] = torch.arange(1, max_batches + 1, **options)
    input_buffers["e"] = torch.triu(torch.ones(8, 8, dtype=torch.bool, device=device), diagonal=1)
    input_buffers["f"] = torch.empty(graph_meta.max_batchs, **options)
    input_buffers["g"] = torch.zeros(rows, **options)
    if graph_meta.is_ssm:
        states = torch.full((max_batches,), -1, **options)
        input_buffers["h"] = states
    return input_buffers


def XMixin_fill_buffers_cudagraph(self, graph_meta, input_ids, attn_metadata, **kwargs):
    input_buffers = graph_meta.input_buffers
    batch_size, num_blocks = attn_metadata.block_offsets.size()
    num_tokens = input_ids.size(-1)
    count = num_tokens
    input_buffers["a"].fill_(-1)
    input_buffers["a"][:batch_size] = attn_metadata.a
    input_buffers["b"][:count].copy_(attn_metadata.b)
    input_buffers["c"].zero_()
    if graph_meta.is_ssm:
        input_buffers["h"][: kwargs["h"].size(0)].copy_(kwargs["h"])
    new_batch_size = 4
    attn_metadata.a = input_buffers["a"][:new_batch_size]
    attn_metadata.block_offsets = input_buffers["block_offsets"][:new_batch_size]
    attn_metadata.e = [input_buffers["e"]]
    attn_metadata.max_kv_seq_len = -1
    new_inputs = dict(attn_metadata=attn_metadata)
    new_inputs["h"] = input_buffers["h"]
    return new_inputs


def XMixin_update_context_cudagraph(self, graph_meta, context):
    input_buffers = graph_meta.input_buffers
    context.a = input_buffers["a"]
    context.moe_metadata.b = input_buffers["b"]
    if graph_meta.is_ssm:
        context.state_offsets = input_buffers["h"]


class Runner:
    def meta(self):
        return CudaGraphMeta(max_batchs=1, is_ssm=True)
"""


@pytest.fixture(scope="module")
def graph():
    return graph_file_of(Reading("dlinfer", "dlinfer/x_cudagraph.py", FILE.encode()))


def test_the_three_methods(graph):
    assert {role: f.scope for role, f in graph.functions.items()} == {
        "make": "XMixin_make_buffers_cudagraph",
        "fill": "XMixin_fill_buffers_cudagraph",
        "update": "XMixin_update_context_cudagraph",
    }
    assert "new_batch_size" in graph.functions["fill"].bound and graph.functions["fill"].params[0] == "self"


@pytest.mark.parametrize(
    ("name", "size", "dimension", "dtype", "value"),
    [
        ("a", ("max_batches",), "batch", "int32", "0"),
        ("b", ("max_tokens",), "token", "int64", "-1"),
        ("c", ("3", "max_tokens"), "token", "bool", "7"),
        ("d", ("max_batches",), "batch", "int32", "arange"),
        ("e", ("8", "8"), "other", "bool", None),
        ("f", ("graph_meta.max_batchs",), "batch", "int32", "empty"),
        ("g", ("max_batches", "4"), "batch", "int32", "0"),
        ("h", ("max_batches",), "batch", "int32", "-1"),
    ],
)
def test_allocations(graph, name, size, dimension, dtype, value):
    (make,) = graph.buffers[name].makes
    assert (make.size, make.dimension, make.dtype, make.value) == (size, dimension, dtype, value)
    assert FILE.splitlines()[make.line - 1].strip().startswith(f'input_buffers["{name}"]')
    assert make.on_host == (name == "c")


def test_fills(graph):
    def fills(name):
        return [(f.kind, f.text, f.index, f.dimension) for f in graph.buffers[name].fills]

    assert fills("a") == [("pad", "-1", "", "other"), ("copy", "attn_metadata.a", ":batch_size", "batch")]
    assert fills("b") == [("copy", "attn_metadata.b", ":count", "token")], "a local bound once stands for its value"
    assert fills("c") == [("pad", "0", "", "other")]


def test_owners_and_conditions(graph):
    owners = {name: buffer.owner for name, buffer in graph.buffers.items() if buffer.owner}
    attn = dict.fromkeys(("a", "block_offsets", "e"), "attn_metadata")
    assert owners == {**attn, "b": "moe_metadata", "h": "kwarg"}
    assert graph.buffers["h"].condition == "graph_meta.is_ssm"
    (update,) = graph.buffers["h"].updates
    assert (update.owner, update.field, update.condition) == ("step_context", "state_offsets", "graph_meta.is_ssm")


def test_idiom_scalars_and_runners(graph):
    assert graph.batch_slice == "new_batch_size"
    assert [(s.target, s.text) for s in graph.scalars] == [("attn_metadata.max_kv_seq_len", "-1")]
    (call,) = graph.meta_calls
    assert (call.scope, call.keywords) == ("Runner.meta", ("max_batchs", "is_ssm"))


def test_no_file_and_no_python(pristine, tmp_path):
    checkout = recognise(pristine / "dlinfer")
    assert read_graph_file(checkout, graph_path("nobody")) is None
    assert graph_file_of(Reading("dlinfer", "x.py", b"def (:")).functions == {}


def test_the_sandbox_vendors_hand_out_in_their_own_way(pristine):
    checkout = recognise(pristine / "dlinfer")
    idioms = {v: read_graph_file(checkout, graph_path(v)).batch_slice for v in ("ascend", "camb", "maca")}
    assert idioms["ascend"] == "" and idioms["camb"] == idioms["maca"] == "new_batch_size"
