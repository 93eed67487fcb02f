# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from dataclasses import dataclass, field
from typing import Any

import torch

from lmdeploy.pytorch.config import CacheConfig, ModelConfig


@dataclass
class ModelInputs:
    """Input of one forward step."""
    input_ids: torch.LongTensor
    seq_length: torch.LongTensor
    history_lengths: torch.LongTensor
    block_offsets: torch.IntTensor
    is_decoding: bool
    sum_kv_seqlen: int
    max_kv_seqlen: int
    state_offsets: torch.LongTensor | None = None
    mrope_pos_ids: torch.Tensor | None = None


@dataclass
class BuildModelContext:
    """What is known while a model is built."""
    num_spec_tokens: int = 0
    quant_config: Any = None


@dataclass
class StepContext:
    """What a patched model may read during one step."""
    input_ids: torch.LongTensor
    model_config: ModelConfig
    cache_config: CacheConfig
    block_offsets: torch.IntTensor
    position_ids: torch.LongTensor
    q_seqlens: torch.LongTensor
    kv_seqlens: torch.IntTensor
    q_start_loc: torch.LongTensor
    kv_caches: list
    is_decoding: bool
    sum_kv_seqlen: int
    max_kv_seqlen: int | None = None
    input_embeddings: torch.Tensor | None = None
    attn_metadata: Any = None
    enable_microbatch: bool = False

    # states of recurrent layers
    state_caches: list | None = None
    state_offsets: torch.LongTensor | None = None

    # positions in three axes
    mrope_position_ids: torch.Tensor | None = None

    _outputs: dict = field(default_factory=dict)

    @classmethod
    def new(
        cls,
        inputs: ModelInputs,
        model_config: ModelConfig,
        cache_config: CacheConfig,
        kv_caches: list | None = None,
        state_caches: list | None = None,
    ):
        """Build the context of a step.

        Args:
            inputs (ModelInputs): what the engine packed for this step.
        """
        lengths = inputs.seq_length
        ends = lengths.cumsum(0)
        ret = StepContext(
            input_ids=inputs.input_ids,
            model_config=model_config,
            cache_config=cache_config,
            block_offsets=inputs.block_offsets,
            position_ids=cls.get_position_ids(inputs),
            q_seqlens=lengths,
            kv_seqlens=lengths + inputs.history_lengths,
            q_start_loc=ends - lengths,
            kv_caches=kv_caches,
            is_decoding=inputs.is_decoding,
            sum_kv_seqlen=inputs.sum_kv_seqlen,
            max_kv_seqlen=inputs.max_kv_seqlen,
            state_caches=state_caches,
            state_offsets=inputs.state_offsets,
            mrope_position_ids=inputs.mrope_pos_ids,
        )
        return get_backend().update_step_context(ret)

    @staticmethod
    def get_position_ids(inputs: ModelInputs):
        """Position of every token in its own sequence, shape (1, num_tokens)."""
        spans = zip(inputs.history_lengths.tolist(), inputs.seq_length.tolist())
        return torch.cat([torch.arange(start, start + length) for start, length in spans])[None]

    def global_is_decoding(self):
        """True if all data parallel ranks decode."""
        return self.is_decoding


class StepContextManager:
    """Holds the context of the step that runs."""

    def __init__(self, build_ctx: BuildModelContext = None):
        self.build_ctx = build_ctx or BuildModelContext()
        self._current: StepContext | None = None

    def current_context(self) -> StepContext | None:
        """Current step."""
        return self._current

    def set_context(self, context: StepContext | None):
        """Set the current step."""
        self._current = context


_MANAGER = StepContextManager()


def get_step_ctx_manager() -> StepContextManager:
    """The step context manager of this thread."""
    return _MANAGER


def get_backend():
    """Backend of the current device."""
    from lmdeploy.pytorch.backends import get_backend as backend_of_device
    return backend_of_device()
