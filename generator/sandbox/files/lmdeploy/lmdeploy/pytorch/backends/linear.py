# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod

import torch
import torch.distributed as dist


class LinearImpl(ABC):
    """Linear layer."""

    def update_weights(self, weight: torch.Tensor, bias: torch.Tensor | None = None):
        """Bring the weights into the layout of the backend."""
        return weight, bias

    @abstractmethod
    def forward(self,
                x,
                weight: torch.Tensor,
                bias: torch.Tensor | None = None,
                all_reduce: bool = False,
                group: dist.ProcessGroup = None):
        """forward."""
        raise NotImplementedError


class LinearBuilder(ABC):
    """Builds a linear layer."""

    @staticmethod
    @abstractmethod
    def build(in_features: int, out_features: int, bias: bool = True, dtype: torch.dtype = None):
        """build."""
        raise NotImplementedError
