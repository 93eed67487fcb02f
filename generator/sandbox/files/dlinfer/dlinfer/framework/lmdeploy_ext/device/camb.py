# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch

from lmdeploy.pytorch.backends.default.rotary_embedding import (
    DefaultRotaryEmbeddingImpl,
)


def CambDefaultRotaryEmbeddingImpl_forward(
    self, x: torch.Tensor, position_ids: torch.Tensor
):
    """The angles stay in single precision."""
    angles = position_ids.unsqueeze(-1).float() * self.frequency
    both = torch.cat((angles, angles), dim=-1)
    return both.cos(), both.sin()


DefaultRotaryEmbeddingImpl.forward = CambDefaultRotaryEmbeddingImpl_forward
