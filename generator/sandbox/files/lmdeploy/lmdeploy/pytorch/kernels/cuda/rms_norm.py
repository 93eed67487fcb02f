# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit
def rms_norm_kernel(x_ptr, weight_ptr, out_ptr, row_stride, eps: tl.constexpr, size: tl.constexpr, block: tl.constexpr):
    """One row a program."""
    row = tl.program_id(0)
    cols = tl.arange(0, block)
    inside = cols < size
    x = tl.load(x_ptr + row * row_stride + cols, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols, mask=inside, other=0.0)
    scale = tl.math.rsqrt(tl.sum(x * x, axis=0) / size + eps)
    tl.store(out_ptr + row * row_stride + cols, x * scale * weight, mask=inside)


def rms_norm(hidden_states: Tensor, weight: Tensor, eps: float = 1e-6, residual: Tensor = None):
    """RMS norm over the last axis."""
    total = (hidden_states if residual is None else hidden_states + residual).contiguous()
    size = weight.shape[0]
    out = torch.empty_like(total)
    rms_norm_kernel[(total.numel() // size, )](total, weight, out, size, eps, size, triton.next_power_of_2(size))
    return out if residual is None else (out, total)
