import torch
import torch_mlu_ops as tmo

from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.registry import register_ops
from dlinfer.utils.type_annotation import Tensor, Optional, Sequence, Tuple, MoeMetadata

__all__ = [
    "add_rms_norm",
    "apply_rotary_pos_emb",
    "prefill_attention",
    "fill_kv_cache",
    "paged_decode_attention",
    "rms_norm",
    "moe_gating_topk_softmax",
    "fused_moe",
    "linear",
    "rms_norm_w8a8",
]


@register_ops(vendor_ops_registry)
def silu_and_mul(input_tensor: Tensor, dim: int) -> Tensor:
    return tmo.active(input_tensor, act_mode="silu", is_gated=True)


@register_ops(vendor_ops_registry)
def rms_norm(
    hidden_states: Tensor,
    weight: Tensor,
    epsilon: float,
) -> Tensor:
    assert hidden_states.ndim in (2, 3), "hidden_states has two or three axes"
    store_output_before_norm = False
    return tmo.fused_rms_norm(
        hidden_states,
        None,
        weight,
        None,
        None,
        epsilon,
        store_output_before_norm,
        None,
        None,
    )


@register_ops(vendor_ops_registry)
def add_rms_norm(
    hidden_states: Tensor,
    residual: Tensor,
    weight: Tensor,
    epsilon: float,
) -> Tuple[Tensor, Tensor]:
    assert hidden_states.ndim in (2, 3), "hidden_states has two or three axes"
    store_output_before_norm = True
    normed, total = tmo.fused_rms_norm(
        hidden_states,
        residual,
        weight,
        None,
        None,
        epsilon,
        store_output_before_norm,
        None,
        None,
    )
    return normed, total


@register_ops(vendor_ops_registry)
def apply_rotary_pos_emb(
    query: Tensor,
    key: Tensor,
    cos: Optional[Tensor],
    sin: Optional[Tensor],
) -> Tuple[Tensor, Tensor]:
    interleaved = False

    def turn(x):
        x = x.contiguous().unsqueeze(0)
        # sin goes before cos
        return tmo.apply_rotary(
            x, sin, cos, None, None, interleaved, False, False, x.shape[1]
        )

    return turn(query), turn(key)


@register_ops(vendor_ops_registry)
def fill_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    kv_indices: Tensor,
    quant_bits: int,
) -> Tuple[Tensor, Tensor]:
    assert kv_indices.ndim == 1, "kv_indices has one axis"
    assert kv_indices.dtype == torch.int32, "kv_indices is int32"
    tmo.reshape_paged_cache(key, value, key_cache, value_cache, kv_indices)
    return key_cache, value_cache


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
    # q_start_loc has one entry more than the batch
    in_place = attn_output is not None and attn_output.data_ptr() == query.data_ptr()
    return tmo.flash_attention(
        query,
        key,
        value,
        None if in_place else attn_output,
        q_start_loc,
        q_start_loc,
        None,
        None,
        max_q_seq_len,
        max_q_seq_len,
        softmax_scale or query.shape[-1] ** -0.5,
        True,
    )


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
    assert block_table.dtype == torch.int32, "block_table is int32"
    one_token = (query.shape[0], 1, num_q_heads, query.shape[-1])
    out = torch.empty_like(query).view(one_token)
    tmo.single_query_cached_kv_attn(
        query.contiguous().view(one_token),
        key_cache,
        value_cache,
        out,
        block_table,
        kv_seq_len,
        None,
        None,
        None,
        max_kv_seq_len,
        0,
        0,
        softmax_scale or query.shape[-1] ** -0.5,
    )
    return out.view(query.shape)


@register_ops(vendor_ops_registry)
def moe_gating_topk_softmax(
    router_logits: Tensor, topk: int, moe_metadata: MoeMetadata = None
) -> Tuple[Tensor, Tensor]:
    return tmo.moe_softmax_topk(router_logits.float(), topk)


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
    num_experts = gate_up_weights.size(0)
    expand_idx, combine_idx, counts, sums = tmo.moe_gen_idx(topk_ids, num_experts)
    rows = tmo.moe_expand_input(hidden_states, expand_idx, sums)
    rows = tmo.group_gemm(rows, gate_up_weights, counts, None, None, None, None)
    rows = tmo.moe_active(rows, "silu", True, rows[:, : rows.shape[1] // 2])
    rows = tmo.group_gemm(rows, down_weights, counts, None, None, None, None)
    if renormalize:
        topk_weights = topk_weights / topk_weights.sum(dim=-1, keepdim=True)
    return tmo.moe_combine_result(rows, topk_weights, combine_idx, None, None)


@register_ops(vendor_ops_registry)
def linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    all_reduce: Optional[bool],
    group: Optional[str],
) -> Tensor:
    rows = x.reshape(-1, x.shape[-1])
    if all_reduce:
        out = tmo.matmul_allreduce(group, rows, weight, bias)
    else:
        out = tmo.matmul(rows, weight, bias)
    return out.view(*x.shape[:-1], -1)


@register_ops(vendor_ops_registry)
def rms_norm_w8a8(
    hidden_states: Tensor,
    weight: Tensor,
    epsilon: float,
    quant_dtype: torch.dtype = torch.int8,
) -> Tuple[Tensor, Tensor]:
    assert quant_dtype == torch.int8, "only int8"
    normed = rms_norm(hidden_states, weight, epsilon)
    smooth = torch.ones(normed.shape[-1], dtype=torch.float32, device=normed.device)
    return tmo.per_token_smooth_quantize(normed, smooth, None)
