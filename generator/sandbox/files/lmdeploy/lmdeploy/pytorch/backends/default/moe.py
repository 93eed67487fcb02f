# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from ..moe import SoftmaxTopKBuilder, SoftmaxTopKImpl


class DefaultSoftmaxTopKImpl(SoftmaxTopKImpl):
    """Choice of experts in plain torch."""

    def __init__(self, top_k: int, dim: int = -1):
        self.top_k = top_k
        self.dim = dim

    def forward(self, x: torch.Tensor):
        """forward."""
        return x.float().softmax(self.dim).topk(self.top_k, self.dim)


class DefaultSoftmaxTopKBuilder(SoftmaxTopKBuilder):
    """Builds the choice of experts."""

    @staticmethod
    def build(top_k: int, dim: int = -1, n_groups: int = -1):
        """build."""
        return DefaultSoftmaxTopKImpl(top_k, dim)
