# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from ..causal_conv1d import CausalConv1dBuilder, CausalConv1dImpl


class CausalConv1dCudaImpl(CausalConv1dImpl):
    """Convolution by the kernels of the package causal_conv1d."""

    def conv1d_fn(self,
                  x: torch.Tensor,
                  weight: torch.Tensor,
                  bias: torch.Tensor | None = None,
                  seq_idx: torch.Tensor | None = None,
                  activation: str | None = None):
        """Forward of a prefill."""
        import causal_conv1d
        return causal_conv1d.causal_conv1d_fn(x, weight, bias, seq_idx=seq_idx, activation=activation)

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
        import causal_conv1d
        return causal_conv1d.causal_conv1d_update(x,
                                                  conv_state,
                                                  weight,
                                                  bias,
                                                  activation=activation,
                                                  conv_state_indices=conv_state_indices)


class CausalConv1dCudaBuilder(CausalConv1dBuilder):
    """Builds the convolution."""

    @staticmethod
    def build():
        """build."""
        return CausalConv1dCudaImpl()
