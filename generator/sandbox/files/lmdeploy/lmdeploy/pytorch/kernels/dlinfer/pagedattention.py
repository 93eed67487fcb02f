# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from collections.abc import Sequence

import dlinfer.ops as ext_ops
from torch import Tensor


def prefill_attention(query: Tensor, key: Tensor, value: Tensor, attn_output: Tensor, q_start_loc: Tensor,
                      q_seqlens: Tensor, max_q_seq_len: int, num_q_heads: int, num_kv_heads: int,
                      attn_mask: Sequence[Tensor | None], softmax_scale: float | None) -> Tensor:
    """Attention of whole prompts."""
    return ext_ops.prefill_attention(
        query,
        key,
        value,
        q_start_loc,
        q_seqlens,
        max_q_seq_len,
        num_q_heads,
        num_kv_heads,
        attn_mask,
        softmax_scale=softmax_scale,
        attn_output=attn_output,
    )


def paged_token_attention(q: Tensor, k_cache: Tensor, v_cache: Tensor, attn_output: Tensor, kv_seqlens: Tensor,
                          max_kv_seq_len: int, block_offsets: Tensor, block_size: int, num_q_heads: int,
                          num_kv_heads: int, softmax_scale: float | None) -> Tensor:
    """Attention of one new token a sequence."""
    return ext_ops.paged_decode_attention(
        q,
        k_cache,
        v_cache,
        block_offsets,
        block_size,
        kv_seqlens,
        max_kv_seq_len,
        num_q_heads,
        num_kv_heads,
        softmax_scale=softmax_scale,
        attn_output=attn_output,
    )


def paged_attention_fwd(
    query_states: Tensor,
    key_states: Tensor,
    value_states: Tensor,
    attn_output: Tensor,
    key_cache: Tensor,
    value_cache: Tensor,
    block_offsets: Tensor,
    q_start_loc: Tensor,
    q_seqlens: Tensor,
    kv_seqlens: Tensor,
    max_q_seq_len: int,
    max_kv_seq_len: int,
    is_decoding: bool,
    block_size: int,
    num_heads: int,
    num_kv_heads: int,
    attn_mask: Sequence[Tensor | None] = (),
    softmax_scale: float | None = None,
):
    """Attention over a paged cache."""
    if is_decoding:
        return paged_token_attention(query_states, key_cache, value_cache, attn_output, kv_seqlens, max_kv_seq_len,
                                     block_offsets, block_size, num_heads, num_kv_heads, softmax_scale)
    return prefill_attention(query_states, key_states, value_states, attn_output, q_start_loc, q_seqlens,
                             max_q_seq_len, num_heads, num_kv_heads, attn_mask, softmax_scale)
