# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
import torch.distributed as dist
import torch.nn.functional as F

from ..linear import LinearBuilder, LinearImpl


class DefaultLinearImpl(LinearImpl):
    """Linear layer in plain torch."""

    def forward(self,
                x,
                weight: torch.Tensor,
                bias: torch.Tensor | None = None,
                all_reduce: bool = False,
                group: dist.ProcessGroup = None):
        """forward."""
        y = F.linear(x, weight, bias)
        if all_reduce:
            dist.all_reduce(y, group=group)
        return y


class DefaultLinearBuilder(LinearBuilder):
    """Builds a linear layer."""

    @staticmethod
    def build(in_features: int, out_features: int, bias: bool = True, dtype: torch.dtype = None):
        """build."""
        return DefaultLinearImpl()
