# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from ..default import per_channel_quant
from .apply_rotary_pos_emb import apply_rotary_pos_emb
from .awq_kernels import awq_linear
from .fill_kv_cache import fill_kv_cache
from .fused_moe import DlinferMoECommType, DlinferMoeMetadata, fused_moe
from .linear import linear
from .moe_gating_topk_softmax import moe_gating_topk_softmax
from .pagedattention import paged_attention_fwd
from .rms_norm import rms_norm

__all__ = [
    'rms_norm',
    'apply_rotary_pos_emb',
    'awq_linear',
    'fill_kv_cache',
    'DlinferMoECommType',
    'DlinferMoeMetadata',
    'fused_moe',
    'paged_attention_fwd',
    'linear',
    'moe_gating_topk_softmax',
    'per_channel_quant',
]
