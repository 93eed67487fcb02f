# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.type_annotation import Tensor, Optional, Sequence, Tuple, MoeMetadata
from dlinfer.graph.custom_op import register_custom_op

__all__ = [
    "add_rms_norm",
    "apply_rotary_pos_emb",
    "prefill_attention",
    "fill_kv_cache",
    "paged_decode_attention",
    "rms_norm",
    "silu_and_mul",
    "moe_gating_topk_softmax",
    "weight_quant_matmul",
    "fused_moe",
    "linear",
    "rms_norm_w8a8",
]


@register_custom_op("dlinfer::add_rms_norm", ["hidden_states", "residual"])
def add_rms_norm(
    hidden_states: Tensor, residual: Tensor, weight: Tensor, epsilon: float
) -> Tuple[Tensor, Tensor]:
    """
    Add the residual, then apply RMS normalization to the sum.

    Args:
        hidden_states (Tensor): The input, shape (..., hidden_size), floating point.
        residual (Tensor): What is added, shape and dtype of hidden_states.
        weight (Tensor): The weight, shape (hidden_size,), floating point.
        epsilon (float): Keeps the root mean square away from zero.

    Returns:
        Tuple[Tensor, Tensor]:
            - The normalized sum.
            - The sum.
    """
    return vendor_ops_registry["add_rms_norm"](hidden_states, residual, weight, epsilon)


@register_custom_op("dlinfer::apply_rotary_pos_emb", ["query", "key"])
def apply_rotary_pos_emb(
    query: Tensor,
    key: Tensor,
    cos: Optional[Tensor],
    sin: Optional[Tensor],
) -> Tuple[Tensor, Tensor]:
    """
    Rotate query and key by the angles of their positions.

    Args:
        query (Tensor): Shape (total_seq_len, num_heads, head_dim), floating point.
        key (Tensor): Shape (total_seq_len, num_kv_heads, head_dim), dtype of query.
        cos (Optional[Tensor]): Shape (total_seq_len, head_dim), dtype of query.
        sin (Optional[Tensor]): Shape and dtype of cos.

    Returns:
        Tuple[Tensor, Tensor]: The rotated query and the rotated key.
    """
    return vendor_ops_registry["apply_rotary_pos_emb"](query, key, cos, sin)


@register_custom_op(
    "dlinfer::prefill_attention",
    ["query"],
    default_value={
        "softmax_scale": None,
        "attn_output": None,
    },
)
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
    """
    Attention of whole prompts over themselves.

    Args:
        query (Tensor): Shape (total_seq_len, num_q_heads, head_dim), floating point.
        key (Tensor): Shape (total_seq_len, num_kv_heads, head_dim), dtype of query.
        value (Tensor): Shape and dtype of key.
        q_start_loc (Tensor): The start of each sequence, int32; its length is the vendor's.
        q_seq_len (Tensor): The length of each sequence, shape (batch,), int32.
        max_q_seq_len (int): The longest of them.
        num_q_heads (int): The number of query heads.
        num_kv_heads (int): The number of key and value heads.
        attn_mask (Sequence[Optional[Tensor]]): Masks, if the vendor needs any.
        softmax_scale (Optional[float]): 1/sqrt(head_dim) if None.
        attn_output (Optional[Tensor]): Where the result goes, shape and dtype of query.

    Returns:
        Tensor: The output, shape and dtype of query.
    """
    return vendor_ops_registry["prefill_attention"](
        query,
        key,
        value,
        q_start_loc,
        q_seq_len,
        max_q_seq_len,
        num_q_heads,
        num_kv_heads,
        attn_mask,
        softmax_scale,
        attn_output,
    )


