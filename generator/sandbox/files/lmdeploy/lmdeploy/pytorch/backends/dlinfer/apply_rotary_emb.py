# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from torch import Tensor

from lmdeploy.pytorch.kernels.dlinfer import apply_rotary_pos_emb

from ..apply_rotary_emb import ApplyRotaryEmbBuilder, ApplyRotaryEmbImpl


class DlinferApplyRotaryEmbImpl(ApplyRotaryEmbImpl):
    """Dlinfer rotation."""

    def forward(self, query: Tensor, key: Tensor, cos: Tensor, sin: Tensor, inplace: bool = True):
        """forward."""
        outs = (None, None) if inplace else (query.new_empty(query.shape), key.new_empty(key.shape))
        return apply_rotary_pos_emb(query, key, cos, sin, *outs)


class DlinferApplyRotaryEmbBuilder(ApplyRotaryEmbBuilder):
    """Builds the dlinfer rotation."""

    @staticmethod
    def build():
        """build."""
        return DlinferApplyRotaryEmbImpl()
