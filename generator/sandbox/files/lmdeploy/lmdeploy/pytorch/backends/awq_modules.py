# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod

import torch


class LinearW4A16Impl(ABC):
    """Linear layer with four-bit weights."""

    @abstractmethod
    def forward(self, x, weight: torch.Tensor, bias: torch.Tensor | None = None, all_reduce: bool = False):
        """forward."""
        raise NotImplementedError


class LinearW4A16Builder(ABC):
    """Builds a linear layer with four-bit weights."""

    @staticmethod
    @abstractmethod
    def build(in_features: int, out_features: int, w_bit: int, group_size: int, bias: bool = False):
        """build."""
        raise NotImplementedError
