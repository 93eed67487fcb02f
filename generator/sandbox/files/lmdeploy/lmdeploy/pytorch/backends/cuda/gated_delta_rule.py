# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from ..gated_delta_rule import GatedDeltaRuleBuilder, GatedDeltaRuleImpl


class CudaGatedDeltaRuleImpl(GatedDeltaRuleImpl):
    """Gated delta rule by the kernels of the package fla."""

    def chunk_gated_delta_rule(
        self,
        q: torch.Tensor,
        k: torch.Tensor,
        v: torch.Tensor,
        g: torch.Tensor | None = None,
        beta: torch.Tensor | None = None,
        initial_state: torch.Tensor | None = None,
        state_indices: torch.Tensor | None = None,
        cu_seqlens: torch.Tensor | None = None,
    ):
        """Forward of a prefill."""
        from fla.ops import gated_delta_rule as fla_rule
        state = initial_state[state_indices]
        return fla_rule.chunk_gated_delta_rule(q, k, v, g, beta, initial_state=state, cu_seqlens=cu_seqlens)

    def fused_recurrent_gated_delta_rule(self,
                                         q: torch.Tensor,
                                         k: torch.Tensor,
                                         v: torch.Tensor,
                                         g: torch.Tensor | None = None,
                                         beta: torch.Tensor | None = None,
                                         initial_state: torch.Tensor | None = None,
                                         state_indices: torch.Tensor | None = None):
        """Forward of a decode step."""
        from fla.ops import gated_delta_rule as fla_rule
        state = initial_state[state_indices]
        return fla_rule.fused_recurrent_gated_delta_rule(q, k, v, g, beta=beta, initial_state=state)


class CudaGatedDeltaRuleBuilder(GatedDeltaRuleBuilder):
    """Builds the gated delta rule."""

    @staticmethod
    def build() -> GatedDeltaRuleImpl:
        """build."""
        return CudaGatedDeltaRuleImpl()
