# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch
from torch import Tensor

from typing import Any, Dict, List

from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMeta
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMixin, next_power_of_2

BuffType = Dict[str, Tensor]


def CambCudaGraphMixin_make_buffers_cudagraph(
    self, graph_meta: CudaGraphMeta, *args, **kwargs
) -> BuffType:
    """Make the buffers of a graph."""
    max_batches, max_tokens = graph_meta.max_batchs, graph_meta.max_tokens
    device = graph_meta.device
    int32 = dict(dtype=torch.int32, device=device)

    input_buffers: BuffType = dict()
    input_buffers["input_ids"] = torch.zeros((1, max_tokens), **int32)
    input_buffers["position_ids"] = torch.ones((1, max_tokens), **int32)
    blocks = (max_batches, graph_meta.num_blocks)
    input_buffers["block_offsets"] = torch.zeros(blocks, **int32)
    input_buffers["q_seqlens"] = torch.ones(max_batches, **int32)
    input_buffers["kv_seqlens"] = torch.ones(max_batches, **int32)

    # running sums, one entry more than the batch
    input_buffers["q_start_loc"] = torch.arange(max_batches + 1, **int32)
    # a negative slot is written nowhere
    input_buffers["kv_start_indices"] = torch.full((max_batches,), -1, **int32)

    return input_buffers


def CambCudaGraphMixin_fill_buffers_cudagraph(
    self,
    graph_meta: CudaGraphMeta,
    input_ids: Tensor,
    position_ids: Tensor,
    past_key_values: List,
    attn_metadata: Any,
    inputs_embeds: Tensor,
    **kwargs,
) -> Dict[str, Tensor]:
    """Copy the inputs of a step into the buffers; the model gets slices of them."""
    input_buffers: BuffType = graph_meta.input_buffers
    batch_size, num_blocks = attn_metadata.block_offsets.shape
    num_tokens = input_ids.numel()
    new_batch_size = min(next_power_of_2(batch_size), graph_meta.max_batchs)

    input_buffers["input_ids"][0, :num_tokens] = input_ids.flatten()
    input_buffers["position_ids"][0, :num_tokens] = position_ids.flatten()
    blocks = attn_metadata.block_offsets
    input_buffers["block_offsets"][:batch_size, :num_blocks] = blocks
    attn_metadata.block_offsets = input_buffers["block_offsets"][:new_batch_size]
    input_buffers["q_start_loc"][: batch_size + 1] = attn_metadata.q_start_loc
    attn_metadata.q_start_loc = input_buffers["q_start_loc"][: new_batch_size + 1]
    input_buffers["q_seqlens"][:batch_size] = attn_metadata.q_seqlens
    attn_metadata.q_seqlens = input_buffers["q_seqlens"][:new_batch_size]
    input_buffers["kv_seqlens"][:batch_size] = attn_metadata.kv_seqlens
    attn_metadata.kv_seqlens = input_buffers["kv_seqlens"][:new_batch_size]
    input_buffers["kv_start_indices"][:batch_size] = attn_metadata.kv_start_indices
    attn_metadata.kv_start_indices = input_buffers["kv_start_indices"][:new_batch_size]

    # an int would be frozen by the capture; the kernel finds the maximum itself
    attn_metadata.max_q_seq_len = attn_metadata.max_kv_seq_len = -1

    new_inputs = dict(past_key_values=past_key_values, attn_metadata=attn_metadata)
    new_inputs["input_ids"] = input_buffers["input_ids"][:, :new_batch_size]
    new_inputs["position_ids"] = input_buffers["position_ids"][:, :new_batch_size]
    new_inputs.update(kwargs)

    return new_inputs


def CambCudaGraphMixin_update_context_cudagraph(self, graph_meta, context):
    """Let the step context refer to the buffers."""
    input_buffers = graph_meta.input_buffers
    context.q_start_loc = input_buffers["q_start_loc"]
    context.q_seqlens = input_buffers["q_seqlens"]
    context.kv_seqlens = input_buffers["kv_seqlens"]
    context.block_offsets = input_buffers["block_offsets"]
    context.kv_start_indices = input_buffers["kv_start_indices"]


CudaGraphMixin.make_buffers_cudagraph = CambCudaGraphMixin_make_buffers_cudagraph
CudaGraphMixin.fill_buffers_cudagraph = CambCudaGraphMixin_fill_buffers_cudagraph
CudaGraphMixin.update_context_cudagraph = CambCudaGraphMixin_update_context_cudagraph
