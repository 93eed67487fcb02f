# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
import torch

from lmdeploy.pytorch.config import BackendConfig, CacheConfig, ModelConfig
from lmdeploy.utils import get_logger

from ..base import OpType
from ..default import DefaultOpsBackend

logger = get_logger('lmdeploy')


class CudaOpsBackend(DefaultOpsBackend):
    """Backend in Triton."""

    @staticmethod
    def get_name() -> str:
        """Name of the backend."""
        return 'cuda'

    @classmethod
    def get_layer_impl_builder(cls, layer_type: OpType):
        """Builder of a layer."""
        if layer_type == OpType.RMSNorm:
            from .norm import TritonRMSNormBuilder
            return TritonRMSNormBuilder
        elif layer_type == OpType.CausalConv1d:
            from .causal_conv1d import CausalConv1dCudaBuilder
            return CausalConv1dCudaBuilder
        elif layer_type == OpType.GatedDeltaRule:
            from .gated_delta_rule import CudaGatedDeltaRuleBuilder
            return CudaGatedDeltaRuleBuilder
        else:
            logger.debug(f'{layer_type}: the default implementation is used.')
            return super().get_layer_impl_builder(layer_type)

    @staticmethod
    def get_attention_metadata_cls():
        """Class of the attention metadata."""
        from ..attention import AttentionMetadata
        return AttentionMetadata

    @classmethod
    def update_step_context(cls, step_context):
        """Build the attention metadata of a step."""
        ends = step_context.q_seqlens.cumsum(0)
        attn_meta_cls = cls.get_attention_metadata_cls()
        step_context.attn_metadata = attn_meta_cls(
            step_context.is_decoding,
            step_context.block_offsets,
            q_start_loc=step_context.q_start_loc,
            q_seqlens=step_context.q_seqlens,
            kv_seqlens=step_context.kv_seqlens,
            cu_seqlens_q=torch.nn.functional.pad(ends, (1, 0)).int(),
        )
        return step_context

    @staticmethod
    def build_graph_runner(model: torch.nn.Module, model_config: ModelConfig, cache_config: CacheConfig,
                           backend_config: BackendConfig, device: torch.device):
        """Build what captures and replays graphs."""
        from .graph_runner import CUDAGraphRunner
        return CUDAGraphRunner(model, model_config, cache_config, backend_config, device)
