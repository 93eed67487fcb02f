# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from lmdeploy.pytorch.model_inputs import StepContext
from lmdeploy.pytorch.nn import RMSNorm
from lmdeploy.pytorch.nn.gated_delta import CausalConv1d, GatedDelta, GatedDeltaMeta, build_rmsnorm_gated
from lmdeploy.pytorch.nn.linear import build_linear, build_o_proj
from lmdeploy.pytorch.nn.moe import SoftmaxTopK, build_fused_moe

from .qwen3 import Qwen3ForCausalLM


class Qwen3NextGatedDeltaNet(nn.Module):
    """Linear attention."""

    def __init__(self, config: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        self.num_heads = config.linear_num_value_heads
        self.head_dim = config.linear_value_head_dim
        width = self.num_heads * self.head_dim
        kwargs = dict(dtype=dtype, device=device)
        self.in_proj_qkvz = build_linear(config.hidden_size, 4 * width, bias=False, **kwargs)
        self.in_proj_ba = build_linear(config.hidden_size, 2 * self.num_heads, bias=False, **kwargs)
        self.conv1d = CausalConv1d(3 * width, config.linear_conv_kernel_dim, **kwargs)
        self.A_log = nn.Parameter(torch.empty(self.num_heads, device=device))
        self.norm = build_rmsnorm_gated(self.head_dim,
                                        eps=config.rms_norm_eps,
                                        activation=config.hidden_act,
                                        dtype=dtype,
                                        device=device)
        self.out_proj = build_o_proj(width, config.hidden_size, bias=False, **kwargs)
        self.gated_delta = GatedDelta()

    def forward(self, hidden_states: torch.Tensor, states: tuple[torch.Tensor, torch.Tensor],
                gated_delta_meta: GatedDeltaMeta):
        """forward."""
        conv_state, recurrent_state = states
        qkv, z = self.in_proj_qkvz(hidden_states).tensor_split([3 * self.num_heads * self.head_dim], dim=-1)
        beta, a = self.in_proj_ba(hidden_states).chunk(2, dim=-1)
        qkv = self.conv1d(qkv, conv_state, gated_delta_meta)
        query, key, value = qkv.unflatten(-1, (3, self.num_heads, self.head_dim)).unbind(dim=-3)
        g = -self.A_log.exp() * F.softplus(a.float())
        out, _ = self.gated_delta(query, key, value, g, beta.sigmoid(), recurrent_state, gated_delta_meta)
        out = self.norm(out.reshape(-1, self.head_dim), z.reshape(-1, self.head_dim))
        return self.out_proj(out.reshape(*hidden_states.shape[:-1], -1))


class Qwen3NextSparseMoeBlock(nn.Module):
    """Experts of a layer."""

    def __init__(self, config: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        kwargs = dict(dtype=dtype, device=device)
        self.gate = build_linear(config.hidden_size, config.num_experts, bias=False, **kwargs)
        self.softmax_topk = SoftmaxTopK(config.num_experts_per_tok)
        self.experts = build_fused_moe(config.hidden_size,
                                       config.moe_intermediate_size,
                                       config.num_experts,
                                       top_k=config.num_experts_per_tok,
                                       renormalize=config.norm_topk_prob,
                                       **kwargs)

    def forward(self, hidden_states: torch.Tensor):
        """forward."""
        rows = hidden_states.flatten(0, -2)
        return self.experts(rows, *self.softmax_topk(self.gate(rows))).reshape(hidden_states.shape)


class Qwen3NextDecoderLayer(nn.Module):
    """Linear attention, then the experts."""

    def __init__(self, config: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        kwargs = dict(dtype=dtype, device=device)
        self.linear_attn = Qwen3NextGatedDeltaNet(config, **kwargs)
        self.mlp = Qwen3NextSparseMoeBlock(config, **kwargs)
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps, **kwargs)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps, **kwargs)

    def forward(self, hidden_states: torch.Tensor, past_key_value: tuple[torch.Tensor],
                gated_delta_meta: GatedDeltaMeta, **kwargs):
        """forward."""
        mixed = self.linear_attn(self.input_layernorm(hidden_states), past_key_value, gated_delta_meta)
        hidden_states, residual = self.post_attention_layernorm(mixed, hidden_states)
        return self.mlp(hidden_states) + residual


class Qwen3NextForCausalLM(Qwen3ForCausalLM):
    """Qwen3-Next with its head, reduced to its linear layers."""

    decoder_layer_cls = Qwen3NextDecoderLayer

    def forward(self, input_ids: torch.Tensor, position_ids: torch.Tensor, past_key_values: list, attn_metadata: Any,
                state_ids: torch.Tensor, **kwargs):
        """forward."""
        gated_delta_meta = GatedDeltaMeta(input_ids.numel(), state_ids, attn_metadata)
        return super().forward(input_ids,
                               position_ids,
                               past_key_values,
                               attn_metadata,
                               gated_delta_meta=gated_delta_meta)

    def prepare_inputs_for_generation(self, past_key_values: list, context: StepContext = None):
        """Arguments of forward for a step."""
        inputs = super().prepare_inputs_for_generation(context.state_caches, context)
        return dict(inputs, state_ids=context.state_offsets)
