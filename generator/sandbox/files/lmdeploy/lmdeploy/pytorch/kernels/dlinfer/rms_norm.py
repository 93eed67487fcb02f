# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import dlinfer.ops as ext_ops
from torch import Tensor


def rms_norm(hidden_states: Tensor, weight: Tensor, epsilon: float = 1e-6, residual: Tensor = None):
    """RMS norm, after adding a residual if there is one."""
    if residual is not None:
        return ext_ops.add_rms_norm(hidden_states, residual, weight, epsilon)
    return ext_ops.rms_norm(hidden_states, weight, epsilon)
