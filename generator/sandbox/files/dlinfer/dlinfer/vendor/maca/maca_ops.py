import torch
import torch.distributed as dist

from flash_attn import flash_attn_varlen_func, flash_attn_with_kvcache

from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.registry import register_ops
from dlinfer.utils.type_annotation import Tensor, Optional, Sequence, Tuple, MoeMetadata

from .fused_moe import fused_experts
from mcoplib import lmdeploy as ops
from mcoplib import op as op_origin
import mcoplib._C
import mcoplib._moe_C

__all__ = [
    "add_rms_norm",
    "apply_rotary_pos_emb",
    "prefill_attention",
    "fused_moe",
    "fill_kv_cache",
    "rms_norm",
    "silu_and_mul",
    "moe_gating_topk_softmax",
    "linear",
]


@register_ops(vendor_ops_registry)
def add_rms_norm(
    hidden_states: Tensor,
    residual: Tensor,
    weight: Tensor,
    epsilon: float,
) -> Tuple[Tensor, Tensor]:
    torch.ops._C.fused_add_rms_norm(hidden_states, residual, weight, epsilon)
    return hidden_states, residual


@register_ops(vendor_ops_registry)
def apply_rotary_pos_emb(
    query: Tensor,
    key: Tensor,
    cos: Optional[Tensor],
    sin: Optional[Tensor],
) -> Tuple[Tensor, Tensor]:
    tokens, _, head_size = query.shape
    query = query.contiguous().view(1, tokens, -1)
    key = key.contiguous().view(1, tokens, -1)
    ops.lmdeploy_rotary_embedding(
        torch.arange(tokens, device=query.device),
        query,
        key,
        head_size,
        cos.view(tokens, -1),
        sin.view(tokens, -1),
        True,
    )
    return query, key


@register_ops(vendor_ops_registry)
def prefill_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    q_start_loc: Tensor,
    q_seq_len: Tensor,
    max_q_seq_len: int,
    num_q_heads: int,
    num_kv_heads: int,
    attn_mask: Sequence[Optional[Tensor]],
    softmax_scale: Optional[float],
    attn_output: Optional[Tensor],
) -> Tensor:
    out = flash_attn_varlen_func(
        query,
        key,
        value,
        cu_seqlens_q=q_start_loc,
        cu_seqlens_k=q_start_loc,
        max_seqlen_q=max_q_seq_len,
        max_seqlen_k=max_q_seq_len,
        softmax_scale=softmax_scale,
        causal=True,
    )
    return attn_output.copy_(out)


@register_ops(vendor_ops_registry)
def fill_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    kv_indices: Tensor,
    quant_bits: int,
) -> Tuple[Tensor, Tensor]:
    one = torch.tensor(1.0)
    torch.ops._C_cache_ops.reshape_and_cache_flash(
        key, value, key_cache, value_cache, kv_indices.squeeze(-1), "auto", one, one
    )
    return key_cache, value_cache


@register_ops(vendor_ops_registry)
def paged_decode_attention(
    query: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_table: Tensor,
    block_size: int,
    kv_seq_len: Tensor,
    max_kv_seq_len: int,
    num_q_heads: int,
    num_kv_heads: int,
    softmax_scale: Optional[float],
    attn_output: Optional[Tensor],
) -> Tensor:
    return flash_attn_with_kvcache(
        query.unsqueeze(1),
        key_cache,
        value_cache,
        cache_seqlens=kv_seq_len,
        block_table=block_table,
        softmax_scale=softmax_scale,
        causal=True,
    ).squeeze(1)


@register_ops(vendor_ops_registry)
def rms_norm(
    hidden_states: Tensor,
    weight: Tensor,
    epsilon: float,
) -> Tensor:
    wide = hidden_states.float()
    out = torch.empty_like(wide)
    op_origin.rms_norm(out, wide, weight.float(), epsilon, None, None, False)
    return out.to(hidden_states.dtype)


@register_ops(vendor_ops_registry)
def moe_gating_topk_softmax(
    router_logits: Tensor,
    topk: int,
    renormalize: bool = False,
    moe_metadata: MoeMetadata = None,
) -> Tuple[Tensor, Tensor]:
    size, device = (router_logits.shape[0], topk), router_logits.device
    weights = torch.empty(size, dtype=torch.float32, device=device)
    experts = torch.empty(size, dtype=torch.int32, device=device)
    places = torch.empty_like(experts)
    torch.ops._moe_C.topk_softmax(
        weights, experts, places, router_logits.float(), renormalize
    )
    return weights, experts


@register_ops(vendor_ops_registry)
def silu_and_mul(x: Tensor, dim: int = -1) -> Tensor:
    out = x.new_empty(*x.shape[:-1], x.shape[-1] // 2)
    torch.ops._C.silu_and_mul(out, x)
    return out


@register_ops(vendor_ops_registry)
def fused_moe(
    hidden_states: Tensor,
    gate_up_weights: Tensor,
    down_weights: Tensor,
    topk_weights: Tensor,
    topk_ids: Tensor,
    top_k: int,
    renormalize: bool,
    moe_metadata: MoeMetadata = None,
) -> Tensor:
    if renormalize:
        topk_weights = topk_weights / topk_weights.sum(dim=-1, keepdim=True)
    return fused_experts(
        hidden_states, gate_up_weights, down_weights, topk_weights, topk_ids
    )


@register_ops(vendor_ops_registry)
def linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    all_reduce: Optional[bool],
    group: Optional[str],
) -> Tensor:
    y = torch.matmul(x, weight.t())
    y = y if bias is None else y.add_(bias)
    if all_reduce:
        dist.all_reduce(y)
    return y
