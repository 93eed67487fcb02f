# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

import dlinfer.ops as ext_ops
from dlinfer.utils.type_annotation import MoeMetadata as DlinferMoeMetadata
from torch import Tensor


def moe_gating_topk_softmax(router_logits: Tensor, topk: int,
                            moe_metadata: DlinferMoeMetadata) -> tuple[Tensor, Tensor]:
    """Choose the experts of each token."""
    weights, experts = ext_ops.moe_gating_topk_softmax(router_logits, topk, moe_metadata)
    return weights, experts
