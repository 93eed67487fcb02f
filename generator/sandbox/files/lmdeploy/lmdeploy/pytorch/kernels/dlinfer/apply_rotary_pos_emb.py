# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

import dlinfer.ops as ext_ops
from torch import Tensor


def apply_rotary_pos_emb(
    query_states: Tensor,
    key_states: Tensor,
    cos: Tensor,
    sin: Tensor,
    q_embed: Tensor | None,
    k_embed: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Rotate query and key, into given tensors where there are any."""
    turned_q, turned_k = ext_ops.apply_rotary_pos_emb(query_states, key_states, cos, sin)
    turned_q, turned_k = turned_q.view(query_states.shape), turned_k.view(key_states.shape)
    return (turned_q if q_embed is None else q_embed.copy_(turned_q),
            turned_k if k_embed is None else k_embed.copy_(turned_k))
