# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from .activation import SiluAndMul  # noqa: F401
from .attention import Attention  # noqa: F401
from .norm import LayerNorm, RMSNorm  # noqa: F401
from .rotary_embedding import ApplyRotaryEmb, build_rotary_embedding  # noqa: F401
