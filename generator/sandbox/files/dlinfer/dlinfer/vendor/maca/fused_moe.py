import torch

from dlinfer.utils.type_annotation import Tensor


def fused_experts(
    hidden_states: Tensor,
    gate_up_weights: Tensor,
    down_weights: Tensor,
    topk_weights: Tensor,
    topk_ids: Tensor,
) -> Tensor:
    """One expert after another, the sum by a native op."""
    outs = hidden_states.new_zeros(*topk_ids.shape, hidden_states.shape[-1])
    for expert, (gate_up, down) in enumerate(zip(gate_up_weights, down_weights)):
        token, slot = (topk_ids == expert).nonzero(as_tuple=True)
        both = hidden_states[token] @ gate_up.t()
        act = both.new_empty(both.shape[0], both.shape[1] // 2)
        torch.ops._C.silu_and_mul(act, both)
        outs[token, slot] = (act @ down.t()) * topk_weights[token, slot, None]
    result = torch.empty_like(hidden_states)
    torch.ops._moe_C.moe_sum(outs, result)
    return result
