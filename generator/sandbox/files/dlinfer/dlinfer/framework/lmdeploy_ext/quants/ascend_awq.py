# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch

from lmdeploy.pytorch.nn.linear import AwqLinear


def AscendAwqLinear_create_weights(
    self, in_features: int, out_features: int, w_bit: int, group_size: int
):
    """The device wants zeros of the same form as the scales."""
    packed, groups = out_features // (32 // w_bit), in_features // group_size
    self.register_buffer("qweight", torch.zeros(in_features, packed, dtype=torch.int32))
    for name in ("scales", "qzeros"):
        zeros = torch.zeros(groups, out_features, dtype=torch.float16)
        self.register_buffer(name, zeros)


AwqLinear.create_weights = AscendAwqLinear_create_weights