@register_custom_op(
    "dlinfer::fill_kv_cache",
    ["key_cache", "value_cache"],
    default_value={"quant_bits": 0},
)
def fill_kv_cache(
    key: Tensor,
    value: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    kv_indices: Tensor,
    quant_bits: int,
) -> Tuple[Tensor, Tensor]:
    """
    Put keys and values into their slots of the cache.

    Args:
        key (Tensor): Shape (total_seq_len, num_kv_heads, head_dim), floating point.
        value (Tensor): Shape and dtype of key.
        key_cache (Tensor): The paged cache; the layout of a block is the vendor's.
        value_cache (Tensor): Shape and dtype of key_cache.
        kv_indices (Tensor): The slot of each token, integer.
        quant_bits (int): Bits of a quantized cache, 0 for none.

    Returns:
        Tuple[Tensor, Tensor]: The key cache and the value cache.
    """
    return vendor_ops_registry["fill_kv_cache"](
        key, value, key_cache, value_cache, kv_indices, quant_bits
    )


@register_custom_op(
    "dlinfer::paged_decode_attention",
    ["query"],
    default_value={"softmax_scale": None, "attn_output": None},
)
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
    """
    Attention of one new token a sequence over the paged cache.

    Args:
        query (Tensor): Shape (batch, num_q_heads, head_dim), floating point.
        key_cache (Tensor): The paged cache; the layout of a block is the vendor's.
        value_cache (Tensor): Shape and dtype of key_cache.
        block_table (Tensor): The blocks of each sequence, shape (batch, max_blocks), int32.
        block_size (int): Tokens in a block.
        kv_seq_len (Tensor): The length of each sequence, shape (batch,), int32.
        max_kv_seq_len (int): The longest of them, or -1.
        num_q_heads (int): The number of query heads.
        num_kv_heads (int): The number of key and value heads.
        softmax_scale (Optional[float]): 1/sqrt(head_dim) if None.
        attn_output (Optional[Tensor]): Where the result goes, shape and dtype of query.

    Returns:
        Tensor: The output, shape and dtype of query.
    """
    return vendor_ops_registry["paged_decode_attention"](
        query,
        key_cache,
        value_cache,
        block_table,
        block_size,
        kv_seq_len,
        max_kv_seq_len,
        num_q_heads,
        num_kv_heads,
        softmax_scale,
        attn_output,
    )


@register_custom_op("dlinfer::rms_norm", ["hidden_states"])
def rms_norm(
    hidden_states: Tensor,
    weight: Tensor,
    epsilon: float,
) -> Tensor:
    """
    Apply RMS normalization.

    Args:
        hidden_states (Tensor): The input, shape (..., hidden_size), floating point.
        weight (Tensor): The weight, shape (hidden_size,), floating point.
        epsilon (float): Keeps the root mean square away from zero.

    Returns:
        Tensor: The normalized input, shape and dtype of hidden_states.
    """
    return vendor_ops_registry["rms_norm"](hidden_states, weight, epsilon)


def silu_and_mul_impl_abstract_func(input_tensor: Tensor, dim: int = -1) -> Tensor:
    first, _ = input_tensor.chunk(2, dim)
    return first


@register_custom_op(
    "dlinfer::silu_and_mul",
    default_value={"dim": -1},
    impl_abstract_func=silu_and_mul_impl_abstract_func,
)
def silu_and_mul(input_tensor: Tensor, dim: int) -> Tensor:
    """
    Apply SiLU to the first half along dim and multiply by the second.

    Args:
        input_tensor (Tensor): The input, floating point.
        dim (int): The axis of the two halves; its length is even.

    Returns:
        Tensor: Half as long as the input along dim.
    """
    return vendor_ops_registry["silu_and_mul"](input_tensor, dim)


"""
MoeMetadata is no type of a schema
@register_custom_op("dlinfer::moe_gating_topk_softmax", ["router_logits"])
"""


def moe_gating_topk_softmax(
    router_logits: Tensor, topk: int, moe_metadata: MoeMetadata
) -> Tuple[Tensor, Tensor]:
    """
    Choose the experts of each token by the softmax of its logits.

    Args:
        router_logits (Tensor): Shape (num_tokens, num_experts), floating point.
        topk (int): Experts of a token.
        moe_metadata (MoeMetadata): How the experts are spread over the devices.

    Returns:
        Tuple[Tensor, Tensor]: The weights of the experts and their indices.
    """
    return vendor_ops_registry["moe_gating_topk_softmax"](
        router_logits, topk, moe_metadata
    )


