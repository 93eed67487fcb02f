# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import dlinfer.ops as ext_ops
from torch import Tensor


def silu_and_mul(input_tensor: Tensor) -> Tensor:
    """SiLU of the first half of each row, times the second."""
    return ext_ops.silu_and_mul(input_tensor)
