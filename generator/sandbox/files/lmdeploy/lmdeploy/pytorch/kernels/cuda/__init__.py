# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .rms_norm import rms_norm

__all__ = [
    'rms_norm',
]
