# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import Tensor

from ..apply_rotary_emb import ApplyRotaryEmbBuilder, ApplyRotaryEmbImpl


def _turn(x: Tensor, cos: Tensor, sin: Tensor):
    """Rotate the two halves of each head."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


class DefaultApplyRotaryEmbImpl(ApplyRotaryEmbImpl):
    """Rotation in plain torch."""

    def forward(self, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, inplace: bool = True):
        """forward."""
        cos, sin = cos[..., None, :], sin[..., None, :]
        turned = _turn(query, cos, sin), _turn(key, cos, sin)
        return (query.copy_(turned[0]), key.copy_(turned[1])) if inplace else turned


class DefaultApplyRotaryEmbBuilder(ApplyRotaryEmbBuilder):
    """Builds the rotation."""

    @staticmethod
    def build():
        """build."""
        return DefaultApplyRotaryEmbImpl()
