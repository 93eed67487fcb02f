# Sandbox counterpart written for scaffold, in the form of lmdeploy.
from .activation import SiluAndMul  # noqa: F401
from .attention import Attention  # noqa: F401
from .norm import LayerNorm, RMSNorm  # noqa: F401
from .rotary_embedding import ApplyRotaryEmb, build_rotary_embedding  # noqa: F401
