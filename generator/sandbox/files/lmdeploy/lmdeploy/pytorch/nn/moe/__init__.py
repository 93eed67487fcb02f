# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .base import SoftmaxTopK  # noqa: F401
from .default import FusedMoE, build_fused_moe  # noqa: F401
