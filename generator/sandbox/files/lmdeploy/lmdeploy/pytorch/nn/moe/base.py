# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from lmdeploy.pytorch.backends import OpType, get_backend


class SoftmaxTopK(nn.Module):
    """Chooses the experts of a token."""

    def __init__(self, top_k: int, dim: int = -1, n_groups: int = -1):
        super().__init__()
        builder = get_backend().get_layer_impl_builder(OpType.SoftmaxTopK)
        self.impl = builder.build(top_k, dim, n_groups)

    def forward(self, x: torch.Tensor):
        """forward."""
        return self.impl.forward(x)
