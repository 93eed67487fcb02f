# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
import torch.nn.functional as F

from ..norm import LayerNormBuilder, LayerNormImpl, RMSNormBuilder, RMSNormImpl


class DefaultRMSNormImpl(RMSNormImpl):
    """RMS norm in plain torch."""

    def __init__(self, hidden_size: int, eps: float = 1e-6):
        self.hidden_size = hidden_size
        self.eps = eps

    def forward(self, x: torch.Tensor, weight: torch.Tensor, residual: torch.Tensor = None):
        """forward."""
        total = x if residual is None else x + residual
        wide = total.float()
        scale = (wide.pow(2).mean(dim=-1, keepdim=True) + self.eps).rsqrt()
        out = (wide * scale * weight.float()).to(x.dtype)
        return out if residual is None else (out, total)


class DefaultRMSNormBuilder(RMSNormBuilder):
    """Builds a RMS norm."""

    @staticmethod
    def build(hidden_size: int, eps: float = 1e-6):
        """build."""
        return DefaultRMSNormImpl(hidden_size, eps)


class DefaultLayerNormImpl(LayerNormImpl):
    """Layer norm in plain torch."""

    def __init__(self, normalized_shape: int, eps: float = 1e-6):
        self.normalized_shape = (normalized_shape, )
        self.eps = eps

    def forward(self, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor = None, residual: torch.Tensor = None):
        """forward."""
        total = x if residual is None else x + residual
        out = F.layer_norm(total, self.normalized_shape, weight, bias, self.eps)
        return out if residual is None else (out, total)


class DefaultLayerNormBuilder(LayerNormBuilder):
    """Builds a layer norm."""

    @staticmethod
    def build(normalized_shape: int, eps: float = 1e-6):
        """build."""
        return DefaultLayerNormImpl(normalized_shape, eps)
