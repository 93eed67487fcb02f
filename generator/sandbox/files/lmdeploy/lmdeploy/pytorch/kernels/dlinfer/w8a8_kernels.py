# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import dlinfer.ops as ext_ops
import torch
from torch import Tensor


def rms_norm_w8a8(hidden_states: Tensor, weight: Tensor, epsilon: float, quant_dtype: torch.dtype = torch.int8):
    """RMS norm whose result is quantized per token."""
    return ext_ops.rms_norm_w8a8(hidden_states, weight, epsilon, quant_dtype)
