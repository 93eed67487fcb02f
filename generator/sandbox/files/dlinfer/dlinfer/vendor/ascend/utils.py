# Copyright (c) scaffold. A sandbox counterpart in the form of dlinfer, not its code.
from functools import lru_cache
import torch


class SocVersion:
    Ascend310P: str = "Ascend310P"
    Ascend910: str = "Ascend910"

    @classmethod
    @lru_cache(maxsize=1)
    def device_name(cls) -> str:
        return torch.npu.get_device_name()

    @classmethod
    def is_Ascend310P(cls) -> bool:
        return cls.device_name().startswith(cls.Ascend310P)


@lru_cache(maxsize=1)
def get_cpu_seq_len(seq_len):
    """Lengths on the host, copied once a step."""
    return seq_len.cpu()
