# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch

from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.registry import register_ops
from dlinfer.utils.type_annotation import (
    Tensor,
    Optional,
    Sequence,
    Tuple,
    MoeMetadata,
)
from .utils import SocVersion, get_cpu_seq_len
from . import moe

__all__ = [
    "add_rms_norm",
    "apply_rotary_pos_emb",
    "prefill_attention",
    "fill_kv_cache",
    "paged_decode_attention",
    "rms_norm",
    "moe_gating_topk_softmax",
    "weight_quant_matmul",
    "fused_moe",
    "linear",
    "rms_norm_w8a8",
]


@register_ops(vendor_ops_registry)
def rms_norm_w8a8(
    hidden_states: Tensor, weight: Tensor, epsilon: float, quant_dtype: torch.dtype
) -> Tuple[Tensor, Tensor]:
    normed = torch.ops.npu.npu_rms_norm(hidden_states.contiguous(), weight, epsilon)[0]
    quantized, scale = torch.ops.npu.npu_dynamic_quant(normed, dst_type=quant_dtype)
    return quantized, scale


@register_ops(vendor_ops_registry)
def add_rms_norm(
    hidden_states: Tensor,
    residual: Tensor,
    weight: Tensor,
    epsilon: float,
) -> Tuple[Tensor, Tensor]:
    normed, _, total = torch.ops.npu.npu_add_rms_norm(
        hidden_states, residual, weight, epsilon
    )
    return normed, total


@register_ops(vendor_ops_registry)
def apply_rotary_pos_emb(
    query: Tensor,
    key: Tensor,
    cos: Optional[Tensor],
    sin: Optional[Tensor],
) -> Tuple[Tensor, Tensor]:
    # the native op takes (batch, seq, heads, head_dim)
    table = (1, query.shape[0], 1, -1)
    return torch.ops.npu.npu_apply_rotary_pos_emb(
        query.contiguous().unsqueeze(0),
        key.contiguous().unsqueeze(0),
        cos.reshape(table),
        sin.reshape(table),
        "BSND",
    )


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
    torch.ops.atb._npu_flash_attention(
        query=query.contiguous(),
        key=key,
        value=value,
        mask=attn_mask[0].to(query.dtype),
        seq_len=get_cpu_seq_len(q_seq_len),
        scale_value=softmax_scale or query.shape[-1] ** -0.5,
        num_heads=num_q_heads,
        num_kv_heads=num_kv_heads,
        out=attn_output,
    )
    return attn_output


"""
for a cache of eight bits, not in use
@register_ops(vendor_ops_registry)
def fill_kv_cache(key, value, key_cache, value_cache, kv_indices, scales):
    key = torch.ops.npu.npu_quantize(key, scales)
    return key_cache, value_cache
"""


@register_ops(vendor_ops_registry)
def fill_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    kv_indices: Tensor,
    quant_bits: int,
) -> Tuple[Tensor, Tensor]:
    torch.ops.atb._npu_reshape_and_cache(
        key=key,
        value=value,
        key_cache=key_cache,
        value_cache=value_cache,
        slot_indices=kv_indices.to(torch.int32),
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
    torch.ops.atb._npu_paged_attention(
        query=query.contiguous(),
        key_cache=key_cache,
        value_cache=value_cache,
        num_kv_heads=num_kv_heads,
        num_heads=num_q_heads,
        scale_value=softmax_scale or query.shape[-1] ** -0.5,
        block_table=block_table,
        context_lens=get_cpu_seq_len(kv_seq_len),
        out=attn_output,
    )
    return attn_output


@register_ops(vendor_ops_registry)
def rms_norm(hidden_states: Tensor, weight: Tensor, epsilon: float) -> Tensor:
    return torch.ops.npu.npu_rms_norm(hidden_states.contiguous(), weight, epsilon)[0]


@register_ops(vendor_ops_registry)
def silu_and_mul(input_tensor: Tensor, dim: int) -> Tensor:
    if SocVersion.is_Ascend310P():
        first, second = input_tensor.chunk(2, dim)
        return torch.ops.npu.npu_silu(first) * second
    return torch.ops.npu.npu_swiglu(input_tensor, dim)


@register_ops(vendor_ops_registry)
def moe_gating_topk_softmax(
    router_logits: Tensor,
    topk: int,
    moe_metadata: MoeMetadata,
) -> Tuple[Tensor, Tensor]:
    groups = moe_metadata.router_n_groups
    if groups > 0:
        weights, experts, _ = torch.ops.npu.npu_moe_gating_top_k(
            router_logits, k=topk, k_group=groups, group_count=groups, norm_type=0
        )
    else:
        weights, experts, _ = torch.ops.npu.npu_moe_gating_top_k_softmax(
            router_logits, None, topk
        )
    return weights, experts


@register_ops(vendor_ops_registry)
def weight_quant_matmul(
    x: Tensor,
    qweight: Tensor,
    scale: Tensor,
    offset: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    all_reduce: Optional[bool] = False,
    group_size: Optional[int] = 0,
) -> Tensor:
    return torch.ops.npu.npu_weight_quant_batchmatmul(
        x,
        qweight,
        scale,
        antiquant_offset=offset,
        antiquant_group_size=group_size,
        bias=bias,
    )


@register_ops(vendor_ops_registry)
def fused_moe(
    hidden_states: Tensor,
    gate_up_weights: Tensor,
    down_weights: Tensor,
    topk_weights: Tensor,
    topk_ids: Tensor,
    topk: int,
    renormalize: bool,
    moe_metadata: MoeMetadata,
) -> Tensor:
    if renormalize:
        topk_weights = topk_weights / topk_weights.sum(dim=-1, keepdim=True)
    return moe.fused_moe_naive(
        hidden_states, gate_up_weights, down_weights, topk_weights, topk_ids, topk
    )


@register_ops(vendor_ops_registry)
def linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    all_reduce: Optional[bool],
    group: Optional[str],
) -> Tensor:
    if not all_reduce:
        return torch.nn.functional.linear(x, weight, bias)
    return torch.ops.npu.npu_mm_all_reduce_base(
        x.contiguous(), weight.t(), group, reduce_op="sum", bias=bias
    )
