# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from lmdeploy.pytorch.backends import OpType, get_backend
from lmdeploy.pytorch.distributed import get_tp_world_rank


class BaseLinear(nn.Module):
    """Linear layer."""

    def __init__(self,
                 in_features: int,
                 out_features: int,
                 bias: bool,
                 dtype: torch.dtype | None = None,
                 device: torch.device | None = None,
                 is_tp: bool = False,
                 layer_type: str = 'attn'):
        super().__init__()
        world_size, _ = get_tp_world_rank(layer_type)
        rows = out_features // world_size if is_tp else out_features
        builder = get_backend().get_layer_impl_builder(OpType.Linear)
        self.weight = nn.Parameter(torch.empty(rows, in_features, dtype=dtype, device=device), requires_grad=False)
        self.bias = nn.Parameter(torch.zeros(rows, dtype=dtype, device=device)) if bias else None
        self.impl = builder.build(in_features, rows, bias, dtype)

    def forward(self, x):
        """forward."""
        return self.impl.forward(x, self.weight, self.bias)
