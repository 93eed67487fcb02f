# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from dataclasses import dataclass, field

import torch


@dataclass
class BackendConfig:
    """What the user asked of the backend."""
    eager_mode: bool = True
    device_type: str = 'cuda'


@dataclass
class CacheConfig:
    """Size of the paged cache."""
    max_batches: int = 64
    block_size: int = 64
    num_gpu_blocks: int = 0
    num_state_caches: int = 0


@dataclass
class ModelConfig:
    """What the engine knows of a model."""
    hidden_size: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int = 1
    dtype: torch.dtype = torch.bfloat16
    use_mrope: bool = False
    is_gated_delta: bool = False
    states_shapes: list[tuple[tuple[int], torch.dtype]] = field(default_factory=list)
