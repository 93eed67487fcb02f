# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .w8a8_kernels import per_channel_quant

__all__ = [
    'per_channel_quant',
]