def weight_quant_matmul(
    x1: Tensor,
    x2: Tensor,
    scale: Tensor,
    offset: Optional[Tensor] = None,
    bias: Optional[Tensor] = None,
    all_reduce: Optional[bool] = False,
    group_size: Optional[int] = 0,
) -> Tensor:
    """
    Multiply by a quantized matrix.

    Args:
        x1 (Tensor): The input, shape (num_tokens, in_features), floating point.
        x2 (Tensor): The packed weight, int32.
        scale (Tensor): The scale of each group, dtype of x1.
        offset (Optional[Tensor]): The zero of each group.
        bias (Optional[Tensor]): Shape (out_features,).
        all_reduce (Optional[bool]): Sum over the devices.
        group_size (Optional[int]): Rows in a group.

    Returns:
        Tensor: Shape (num_tokens, out_features), dtype of x1.
    """
    return vendor_ops_registry["weight_quant_matmul"](
        x1, x2, scale, offset, bias, all_reduce, group_size
    )


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
    """
    Run the chosen experts of each token and sum their weighted results.

    Args:
        hidden_states (Tensor): Shape (num_tokens, hidden_size), floating point.
        gate_up_weights (Tensor): Shape (num_experts, 2 * ffn_size, hidden_size).
        down_weights (Tensor): Shape (num_experts, hidden_size, ffn_size).
        topk_weights (Tensor): The weights of the experts, shape (num_tokens, topk).
        topk_ids (Tensor): Their indices, shape (num_tokens, topk), integer.
        topk (int): Experts of a token.
        renormalize (bool): Divide the weights of a token by their sum.
        moe_metadata (MoeMetadata): How the experts are spread over the devices.

    Returns:
        Tensor: Shape and dtype of hidden_states.
    """
    fused_moe_impl = vendor_ops_registry["fused_moe"]
    experts = (topk_weights, topk_ids, topk, renormalize, moe_metadata)
    return fused_moe_impl(hidden_states, gate_up_weights, down_weights, *experts)


def linear_impl_abstract_func(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    all_reduce: Optional[bool],
    group: Optional[str],
) -> Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


@register_custom_op(
    "dlinfer::linear",
    impl_abstract_func=linear_impl_abstract_func,
    default_value={"bias": None, "all_reduce": False, "group": ""},
)
def linear(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    all_reduce: Optional[bool],
    group: Optional[str],
) -> Tensor:
    """
    Multiply by the transposed weight and add the bias.

    Args:
        x (Tensor): Shape (..., in_features), floating point.
        weight (Tensor): Shape (out_features, in_features), dtype of x.
        bias (Optional[Tensor]): Shape (out_features,), dtype of x.
        all_reduce (Optional[bool]): Sum over the devices.
        group (Optional[str]): The group of these devices.

    Returns:
        Tensor: Shape (..., out_features), dtype of x.
    """
    return vendor_ops_registry["linear"](x, weight, bias, all_reduce, group)


def rms_norm_w8a8_impl_abstract_func(
    hidden_states: Tensor, weight: Tensor, epsilon: float, quant_dtype: torch.dtype
) -> Tuple[Tensor, Tensor]:
    scale = hidden_states.new_empty(hidden_states.shape[:-1], dtype=torch.float)
    return hidden_states.to(quant_dtype), scale


@register_custom_op(
    "dlinfer::rms_norm_w8a8", impl_abstract_func=rms_norm_w8a8_impl_abstract_func
)
def rms_norm_w8a8(
    hidden_states: Tensor, weight: Tensor, epsilon: float, quant_dtype: torch.dtype
) -> Tuple[Tensor, Tensor]:
    """
    Apply RMS normalization and quantize the result, one scale a token.

    Args:
        hidden_states (Tensor): The input, shape (..., hidden_size), floating point.
        weight (Tensor): The weight, shape (hidden_size,), floating point.
        epsilon (float): Keeps the root mean square away from zero.
        quant_dtype (torch.dtype): The dtype of the result, such as torch.int8.

    Returns:
        Tuple[Tensor, Tensor]: The quantized result and its scales.
    """
    return vendor_ops_registry["rms_norm_w8a8"](
        hidden_states, weight, epsilon, quant_dtype
    )
