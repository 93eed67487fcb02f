# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch
from torch import Tensor

from typing import Any, Dict, List

from lmdeploy.pytorch.backends.graph_runner import GraphRunner
from lmdeploy.pytorch.model_inputs import get_step_ctx_manager
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMeta
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMixin, next_power_of_2

BuffType = Dict[str, Tensor]


def AscendCudaGraphMixin_support_cuda_graph(
    self, input_ids: Tensor, position_ids: Tensor, past_key_values: List, **kwargs
):
    """True if all ranks decode."""
    return get_step_ctx_manager().current_context().global_is_decoding()


def AscendCudaGraphMixin_make_buffers_cudagraph(
    self, graph_meta: CudaGraphMeta, *args, **kwargs
) -> BuffType:
    """Make the buffers of a graph."""
    max_batches, max_tokens = graph_meta.max_batchs, graph_meta.max_tokens
    device = graph_meta.device
    int32 = dict(dtype=torch.int32, device=device)

    input_buffers: BuffType = dict()
    input_buffers["input_ids"] = torch.zeros((1, max_tokens), **int32)
    input_buffers["position_ids"] = torch.zeros((1, max_tokens), **int32)
    blocks = (max_batches, graph_meta.num_blocks)
    input_buffers["block_offsets"] = torch.zeros(blocks, **int32)
    input_buffers["q_start_loc"] = torch.arange(max_batches + 1, **int32)
    input_buffers["kv_start_indices"] = torch.full((max_tokens,), -1, **int32)
    input_buffers["x_active_mask"] = torch.zeros(
        (max_tokens,), dtype=torch.bool, device=device
    )

    # lengths stay on the host
    input_buffers["q_seqlens"] = torch.arange(1, max_batches + 1, dtype=torch.int32)
    input_buffers["kv_seqlens"] = torch.ones(max_batches, dtype=torch.int32)

    # recurrent states
    if graph_meta.is_ssm:
        input_buffers["state_ids"] = torch.full(
            (max_batches,), -1, dtype=torch.int64, device=device
        )

    # positions in three axes
    if graph_meta.use_mrope:
        input_buffers["mrope_position_ids"] = torch.zeros(
            (3, max_tokens), dtype=torch.int64, device=device
        )

    return input_buffers


def AscendCudaGraphMixin_fill_buffers_cudagraph(
    self,
    graph_meta: CudaGraphMeta,
    input_ids: Tensor,
    position_ids: Tensor,
    past_key_values: List,
    attn_metadata: Any,
    inputs_embeds: Tensor,
    **kwargs,
) -> Dict[str, Tensor]:
    """Copy the inputs of a step into the buffers; the model gets whole buffers."""
    input_buffers: BuffType = graph_meta.input_buffers
    moe_metadata = get_step_ctx_manager().current_context().moe_metadata
    batch_size, num_tokens = attn_metadata.kv_seqlens.numel(), input_ids.numel()

    # first the padding, then what is real
    input_buffers["input_ids"].random_(0, graph_meta.vocab_size)
    input_buffers["input_ids"][0, :num_tokens] = input_ids.flatten()
    input_buffers["position_ids"].zero_()
    input_buffers["position_ids"][0, :num_tokens] = position_ids.flatten()
    num_blocks = attn_metadata.block_offsets.shape[1]
    input_buffers["block_offsets"].zero_()
    input_buffers["block_offsets"][
        :batch_size, :num_blocks
    ] = attn_metadata.block_offsets
    attn_metadata.block_offsets = input_buffers["block_offsets"]
    input_buffers["kv_seqlens"].zero_()
    input_buffers["kv_seqlens"][:batch_size] = attn_metadata.kv_seqlens
    attn_metadata.kv_seqlens = input_buffers["kv_seqlens"]
    input_buffers["kv_start_indices"].fill_(-1)
    input_buffers["kv_start_indices"][:num_tokens] = attn_metadata.kv_start_indices
    attn_metadata.kv_start_indices = input_buffers["kv_start_indices"]
    attn_metadata.q_seqlens = input_buffers["q_seqlens"]
    attn_metadata.q_start_loc = input_buffers["q_start_loc"]

    if moe_metadata.x_active_mask is not None:
        input_buffers["x_active_mask"].zero_()
        input_buffers["x_active_mask"][:num_tokens] = moe_metadata.x_active_mask
    moe_metadata.x_active_mask = input_buffers["x_active_mask"]

    new_inputs = dict(past_key_values=past_key_values, attn_metadata=attn_metadata)
    new_inputs["moe_metadata"] = moe_metadata
    new_inputs["input_ids"] = input_buffers["input_ids"]
    new_inputs["position_ids"] = input_buffers["position_ids"]
    new_inputs.update(kwargs)

    # recurrent states
    if graph_meta.is_ssm:
        input_buffers["state_ids"].fill_(-1)
        input_buffers["state_ids"][:batch_size] = kwargs["state_ids"]
        new_inputs["state_ids"] = input_buffers["state_ids"]

    # positions in three axes
    if graph_meta.use_mrope:
        positions = kwargs["mrope_position_ids"]
        input_buffers["mrope_position_ids"].zero_()
        input_buffers["mrope_position_ids"][:, :num_tokens] = positions
        new_inputs["mrope_position_ids"] = input_buffers["mrope_position_ids"]

    return new_inputs


def AscendCudaGraphMixin_update_context_cudagraph(self, graph_meta, context):
    """Let the step context refer to the buffers."""
    input_buffers = graph_meta.input_buffers
    context.q_start_loc = input_buffers["q_start_loc"]
    context.kv_seqlens = input_buffers["kv_seqlens"]
    context.block_offsets = input_buffers["block_offsets"]
    context.kv_start_indices = input_buffers["kv_start_indices"]
    context.moe_metadata.x_active_mask = input_buffers["x_active_mask"]

    if graph_meta.use_mrope:
        context.mrope_position_ids = input_buffers["mrope_position_ids"]

    if graph_meta.is_ssm:
        context.state_offsets = input_buffers["state_ids"]


CudaGraphMixin.support_cuda_graph = AscendCudaGraphMixin_support_cuda_graph
CudaGraphMixin.make_buffers_cudagraph = AscendCudaGraphMixin_make_buffers_cudagraph
CudaGraphMixin.fill_buffers_cudagraph = AscendCudaGraphMixin_fill_buffers_cudagraph
CudaGraphMixin.update_context_cudagraph = AscendCudaGraphMixin_update_context_cudagraph


class AscendGraphRunner(GraphRunner):
    """Replays one graph for each size of batch."""

    capturing = False

    def make_meta(self, batch_size: int, num_blocks: int) -> CudaGraphMeta:
        """What the buffers of a graph are made from."""
        size = min(next_power_of_2(batch_size), self.cache_config.max_batches)
        return CudaGraphMeta(
            max_batchs=size,
            max_tokens=size,
            num_blocks=num_blocks,
            is_decoding=True,
            device=self.device,
            input_buffers=dict(),
            vocab_size=self.model_config.vocab_size,
            is_ssm=len(self.model_config.states_shapes) > 0,
            use_mrope=self.model_config.use_mrope,
        )
