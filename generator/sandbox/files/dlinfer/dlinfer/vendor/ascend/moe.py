import torch

from dlinfer.utils.type_annotation import Tensor


def fused_moe_naive(
    hidden_states: Tensor,
    gate_up_weights: Tensor,
    down_weights: Tensor,
    topk_weights: Tensor,
    topk_ids: Tensor,
    topk: int,
) -> Tensor:
    """All experts on this device: sort the tokens by expert, two grouped matmuls, put them back."""
    num_experts = gate_up_weights.size(0)
    rows, places, counts, _ = torch.ops.npu.npu_moe_init_routing_v2(
        hidden_states,
        topk_ids.to(torch.int32),
        active_num=topk_ids.numel(),
        expert_num=num_experts,
        expert_tokens_num_type=1,
        expert_tokens_num_flag=True,
        active_expert_range=[0, num_experts],
    )
    gate_up = grouped_matmul(rows, gate_up_weights, counts)
    down = grouped_matmul(torch.ops.npu.npu_swiglu(gate_up, -1), down_weights, counts)
    return torch.ops.npu.npu_moe_token_unpermute(
        permuted_tokens=down, sorted_indices=places.abs(), probs=topk_weights
    )


def grouped_matmul(rows: Tensor, weights: Tensor, counts: Tensor) -> Tensor:
    """Multiply each group of rows by the weight of its expert."""
    return torch.ops.npu.npu_grouped_matmul(
        [rows],
        [weights.transpose(1, 2)],
        group_list=counts,
        split_item=2,
        group_type=0,
        group_list_type=1,
    )[0]
