# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch
from torch import nn

from lmdeploy.pytorch.models.patch import get_build_model_context, get_quant_method

from .awq import AwqLinear
from .default import BaseLinear


def build_linear(
    in_features: int,
    out_features: int,
    bias: bool,
    dtype: torch.dtype | None = None,
    device: torch.device | None = None,
    is_tp: bool = False,
    quant_config: dict = None,
    layer_type: str = 'attn',
    prefix: str = '',
) -> nn.Module:
    """Linear layer of the quantization that the checkpoint has."""
    if get_quant_method(quant_config, prefix, 'linear') == 'awq':
        config = get_build_model_context().quant_config
        return AwqLinear(in_features, out_features, config.bits, config.group_size, bias)
    return BaseLinear(in_features, out_features, bias, dtype, device, is_tp, layer_type)


def build_qkv_proj(in_features: int, num_q_heads: int, num_kv_heads: int, head_size: int, bias: bool = False,
                   **kwargs) -> nn.Module:
    """Projection to query, key and value."""
    return build_linear(in_features, (num_q_heads + 2 * num_kv_heads) * head_size, bias, **kwargs)


def build_o_proj(in_features: int, out_features: int, bias: bool, **kwargs) -> nn.Module:
    """Projection of the attention's output."""
    return build_linear(in_features, out_features, bias, **kwargs)
