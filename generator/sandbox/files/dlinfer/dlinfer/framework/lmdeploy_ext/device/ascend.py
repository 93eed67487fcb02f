# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch

from lmdeploy.pytorch.nn.moe import default


@staticmethod
def ascend_expert_shapes(num_experts: int, hidden_dim: int, ffn_dim: int):
    """Experts are padded to whole blocks of the device."""
    width = (ffn_dim + 15) // 16 * 16
    return (num_experts, 2 * width, hidden_dim), (num_experts, hidden_dim, width)


default.FusedMoE.expert_shapes = ascend_expert_shapes
