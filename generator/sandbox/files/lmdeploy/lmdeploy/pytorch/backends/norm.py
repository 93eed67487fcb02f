# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod

import torch


class RMSNormImpl(ABC):
    """RMS norm."""

    @abstractmethod
    def forward(self, x: torch.Tensor, weight: torch.Tensor, residual: torch.Tensor = None):
        """forward."""
        raise NotImplementedError


class RMSNormBuilder(ABC):
    """Builds a RMS norm."""

    @staticmethod
    @abstractmethod
    def build(hidden_size: int, eps: float = 1e-6):
        """build."""
        raise NotImplementedError


class LayerNormImpl(ABC):
    """Layer norm."""

    @abstractmethod
    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor = None, residual: torch.Tensor = None):
        """forward."""
        raise NotImplementedError


class LayerNormBuilder(ABC):
    """Builds a layer norm."""

    @staticmethod
    @abstractmethod
    def build(normalized_shape: int, eps: float = 1e-6):
        """build."""
        raise NotImplementedError
