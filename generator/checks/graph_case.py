"""Small graph files for the cases of the graph rules."""

from __future__ import annotations

PATH = "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/camb_cudagraph.py"
MIXIN = "lmdeploy:lmdeploy/pytorch/models/utils/cudagraph.py"
PLAIN_MAKE = 'input_buffers["a"] = torch.zeros(max_batches, dtype=torch.int32, device=device)'
PLAIN_FILL = 'input_buffers["a"][:batch_size] = attn_metadata.a'
PLAIN_HAND = 'attn_metadata.a = input_buffers["a"][:new_batch_size]'
PLAIN_UPDATE = 'context.a = input_buffers["a"]'


def graph_file(make: str = PLAIN_MAKE, fill: str = f"{PLAIN_FILL}\n{PLAIN_HAND}", update: str = PLAIN_UPDATE) -> str:
    """The text of a vendor's graph file with one statement a line in each of the three methods."""
    return (
        "def make_buffers_cudagraph(self, graph_meta, *args, **kwargs):\n    max_batches = graph_meta.max_batchs\n"
        "    max_tokens = graph_meta.max_tokens\n    input_buffers = dict()\n"
        + _body(make)
        + "    return input_buffers\n\n\n"
        "def fill_buffers_cudagraph(self, graph_meta, input_ids, attn_metadata, **kwargs):\n"
        "    input_buffers = graph_meta.input_buffers\n"
        "    batch_size, num_blocks = attn_metadata.block_offsets.size()\n"
        "    num_tokens = input_ids.size(-1)\n    new_inputs = dict()\n" + _body(fill) + "    return new_inputs\n\n\n"
        "def update_context_cudagraph(self, graph_meta, context):\n    input_buffers = graph_meta.input_buffers\n"
        + _body(update)
    )


def _body(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())
