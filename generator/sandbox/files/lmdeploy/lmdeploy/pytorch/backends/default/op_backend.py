# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from ..base import OpsBackend, OpType


class DefaultOpsBackend(OpsBackend):
    """Backend in plain torch."""

    @staticmethod
    def get_name() -> str:
        """Name of the backend."""
        return 'default'

    @classmethod
    def get_layer_impl_builder(cls, layer_type: OpType):
        """Builder of a layer."""
        if layer_type == OpType.Linear:
            from .linear import DefaultLinearBuilder
            return DefaultLinearBuilder
        elif layer_type == OpType.RotaryEmbedding:
            from .rotary_embedding import DefaultRotaryEmbeddingBuilder
            return DefaultRotaryEmbeddingBuilder
        elif layer_type == OpType.ApplyRotaryEmb:
            from .apply_rotary_emb import DefaultApplyRotaryEmbBuilder
            return DefaultApplyRotaryEmbBuilder
        elif layer_type == OpType.SiluAndMul:
            from .activation import DefaultSiluAndMulBuilder
            return DefaultSiluAndMulBuilder
        elif layer_type == OpType.RMSNorm:
            from .norm import DefaultRMSNormBuilder
            return DefaultRMSNormBuilder
        elif layer_type == OpType.LayerNorm:
            from .norm import DefaultLayerNormBuilder
            return DefaultLayerNormBuilder
        elif layer_type == OpType.SoftmaxTopK:
            from .moe import DefaultSoftmaxTopKBuilder
            return DefaultSoftmaxTopKBuilder
        else:
            raise RuntimeError(f'{layer_type} not supported.')

    @staticmethod
    def get_k_block_shape(
        block_size: int,
        num_heads: int,
        head_size: int,
        dtype: torch.dtype,
    ) -> tuple[int, ...]:
        """Shape of one block of the key cache."""
        return (
            block_size,
            num_heads,
            head_size,
        )

    @staticmethod
    def init():
        """Called once before the first model is built."""
        pass
