# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .rms_norm import rms_norm

__all__ = [
    'rms_norm',
]
