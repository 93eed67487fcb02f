# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
import torch
from torch import Tensor
from dataclasses import dataclass
from enum import auto, Enum
from typing import Optional, Sequence, Union, Any, Tuple, Callable, Dict


class MoECommType(Enum):
    NAIVE = auto()
    ALLGATHER = auto()
    ALLTOALL = auto()
    MC2 = auto()


@dataclass
class MoeMetadata:
    max_tokens_across_dp: int = 1
    dp_size: int = 1
    tp_size: int = 1
    ep_size: int = 1
    tp_rank: int = 0
    ep_rank: int = 0
    tp_group: torch.distributed.ProcessGroup = None
    ep_group: torch.distributed.ProcessGroup = None
    moe_comm_type: MoECommType = MoECommType.NAIVE
    x_active_mask: torch.Tensor = None
    router_n_groups: int = -1
