# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod

import torch


class CausalConv1dImpl(ABC):
    """Causal convolution along the sequence."""

    @abstractmethod
    def conv1d_fn(self,
                  x: torch.Tensor,
                  weight: torch.Tensor,
                  bias: torch.Tensor | None = None,
                  seq_idx: torch.Tensor | None = None,
                  activation: str | None = None):
        """Forward of a prefill."""
        raise NotImplementedError

    @abstractmethod
    def update_fn(
        self,
        x: torch.Tensor,
        conv_state: torch.Tensor,
        weight: torch.Tensor,
        bias: torch.Tensor | None = None,
        activation: str | None = None,
        conv_state_indices: torch.Tensor | None = None,
    ):
        """Forward of a decode step, updates the state."""
        raise NotImplementedError


class CausalConv1dBuilder(ABC):
    """Builds the convolution."""

    @staticmethod
    @abstractmethod
    def build():
        """build."""
        raise NotImplementedError
