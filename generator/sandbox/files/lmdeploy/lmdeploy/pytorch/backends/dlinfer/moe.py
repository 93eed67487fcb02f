# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from collections.abc import Callable

import torch

from lmdeploy.pytorch.kernels.dlinfer import (
    DlinferMoECommType,  # noqa: F401
    DlinferMoeMetadata,  # noqa: F401
    fused_moe,
    moe_gating_topk_softmax,
)
from lmdeploy.pytorch.model_inputs import get_step_ctx_manager

from ..moe import FusedMoEBuilder, FusedMoEImpl, SoftmaxTopKBuilder, SoftmaxTopKImpl


def _current_moe_metadata():
    """Metadata that the backend set for this step, if it has any."""
    return getattr(get_step_ctx_manager().current_context(), 'moe_metadata', None)


class DlinferSoftmaxTopKImpl(SoftmaxTopKImpl):
    """Dlinfer choice of experts."""

    def __init__(self, top_k: int, dim: int = -1, n_groups: int = -1):
        self.top_k = top_k
        self.dim = dim
        self.n_groups = n_groups

    def forward(self, x: torch.Tensor):
        """forward."""
        moe_metadata = _current_moe_metadata()
        if moe_metadata is not None:
            moe_metadata.router_n_groups = self.n_groups
        return moe_gating_topk_softmax(x, self.top_k, moe_metadata)


class DlinferSoftmaxTopKBuilder(SoftmaxTopKBuilder):
    """Builds the dlinfer choice of experts."""

    @staticmethod
    def build(top_k: int, dim: int = -1, n_groups: int = -1):
        """build."""
        return DlinferSoftmaxTopKImpl(top_k, dim, n_groups)


class DlinferFusedMoEImpl(FusedMoEImpl):
    """Dlinfer experts."""

    def __init__(self, top_k: int, num_experts: int, renormalize: bool = False):
        self.top_k = top_k
        self.num_experts = num_experts
        self.renormalize = renormalize

    def forward(self,
                hidden_states: torch.Tensor,
                topk_weights: torch.Tensor,
                topk_ids: torch.LongTensor,
                gate_up_weights: torch.Tensor,
                down_weights: torch.Tensor,
                expert_list: list[int] = None,
                act_func: Callable = None):
        """forward."""
        return fused_moe(hidden_states, gate_up_weights, down_weights, topk_weights, topk_ids, self.top_k,
                         self.renormalize, _current_moe_metadata())


class DlinferFusedMoEBuilder(FusedMoEBuilder):
    """Builds the dlinfer experts."""

    @staticmethod
    def build(top_k: int,
              num_experts: int,
              renormalize: bool = False,
              hidden_dim: int = 1,
              ep_size: int = 1,
              ep_group: torch.distributed.ProcessGroup = None,
              layer_idx: int = 0):
        """build."""
        return DlinferFusedMoEImpl(top_k, num_experts, renormalize)
