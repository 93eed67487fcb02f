# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .w8a8_kernels import per_channel_quant

__all__ = [
    'per_channel_quant',
]
