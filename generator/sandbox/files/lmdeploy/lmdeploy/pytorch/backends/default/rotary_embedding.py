# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import Tensor, nn

from ..rotary_embedding import RotaryEmbeddingBuilder, RotaryEmbeddingImpl


class DefaultRotaryEmbeddingImpl(RotaryEmbeddingImpl, nn.Module):
    """Angles in plain torch."""

    def __init__(self, dim: int, base: int = 10000):
        super().__init__()
        steps = torch.arange(0, dim, 2, dtype=torch.float32) / dim
        self.register_buffer('frequency', base**-steps, persistent=False)

    def forward(self, x: Tensor, position_ids: Tensor):
        """forward."""
        angles = position_ids[..., None].float() * self.frequency
        angles = angles.repeat(1, 1, 2)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


class DefaultRotaryEmbeddingBuilder(RotaryEmbeddingBuilder):
    """Builds the table of angles."""

    @staticmethod
    def build(dim: int, max_position_embeddings: int = 2048, base: int = 10000):
        """build."""
        return DefaultRotaryEmbeddingImpl(dim, base)
