# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.
from functools import lru_cache

import torch

from lmdeploy.pytorch.config import BackendConfig, CacheConfig, ModelConfig
from lmdeploy.pytorch.distributed import get_dist_manager
from lmdeploy.utils import get_logger

from ..moe import DlinferMoECommType, DlinferMoeMetadata
from ..op_backend import DlinferOpsBackend

logger = get_logger('lmdeploy')


class AscendOpsBackend(DlinferOpsBackend):
    """Backend on Ascend NPUs."""
    enable_graph: bool = False
    total_slots = None
    max_batches = None

    @staticmethod
    def get_name() -> str:
        """Name of the backend."""
        return 'ascend'

    @classmethod
    def update_step_context(cls, step_context):
        """Build the attention and expert metadata of a step."""

        block_num, block_size, *_ = step_context.kv_caches[0][0].shape
        is_decoding = step_context.is_decoding
        is_prefill_no_cache = False
        if not is_decoding:
            is_prefill_no_cache = torch.equal(step_context.q_seqlens, step_context.kv_seqlens)
        device = step_context.block_offsets.device

        def get_total_slots():
            if cls.total_slots is None:
                slots = torch.arange(block_num * block_size, dtype=torch.int32, device=device)
                cls.total_slots = slots.view(block_num, block_size)
            return cls.total_slots

        def get_cpu_seqlens():
            # the kernels take lengths from the host
            kv_seqlens_cpu = step_context.kv_seqlens.int().cpu()
            q_seqlens_cpu = step_context.q_seqlens.int().cpu()
            return q_seqlens_cpu, kv_seqlens_cpu

        def get_max_seqlens():
            if is_decoding:
                return 1, None
            return max(q_seqlens_cpu.tolist()), max(kv_seqlens_cpu.tolist())

        def get_kv_start_indices():
            if is_decoding:
                last = step_context.kv_seqlens.long() - 1
                block = step_context.block_offsets.gather(1, (last // block_size)[:, None])[:, 0]
                return block * block_size + last % block_size
            spans = zip(step_context.block_offsets, q_seqlens_cpu.tolist(), kv_seqlens_cpu.tolist())
            return torch.cat([get_total_slots()[row].flatten()[kv - q:kv] for row, q, kv in spans])

        def get_attention_mask():
            if is_decoding:
                return []
            size = (max_q_seq_len, max_kv_seq_len) if is_prefill_no_cache else (2048, 2048)
            return [torch.ones(size, dtype=torch.bool, device=device).triu(diagonal=1)]

        def update_q_seqlens(q_seqlens):
            # decode and paged prefill take running sums
            return q_seqlens if is_prefill_no_cache else q_seqlens.cumsum(0).int()

        @lru_cache(maxsize=1)
        def get_moe_comm_type():
            config = get_dist_manager().current_context().dist_config
            return DlinferMoECommType.ALLGATHER if config.ep <= 1 else DlinferMoECommType.MC2

        q_seqlens_cpu, kv_seqlens_cpu = get_cpu_seqlens()
        max_q_seq_len, max_kv_seq_len = get_max_seqlens()
        kv_start_indices = get_kv_start_indices()
        attention_mask = get_attention_mask()

        cu_seqlens = None
        has_initial_state = None
        is_gated_delta = step_context.model_config.is_gated_delta
        if is_gated_delta:
            cu_seqlens = torch.nn.functional.pad(step_context.q_seqlens.cumsum(0), (1, 0)).int()
            has_initial_state = step_context.kv_seqlens > step_context.q_seqlens

        attn_meta_cls = cls.get_attention_metadata_cls()
        attn_metadata = attn_meta_cls(
            is_decoding,
            step_context.block_offsets.int(),
            # only the gated delta rule reads it
            q_start_loc=cu_seqlens,
            q_seqlens=update_q_seqlens(q_seqlens_cpu),
            kv_seqlens=kv_seqlens_cpu,
            kv_start_indices=kv_start_indices,
            block_size=block_size,
            attention_mask=attention_mask,
            is_prefill_no_cache=is_prefill_no_cache,
            max_q_seq_len=max_q_seq_len,
            max_kv_seq_len=max_kv_seq_len,
            has_initial_state=has_initial_state,
        )
        step_context.attn_metadata = attn_metadata

        dist_ctx = get_dist_manager().current_context()
        moe_metadata = DlinferMoeMetadata(
            max_tokens_across_dp=int(q_seqlens_cpu.sum()),
            dp_size=dist_ctx.dist_config.dp,
            tp_size=dist_ctx.dist_config.tp,
            ep_size=dist_ctx.dist_config.ep,
            tp_rank=dist_ctx.tp_rank,
            ep_rank=dist_ctx.ep_rank,
            tp_group=dist_ctx.tp_group,
            ep_group=dist_ctx.ep_group,
            moe_comm_type=get_moe_comm_type(),
        )
        step_context.moe_metadata = moe_metadata
        return step_context

    @staticmethod
    def build_graph_runner(model: torch.nn.Module, model_config: ModelConfig, cache_config: CacheConfig,
                           backend_config: BackendConfig, device: torch.device):
        """Build what captures and replays graphs."""
        AscendOpsBackend.enable_graph = not backend_config.eager_mode
        AscendOpsBackend.max_batches = cache_config.max_batches
        from dlinfer.framework.lmdeploy_ext.cudagraph.ascend_cudagraph import AscendGraphRunner
        return AscendGraphRunner(model, model_config, cache_config, backend_config, device)

    @staticmethod
    def init():
        """Load the patches of dlinfer."""
        from lmdeploy.utils import try_import_deeplink
        try_import_deeplink('ascend')
