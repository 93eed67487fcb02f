# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from ..backends import OpType, get_backend


class Attention(nn.Module):
    """Attention over a paged cache."""

    def __init__(self,
                 num_heads: int,
                 head_size: int,
                 scale: float = None,
                 num_kv_heads: int = None,
                 v_head_size: int = None,
                 **kwargs):
        super().__init__()
        builder = get_backend().get_layer_impl_builder(OpType.PagedAttention)
        self.impl = builder.build(num_heads, head_size, scale, num_kv_heads, v_head_size, **kwargs)

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        k_cache: torch.Tensor,
        v_cache: torch.Tensor,
        attn_metadata,
        inplace: bool = True,
    ) -> torch.Tensor:
        """forward."""
        return self.impl.forward(query, key, value, k_cache, v_cache, attn_metadata, inplace=inplace)
