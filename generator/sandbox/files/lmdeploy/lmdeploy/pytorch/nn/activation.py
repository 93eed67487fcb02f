# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from torch import Tensor, nn

from ..backends import OpType, get_backend


class SiluAndMul(nn.Module):
    """SiLU of the first half, times the second."""

    def __init__(self, inplace: bool = True):
        super().__init__()
        builder = get_backend().get_layer_impl_builder(OpType.SiluAndMul)
        self.impl = builder.build(inplace)

    def forward(self, x: Tensor):
        """forward."""
        return self.impl.forward(x)
