# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from ..attention import AttentionBuilder, AttentionImpl, AttentionMetadata


@dataclass
class DlinferAttentionMetadata(AttentionMetadata):
    """What the attention of dlinfer needs to know of a step."""
    kv_start_indices: Tensor | None = None
    block_size: int = 64
    attention_mask: Sequence[Tensor] = tuple()
    is_prefill_no_cache: bool | None = None
    max_q_seq_len: int = 1
    max_kv_seq_len: int = 1
    cu_seq_lens_kv: Tensor | None = None
    has_initial_state: Tensor | None = None


class DlinferAttentionImpl(AttentionImpl[DlinferAttentionMetadata]):
    """Dlinfer attention over a paged cache."""

    def __init__(
        self,
        num_heads: int,
        head_size: int,
        scale: float = None,
        num_kv_heads: int = None,
        v_head_size: int = None,
        causal: bool = True,
        **kwargs,
    ):
        super().__init__(num_heads, head_size, scale, num_kv_heads, v_head_size, causal, **kwargs)

        from lmdeploy.pytorch.kernels.dlinfer import fill_kv_cache, paged_attention_fwd

        self.fill_kv_cache = fill_kv_cache
        self.paged_attention_fwd = paged_attention_fwd

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        k_cache: Tensor,
        v_cache: Tensor,
        attn_metadata: DlinferAttentionMetadata,
        inplace: bool = True,
    ) -> Tensor:
        """forward."""
        k_cache, v_cache = self.fill_kv_cache(key, value, k_cache, v_cache, attn_metadata.kv_start_indices)
        out = query if inplace else query.new_empty(query.shape[:-1] + (self.v_head_size, ))
        return self.paged_attention_fwd(
            query,
            key,
            value,
            out,
            k_cache,
            v_cache,
            attn_metadata.block_offsets,
            q_start_loc=attn_metadata.q_start_loc,
            q_seqlens=attn_metadata.q_seqlens,
            kv_seqlens=attn_metadata.kv_seqlens,
            max_q_seq_len=attn_metadata.max_q_seq_len,
            max_kv_seq_len=attn_metadata.max_kv_seq_len,
            is_decoding=attn_metadata.is_decoding,
            block_size=attn_metadata.block_size,
            num_heads=self.num_heads,
            num_kv_heads=self.num_kv_heads,
            attn_mask=attn_metadata.attention_mask,
            softmax_scale=self.scale,
        )


class DlinferAttentionBuilder(AttentionBuilder[DlinferAttentionMetadata]):
    """Builds the dlinfer attention."""

    @staticmethod
    def build(
        num_heads: int,
        head_size: int,
        scale: float = None,
        num_kv_heads: int = None,
        v_head_size: int = None,
        causal: bool = True,
        **kwargs,
    ) -> DlinferAttentionImpl:
        """build."""
        return DlinferAttentionImpl(num_heads, head_size, scale, num_kv_heads, v_head_size, causal, **kwargs)
