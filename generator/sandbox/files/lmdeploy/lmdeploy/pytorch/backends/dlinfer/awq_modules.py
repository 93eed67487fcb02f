# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from lmdeploy.pytorch.kernels.dlinfer import awq_linear

from ..awq_modules import LinearW4A16Builder, LinearW4A16Impl


class AwqLinearW4A16Impl(LinearW4A16Impl):
    """Dlinfer linear layer with four-bit weights."""

    def __init__(self, group_size: int):
        self.group_size = group_size

    def forward(self,
                x,
                qweight: torch.Tensor,
                scales: torch.Tensor,
                qzeros: torch.Tensor,
                bias: torch.Tensor | None = None,
                all_reduce: bool = False):
        """forward."""
        return awq_linear(x, qweight, scales, qzeros, bias, all_reduce, self.group_size)


class AwqLinearW4A16Builder(LinearW4A16Builder):
    """Builds a dlinfer linear layer with four-bit weights."""

    @staticmethod
    def build(in_features: int, out_features: int, w_bit: int, group_size: int, bias: bool = False):
        """build."""
        return AwqLinearW4A16Impl(group_size)
