# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from lmdeploy.pytorch.models.patch import get_quant_method

from ..backends import OpType, get_backend


class RMSNorm(nn.Module):
    """RMS norm."""

    def __init__(
        self,
        hidden_size: int,
        eps: float = 1e-6,
        dtype: torch.dtype | None = None,
        device: torch.device | None = None,
        quant_config: dict | None = None,
        prefix: str = '',
    ):
        super().__init__()
        if get_quant_method(quant_config, prefix, 'norm') == 'smooth_quant':
            builder = get_backend().get_layer_impl_builder(OpType.RMSNormW8A8)
        else:
            builder = get_backend().get_layer_impl_builder(OpType.RMSNorm)
        self.register_parameter('weight', self.create_weight(hidden_size, dtype, device))
        self.impl = builder.build(hidden_size, eps)

    @staticmethod
    def create_weight(hidden_size: int, dtype: torch.dtype | None = None, device: torch.device | None = None):
        """Weight before a checkpoint is loaded."""
        ones = torch.ones(hidden_size, dtype=dtype or torch.float16, device=device or 'cuda')
        return nn.Parameter(ones, requires_grad=False)

    def forward(self, x: torch.Tensor, residual: torch.Tensor = None):
        """forward."""
        return self.impl.forward(x, self.weight, residual)


class LayerNorm(nn.Module):
    """Layer norm."""

    def __init__(self,
                 hidden_size: int,
                 eps: float = 1e-6,
                 dtype: torch.dtype | None = None,
                 device: torch.device | None = None):
        super().__init__()
        builder = get_backend().get_layer_impl_builder(OpType.LayerNorm)
        self.register_parameter('weight', RMSNorm.create_weight(hidden_size, dtype, device))
        self.register_parameter('bias', nn.Parameter(torch.zeros_like(self.weight), requires_grad=False))
        self.impl = builder.build(hidden_size, eps)

    def forward(self, x: torch.Tensor, residual: torch.Tensor | None = None):
        """forward."""
        return self.impl.forward(x, self.weight, self.bias, residual)
