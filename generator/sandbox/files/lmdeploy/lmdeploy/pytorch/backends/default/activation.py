# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch.nn.functional as F

from ..activation import SiluAndMulBuilder, SiluAndMulImpl


class DefaultSiluAndMulImpl(SiluAndMulImpl):
    """SiLU and multiply in plain torch."""

    def forward(self, x):
        """forward."""
        half = x.shape[-1] // 2
        return F.silu(x[..., :half]) * x[..., half:]


class DefaultSiluAndMulBuilder(SiluAndMulBuilder):
    """Builds SiLU and multiply."""

    @staticmethod
    def build(inplace: bool = False):
        """build."""
        return DefaultSiluAndMulImpl()
