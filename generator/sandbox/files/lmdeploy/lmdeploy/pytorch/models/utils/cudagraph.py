# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lmdeploy.pytorch.model_inputs import StepContext, get_step_ctx_manager

BuffType = dict[str, Tensor]


def next_power_of_2(n: int):
    """Smallest power of two that is at least n."""
    return 1 << max(n - 1, 0).bit_length()


@dataclass
class CudaGraphMeta:
    """What the buffers of a graph are made from."""
    max_batchs: int
    max_tokens: int
    num_blocks: int
    is_decoding: int
    device: torch.device
    input_buffers: BuffType = None
    output_buffers: BuffType = None
    vocab_size: int = 1
    is_ssm: bool = False
    use_mrope: bool = False


class CudaGraphMixin:
    """Buffers that a captured graph reads from."""

    def support_cuda_graph(self, input_ids: Tensor, position_ids: Tensor, past_key_values: list, **kwargs):
        """True if this step may run in a graph."""
        return get_step_ctx_manager().current_context().global_is_decoding()

    def make_buffers_cudagraph(self, graph_meta: CudaGraphMeta, *args, **kwargs) -> BuffType:
        """Make the buffers of a graph."""
        max_batches, max_tokens = graph_meta.max_batchs, graph_meta.max_tokens
        device = graph_meta.device
        int32 = dict(dtype=torch.int32, device=device)
        int64 = dict(dtype=torch.int64, device=device)

        input_buffers: BuffType = dict()
        input_buffers['input_ids'] = torch.zeros(1, max_tokens, **int64)
        input_buffers['position_ids'] = torch.zeros(1, max_tokens, **int64)
        input_buffers['block_offsets'] = torch.zeros(max_batches, graph_meta.num_blocks, **int32)
        input_buffers['q_start_loc'] = torch.zeros(max_batches, **int32)
        input_buffers['q_seqlens'] = torch.ones(max_batches, **int32)
        input_buffers['kv_seqlens'] = torch.ones(max_batches, **int32)

        # positions in three axes
        if graph_meta.use_mrope:
            input_buffers['mrope_position_ids'] = torch.zeros(3, max_tokens, **int64)

        # recurrent states
        if graph_meta.is_ssm:
            input_buffers['state_ids'] = torch.full((max_batches, ), -1, **int64)

        return input_buffers

    def fill_buffers_cudagraph(self, graph_meta: CudaGraphMeta, input_ids: Tensor, position_ids: Tensor,
                               past_key_values: list, attn_metadata: Any, inputs_embeds: Tensor,
                               **kwargs) -> dict[str, Tensor]:
        """Copy the inputs of a step into the buffers."""
        input_buffers: BuffType = graph_meta.input_buffers
        batch_size, num_blocks = attn_metadata.block_offsets.shape
        num_tokens = input_ids.numel()

        input_buffers['input_ids'][0, :num_tokens] = input_ids.flatten()
        input_buffers['position_ids'][0, :num_tokens] = position_ids.flatten()
        # the first block is for padding
        input_buffers['block_offsets'].zero_()
        input_buffers['block_offsets'][:batch_size, :num_blocks] = attn_metadata.block_offsets
        attn_metadata.block_offsets = input_buffers['block_offsets']
        input_buffers['q_start_loc'][:batch_size] = attn_metadata.q_start_loc
        attn_metadata.q_start_loc = input_buffers['q_start_loc']
        input_buffers['q_seqlens'][:batch_size] = attn_metadata.q_seqlens
        attn_metadata.q_seqlens = input_buffers['q_seqlens']
        input_buffers['kv_seqlens'][:batch_size] = attn_metadata.kv_seqlens
        attn_metadata.kv_seqlens = input_buffers['kv_seqlens']

        new_inputs = dict(past_key_values=past_key_values, attn_metadata=attn_metadata)
        new_inputs.update(kwargs)
        new_inputs['input_ids'] = input_buffers['input_ids']
        new_inputs['position_ids'] = input_buffers['position_ids']

        # positions in three axes
        if graph_meta.use_mrope:
            input_buffers['mrope_position_ids'][:, :num_tokens] = kwargs['mrope_position_ids']
            new_inputs['mrope_position_ids'] = input_buffers['mrope_position_ids']

        # recurrent states
        if graph_meta.is_ssm:
            input_buffers['state_ids'].fill_(-1)
            input_buffers['state_ids'][:batch_size] = kwargs['state_ids']
            new_inputs['state_ids'] = input_buffers['state_ids']

        return new_inputs

    def update_context_cudagraph(self, graph_meta: CudaGraphMeta, context: StepContext):
        """Let the step context refer to the buffers."""
        input_buffers = graph_meta.input_buffers
        context.q_start_loc = input_buffers['q_start_loc']
        context.q_seqlens = input_buffers['q_seqlens']
        context.kv_seqlens = input_buffers['kv_seqlens']
        context.block_offsets = input_buffers['block_offsets']

        if graph_meta.is_ssm:
            context.state_offsets = input_buffers['state_ids']

        if graph_meta.use_mrope:
            context.mrope_position_ids = input_buffers['mrope_position_ids']
