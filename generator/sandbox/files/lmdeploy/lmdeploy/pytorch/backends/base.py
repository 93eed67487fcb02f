# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from abc import ABC, abstractmethod
from enum import Enum, auto

import torch

from lmdeploy.pytorch.config import BackendConfig, CacheConfig, ModelConfig


class OpType(Enum):
    """Layers that a backend can implement."""
    PagedAttention = auto()
    Linear = auto()
    RotaryEmbedding = auto()
    ApplyRotaryEmb = auto()
    SiluAndMul = auto()
    RMSNorm = auto()
    LayerNorm = auto()
    RMSNormW8A8 = auto()
    LinearW4A16 = auto()
    SoftmaxTopK = auto()
    FusedMoE = auto()

    # MoE router
    RouterNoauxTC = auto()

    # Gated Delta
    CausalConv1d = auto()
    GatedDeltaRule = auto()


class OpsBackend(ABC):
    """What every backend offers."""

    @staticmethod
    @abstractmethod
    def get_name() -> str:
        """Name of the backend."""
        raise NotImplementedError

    @classmethod
    @abstractmethod
    def get_layer_impl_builder(cls, layer_type: OpType):
        """Builder of a layer."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def get_attention_metadata_cls():
        """Class of the attention metadata."""
        raise NotImplementedError

    @staticmethod
    @abstractmethod
    def get_k_block_shape(
        block_size: int,
        num_heads: int,
        head_size: int,
        dtype: torch.dtype,
    ) -> tuple[int, ...]:
        """Shape of one block of the key cache."""
        raise NotImplementedError

    @classmethod
    def update_step_context(cls, step_context):
        """Build the attention metadata of a step."""
        return step_context

    @staticmethod
    def build_graph_runner(model: torch.nn.Module, model_config: ModelConfig, cache_config: CacheConfig,
                           backend_config: BackendConfig, device: torch.device):
        """Build what runs the model."""
        from .graph_runner import GraphRunner
        return GraphRunner(model, model_config, cache_config, backend_config, device)
