# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from lmdeploy.pytorch.backends import OpType, get_backend


class AwqLinear(nn.Module):
    """Linear layer with four-bit weights."""

    def __init__(self, in_features: int, out_features: int, w_bit: int, group_size: int, bias: bool, **kwargs):
        super().__init__()
        builder = get_backend().get_layer_impl_builder(OpType.LinearW4A16)
        self.create_weights(in_features, out_features, w_bit, group_size)
        self.bias = nn.Parameter(torch.zeros(out_features)) if bias else None
        self.impl = builder.build(in_features, out_features, w_bit, group_size, bias)

    def create_weights(self, in_features: int, out_features: int, w_bit: int, group_size: int):
        """Weights before a checkpoint is loaded."""
        packed, groups = out_features // (32 // w_bit), in_features // group_size
        self.register_buffer('qweight', torch.zeros(in_features, packed, dtype=torch.int32))
        self.register_buffer('scales', torch.zeros(groups, out_features, dtype=torch.float16))
        self.register_buffer('qzeros', torch.zeros(groups, packed, dtype=torch.int32))

    def forward(self, x):
        """forward."""
        return self.impl.forward(x, self.qweight, self.scales, self.qzeros, self.bias)
