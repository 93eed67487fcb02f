# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from lmdeploy.pytorch.backends import OpType, get_backend


class FusedMoE(nn.Module):
    """The experts of a layer."""

    def __init__(self,
                 hidden_dim: int,
                 ffn_dim: int,
                 num_experts: int,
                 top_k: int,
                 renormalize: bool = False,
                 dtype: torch.dtype | None = None,
                 device: torch.device | None = None):
        super().__init__()
        gate_up, down = self.expert_shapes(num_experts, hidden_dim, ffn_dim)
        self.gate_up = nn.Parameter(torch.empty(gate_up, dtype=dtype, device=device))
        self.down = nn.Parameter(torch.empty(down, dtype=dtype, device=device))
        builder = get_backend().get_layer_impl_builder(OpType.FusedMoE)
        self.impl = builder.build(top_k, num_experts, renormalize, hidden_dim)

    @staticmethod
    def expert_shapes(num_experts: int, hidden_dim: int, ffn_dim: int):
        """Shapes of the weights of all experts."""
        return (num_experts, 2 * ffn_dim, hidden_dim), (num_experts, hidden_dim, ffn_dim)

    def forward(self, hidden_states: torch.Tensor, topk_weights: torch.Tensor, topk_ids: torch.LongTensor):
        """forward."""
        return self.impl.forward(hidden_states, topk_weights, topk_ids, self.gate_up, self.down)


def build_fused_moe(hidden_dim: int, ffn_dim: int, num_experts: int, top_k: int, **kwargs) -> nn.Module:
    """The experts of a layer."""
    return FusedMoE(hidden_dim, ffn_dim, num_experts, top_k, **kwargs)
