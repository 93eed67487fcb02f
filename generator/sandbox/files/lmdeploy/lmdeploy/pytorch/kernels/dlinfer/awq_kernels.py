# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import dlinfer.ops as ext_ops
from torch import Tensor


def awq_linear(x: Tensor,
               qweight: Tensor,
               scales: Tensor,
               qzeros: Tensor,
               bias: Tensor | None = None,
               all_reduce: bool = False,
               group_size: int = 0):
    """Linear layer with four-bit weights."""
    return ext_ops.weight_quant_matmul(x.squeeze(0), qweight, scales, qzeros, bias, all_reduce, group_size).unsqueeze(0)
