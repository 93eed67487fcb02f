# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from lmdeploy.pytorch.kernels.dlinfer.w8a8_kernels import rms_norm_w8a8

from ..qmodules import RMSNormW8A8Builder, RMSNormW8A8Impl


class DlinferRMSNormW8A8Impl(RMSNormW8A8Impl):
    """Dlinfer quantizing RMS norm."""

    def __init__(self, hidden_size: int, eps: float = 1e-6, quant_dtype: torch.dtype = torch.int8):
        self.hidden_size = hidden_size
        self.eps = eps
        self.quant_dtype = quant_dtype

    def forward(self, x: torch.Tensor, weight: torch.Tensor, residual: torch.Tensor = None):
        """forward."""
        total = x if residual is None else x + residual
        quantized, scale = rms_norm_w8a8(total, weight, self.eps, self.quant_dtype)
        return (quantized, scale) if residual is None else (quantized, scale, total)


class DlinferRMSNormW8A8Builder(RMSNormW8A8Builder):
    """Builds a dlinfer quantizing RMS norm."""

    @staticmethod
    def build(hidden_size: int, eps: float = 1e-6, quant_dtype: torch.dtype = torch.int8):
        """build."""
        return DlinferRMSNormW8A8Impl(hidden_size, eps, quant_dtype)
