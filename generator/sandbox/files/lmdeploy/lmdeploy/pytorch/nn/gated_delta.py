# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

from typing import Any

import torch
from torch import nn

from lmdeploy.pytorch.backends import OpType, get_backend
from lmdeploy.pytorch.model_inputs import get_step_ctx_manager


def build_rmsnorm_gated(hidden_size: int, eps=1e-6, **kwargs):
    """Gated RMS norm, for now the one of another package."""
    from fla.modules import FusedRMSNormGated
    return FusedRMSNormGated(hidden_size, eps=eps, **kwargs)


class GatedDeltaMeta:
    """What the layers of one step share."""

    def __init__(self, num_tokens: int, state_ids: torch.Tensor, attn_metadata: Any):
        self.num_tokens = num_tokens
        self.is_decoding = attn_metadata.is_decoding
        self.cu_seqlens = attn_metadata.cu_seqlens_q
        self.num_spec_tokens = get_step_ctx_manager().build_ctx.num_spec_tokens
        lengths = attn_metadata.q_seqlens
        self.seq_idx = torch.arange(len(lengths), device=lengths.device).repeat_interleave(lengths)[None]
        self.is_init = attn_metadata.kv_seqlens == attn_metadata.q_seqlens
        # negative ids belong to padding and share the first state
        self.state_ids = state_ids.clamp(0)


class CausalConv1dFunc:
    """Convolution by the backend."""

    def __init__(self, activation: str = 'silu'):
        impl = get_backend().get_layer_impl_builder(OpType.CausalConv1d).build()
        self.causal_conv1d_fn = impl.conv1d_fn
        self.causal_conv1d_update = impl.update_fn
        self.activation = activation

    def __call__(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, conv_state: torch.Tensor,
                 gated_delta_meta: GatedDeltaMeta):
        """Run a prefill or a decode step."""
        if gated_delta_meta.is_decoding:
            return self.causal_conv1d_update(x, conv_state, weight, bias, self.activation, gated_delta_meta.state_ids)
        return self.causal_conv1d_fn(x, weight, bias, gated_delta_meta.seq_idx, self.activation)


class CausalConv1d(nn.Module):
    """Causal convolution along the sequence."""

    def __init__(self,
                 channels: int,
                 kernel_size: int,
                 dtype: torch.dtype | None = None,
                 device: torch.device | None = None):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels, kernel_size, dtype=dtype, device=device))
        self.func = CausalConv1dFunc()

    def forward(self, x: torch.Tensor, conv_state: torch.Tensor, gated_delta_meta: GatedDeltaMeta):
        """forward."""
        return self.func(x, self.weight, None, conv_state, gated_delta_meta)


class GatedDelta:
    """Gated delta rule by the backend."""

    def __init__(self):
        self.impl = get_backend().get_layer_impl_builder(OpType.GatedDeltaRule).build()

    def __call__(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, g: torch.Tensor,
                 beta: torch.Tensor, recurrent_state: torch.Tensor, gated_delta_meta: GatedDeltaMeta):
        """Run a prefill or a decode step."""
        state_ids = gated_delta_meta.state_ids
        if gated_delta_meta.is_decoding:
            return self.impl.fused_recurrent_gated_delta_rule(query, key, value, g, beta, recurrent_state, state_ids)
        return self.impl.chunk_gated_delta_rule(query,
                                                key,
                                                value,
                                                g,
                                                beta,
                                                recurrent_state,
                                                state_ids,
                                                cu_seqlens=gated_delta_meta.cu_seqlens)
