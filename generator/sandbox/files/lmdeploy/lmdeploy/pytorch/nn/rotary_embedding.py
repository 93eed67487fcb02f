# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from torch import Tensor, nn

from ..backends import OpType, get_backend


def build_rotary_embedding(dim: int, max_position_embeddings: int = 2048, base: int = 10000) -> nn.Module:
    """Table of angles."""
    builder = get_backend().get_layer_impl_builder(OpType.RotaryEmbedding)
    return builder.build(dim, max_position_embeddings, base)


class ApplyRotaryEmb(nn.Module):
    """Rotates query and key."""

    def __init__(self):
        super().__init__()
        builder = get_backend().get_layer_impl_builder(OpType.ApplyRotaryEmb)
        self.impl = builder.build()

    def forward(self, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, inplace: bool = True):
        """forward."""
        return self.impl.forward(query, key, cos, sin, inplace)
