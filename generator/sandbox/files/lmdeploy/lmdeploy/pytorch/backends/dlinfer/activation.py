# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from lmdeploy.pytorch.kernels.dlinfer.activation import silu_and_mul

from ..activation import SiluAndMulBuilder, SiluAndMulImpl


class DlinferSiluAndMulImpl(SiluAndMulImpl):
    """Dlinfer SiLU and multiply."""

    def forward(self, x):
        """forward."""
        return silu_and_mul(x)


class DlinferSiluAndMulBuilder(SiluAndMulBuilder):
    """Builds dlinfer SiLU and multiply."""

    @staticmethod
    def build(inplace: bool = False):
        """build."""
        return DlinferSiluAndMulImpl()
