# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .base import SoftmaxTopK  # noqa: F401
from .default import FusedMoE, build_fused_moe  # noqa: F401
