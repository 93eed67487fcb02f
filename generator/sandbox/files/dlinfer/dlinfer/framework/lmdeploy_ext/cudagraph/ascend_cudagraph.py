# Sandbox counterpart written for scaffold, in the form of dlinfer.
from typing import Any, Dict, List

import torch
from torch import Tensor

from lmdeploy.pytorch.backends.graph_runner import GraphRunner
from lmdeploy.pytorch.model_inputs import get_step_ctx_manager
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMeta
from lmdeploy.pytorch.models.utils.cudagraph import CudaGraphMixin, next_power_of_2

BuffType = Dict[str, Tensor]


def AscendCudaGraphMixin_support_cuda_graph(
    self,
    input_ids: Tensor,
    position_ids: Tensor,
    past_key_values: List[List[Tensor]],
    attn_metadata: Any = None,
    **kwargs,
):
    """True if all ranks decode."""
    context = get_step_ctx_manager().current_context()
    return attn_metadata is not None and context.global_is_decoding()


def AscendCudaGraphMixin_make_buffers_cudagraph(
    self, graph_meta: CudaGraphMeta, *args, **kwargs
) -> BuffType:
    """Make the buffers of a graph."""
    max_batches = graph_meta.max_batchs
    max_tokens = graph_meta.max_tokens
    num_blocks = graph_meta.num_blocks
    device = graph_meta.device

    input_buffers: BuffType = dict()
    input_buffers["input_ids"] = torch.zeros(
        (1, max_tokens), dtype=torch.int32, device=device
    )
    input_buffers["position_ids"] = torch.zeros(
        (1, max_tokens), dtype=torch.int32, device=device
    )
    input_buffers["block_offsets"] = torch.zeros(
        (max_batches, num_blocks), dtype=torch.int32, device=device
    )

    # lengths stay on the host
    input_buffers["q_seqlens"] = torch.arange(1, max_batches + 1, dtype=torch.int32)
    input_buffers["kv_seqlens"] = torch.ones(max_batches, dtype=torch.int32)

    input_buffers["q_start_loc"] = torch.arange(
        max_batches + 1, dtype=torch.int32, device=device
    )
    input_buffers["kv_start_indices"] = -torch.ones(
        (max_tokens), dtype=torch.int32, device=device
    )
    input_buffers["x_active_mask"] = torch.zeros(
        (max_tokens), dtype=torch.bool, device=device
    )

    # ssm
    if graph_meta.is_ssm:
        input_buffers["state_ids"] = torch.full(
            (max_batches,), -1, dtype=torch.int64, device=device
        )

    # mrope
    if graph_meta.use_mrope:
        input_buffers["mrope_position_ids"] = torch.zeros(
            3, max_tokens, dtype=torch.int64, device=device
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
    moe_metadata = get_step_ctx_manager().current_context().moe_metadata
    x_active_mask: Tensor = moe_metadata.x_active_mask
    block_offsets: Tensor = attn_metadata.block_offsets
    kv_seqlens: Tensor = attn_metadata.kv_seqlens
    kv_start_indices: Tensor = attn_metadata.kv_start_indices
    input_buffers: BuffType = graph_meta.input_buffers

    batch_size, num_blocks = block_offsets.size()
    num_tokens = input_ids.size(-1)

    # padding first, then what is real
    input_buffers["input_ids"].random_(0, graph_meta.vocab_size)
    input_buffers["input_ids"][:, :num_tokens] = input_ids
    input_buffers["position_ids"].zero_()
    input_buffers["position_ids"][:, :num_tokens] = position_ids
    input_buffers["block_offsets"].zero_()
    input_buffers["block_offsets"][:batch_size, :num_blocks] = block_offsets
    input_buffers["kv_seqlens"].fill_(0)
    input_buffers["kv_seqlens"][:batch_size] = kv_seqlens
    input_buffers["kv_start_indices"].fill_(-1)
    input_buffers["kv_start_indices"][: kv_start_indices.size(0)] = kv_start_indices
    if x_active_mask is not None:
        input_buffers["x_active_mask"].fill_(0)
        input_buffers["x_active_mask"][: x_active_mask.size(0)] = x_active_mask

    attn_metadata.block_offsets = input_buffers["block_offsets"]
    attn_metadata.kv_seqlens = input_buffers["kv_seqlens"]
    attn_metadata.kv_start_indices = input_buffers["kv_start_indices"]
    moe_metadata.x_active_mask = input_buffers["x_active_mask"]
    attn_metadata.q_start_loc = input_buffers["q_start_loc"]
    attn_metadata.q_seqlens = input_buffers["q_seqlens"]

    new_inputs = dict(
        past_key_values=past_key_values,
        attn_metadata=attn_metadata,
        moe_metadata=moe_metadata,
    )

    new_inputs["input_ids"] = input_buffers["input_ids"]
    new_inputs["position_ids"] = input_buffers["position_ids"]

    new_inputs.update(kwargs)

    if graph_meta.is_ssm:
        input_buffers["state_ids"].fill_(-1)
        input_buffers["state_ids"][:batch_size].copy_(kwargs["state_ids"])
        new_inputs["state_ids"] = input_buffers["state_ids"]

    # mrope
    if graph_meta.use_mrope:
        input_buffers["mrope_position_ids"].zero_()
        input_buffers["mrope_position_ids"][:, :num_tokens] = kwargs[
            "mrope_position_ids"
        ]
        new_inputs["mrope_position_ids"] = input_buffers["mrope_position_ids"]

    return new_inputs


def AscendCudaGraphMixin_update_context_cudagraph(self, graph_meta, context):
    """Let the step context refer to the buffers."""
    input_buffers = graph_meta.input_buffers
    context.block_offsets = input_buffers["block_offsets"]
    context.kv_seqlens = input_buffers["kv_seqlens"]
    context.q_start_loc = input_buffers["q_start_loc"]
    context.kv_start_indices = input_buffers["kv_start_indices"]
    context.moe_metadata.x_active_mask = input_buffers["x_active_mask"]

    # ssm
    if graph_meta.is_ssm:
        context.state_offsets = input_buffers["state_ids"]

    # mrope
    if graph_meta.use_mrope:
        context.mrope_position_ids = input_buffers["mrope_position_ids"]


CudaGraphMixin.support_cuda_graph = AscendCudaGraphMixin_support_cuda_graph
CudaGraphMixin.make_buffers_cudagraph = AscendCudaGraphMixin_make_buffers_cudagraph
CudaGraphMixin.fill_buffers_cudagraph = AscendCudaGraphMixin_fill_buffers_cudagraph
CudaGraphMixin.update_context_cudagraph = AscendCudaGraphMixin_update_context_cudagraph


class AscendGraphRunner(GraphRunner):
    """Replays one graph for each size of batch."""

    capturing = False

    def make_meta(self, batch_size: int, num_blocks: int) -> CudaGraphMeta:
        """What the buffers of a graph are made from."""
        max_batches = min(next_power_of_2(batch_size), self.cache_config.max_batches)
        return CudaGraphMeta(
            max_batchs=max_batches,
            max_tokens=max_batches,
            num_blocks=num_blocks,
            is_decoding=True,
            device=self.device,
            input_buffers=dict(),
            output_buffers=dict(),
            vocab_size=self.model_config.vocab_size,
            is_ssm=len(self.model_config.states_shapes) > 0,
            use_mrope=self.model_config.use_mrope,
        )
