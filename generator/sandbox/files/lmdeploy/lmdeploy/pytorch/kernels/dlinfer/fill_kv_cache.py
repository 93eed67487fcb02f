# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import dlinfer.ops as ext_ops
from torch import Tensor


def fill_kv_cache(
    key_states: Tensor,
    value_states: Tensor,
    key_caches: Tensor,
    value_caches: Tensor,
    kv_start_indices: Tensor,
    quant_bits: int = 0,
):
    """Put keys and values into the paged cache."""
    return ext_ops.fill_kv_cache(key_states,
                                 value_states,
                                 key_caches,
                                 value_caches,
                                 kv_start_indices,
                                 quant_bits=quant_bits)
