# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

from typing import Any

import torch
from torch import nn

from lmdeploy.pytorch.model_inputs import StepContext
from lmdeploy.pytorch.nn import ApplyRotaryEmb, Attention, RMSNorm, SiluAndMul, build_rotary_embedding
from lmdeploy.pytorch.nn.linear import build_linear, build_o_proj, build_qkv_proj

from .utils.cudagraph import CudaGraphMixin


class Qwen3Attention(nn.Module):
    """Attention with a norm on query and key."""

    def __init__(self, config: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        quantization_config = getattr(config, 'quantization_config', None)
        self.heads = config.num_attention_heads, config.num_key_value_heads
        self.head_dim = config.head_dim
        kwargs = dict(dtype=dtype, device=device)
        self.qkv_proj = build_qkv_proj(
            config.hidden_size,
            num_q_heads=self.heads[0],
            num_kv_heads=self.heads[1],
            head_size=self.head_dim,
            bias=config.attention_bias,
            quant_config=quantization_config,
            **kwargs,
        )
        self.apply_rotary_pos_emb = ApplyRotaryEmb()
        self.attn_fwd = Attention(self.heads[0], self.head_dim, num_kv_heads=self.heads[1])
        self.o_proj = build_o_proj(self.heads[0] * self.head_dim, config.hidden_size, config.attention_bias, **kwargs)
        self.q_norm = RMSNorm(self.head_dim, config.rms_norm_eps, **kwargs)
        self.k_norm = RMSNorm(self.head_dim, config.rms_norm_eps, **kwargs)

    def forward(self, hidden_states: torch.Tensor, rotary_pos_emb: tuple[torch.Tensor, torch.Tensor],
                past_key_value: tuple[torch.Tensor], attn_metadata: Any):
        """forward."""
        states = self.qkv_proj(hidden_states)[0].unflatten(-1, (-1, self.head_dim))
        query, key, value = states.split([self.heads[0], self.heads[1], self.heads[1]], dim=1)
        query, key = self.apply_rotary_pos_emb(self.q_norm(query), self.k_norm(key), *rotary_pos_emb)
        out = self.attn_fwd(query, key, value, past_key_value[0], past_key_value[1], attn_metadata)
        return self.o_proj(out.reshape(*hidden_states.shape[:-1], -1))


class Qwen3MLP(nn.Module):
    """Two projections and an activation."""

    def __init__(self, config: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        kwargs = dict(bias=False, dtype=dtype, device=device)
        quantization_config = getattr(config, 'quantization_config', None)
        self.gate_up_proj = build_linear(config.hidden_size,
                                         2 * config.intermediate_size,
                                         quant_config=quantization_config,
                                         **kwargs)
        self.act_fn = SiluAndMul(inplace=True)
        self.down_proj = build_linear(config.intermediate_size, config.hidden_size, **kwargs)

    def forward(self, x):
        """forward."""
        return self.down_proj(self.act_fn(self.gate_up_proj(x)))


class Qwen3DecoderLayer(nn.Module):
    """Attention, then the projections."""

    def __init__(self, config: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        quantization_config = getattr(config, 'quantization_config', None)
        kwargs = dict(dtype=dtype, device=device)
        self.self_attn = Qwen3Attention(config, **kwargs)
        self.mlp = Qwen3MLP(config, **kwargs)
        self.input_layernorm = RMSNorm(config.hidden_size,
                                       config.rms_norm_eps,
                                       quant_config=quantization_config,
                                       **kwargs)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps, **kwargs)

    def forward(self, hidden_states: torch.Tensor, **kwargs):
        """forward."""
        attended = self.self_attn(self.input_layernorm(hidden_states), **kwargs)
        hidden_states, residual = self.post_attention_layernorm(attended, hidden_states)
        return self.mlp(hidden_states) + residual


class Qwen3ForCausalLM(nn.Module, CudaGraphMixin):
    """Qwen3 with its head."""

    decoder_layer_cls = Qwen3DecoderLayer

    def __init__(self, config: Any, ctx_mgr: Any, dtype: torch.dtype = None, device: torch.device = None):
        super().__init__()
        self.ctx_mgr = ctx_mgr
        kwargs = dict(dtype=dtype, device=device)
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size, **kwargs)
        self.layers = nn.ModuleList(self.decoder_layer_cls(config, **kwargs) for _ in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps, **kwargs)
        self.rotary_emb = build_rotary_embedding(config.head_dim, config.max_position_embeddings)
        self.lm_head = build_linear(config.hidden_size, config.vocab_size, bias=False, **kwargs)

    def forward(self, input_ids: torch.Tensor, position_ids: torch.Tensor, past_key_values: list, attn_metadata: Any,
                **kwargs):
        """forward."""
        hidden_states = self.embed_tokens(input_ids)
        cos, sin = self.rotary_emb(hidden_states, position_ids)
        for layer, past_key_value in zip(self.layers, past_key_values):
            hidden_states = layer(hidden_states,
                                  rotary_pos_emb=(cos[0], sin[0]),
                                  past_key_value=past_key_value,
                                  attn_metadata=attn_metadata,
                                  **kwargs)
        return self.norm(hidden_states)

    def prepare_inputs_for_generation(self, past_key_values: list, context: StepContext = None):
        """Arguments of forward for a step."""
        return dict(
            input_ids=context.input_ids,
            position_ids=context.position_ids,
            past_key_values=past_key_values,
            attn_metadata=context.attn_metadata,
        )
