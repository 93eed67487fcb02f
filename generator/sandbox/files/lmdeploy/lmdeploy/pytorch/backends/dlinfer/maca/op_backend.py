# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

import torch

from lmdeploy.pytorch.config import BackendConfig, CacheConfig, ModelConfig

from ..op_backend import DlinferOpsBackend


class MacaOpsBackend(DlinferOpsBackend):
    """Backend on MetaX GPUs."""
    total_slots = None

    @staticmethod
    def get_name() -> str:
        """Name of the backend."""
        return 'maca'

    @classmethod
    def update_step_context(cls, step_context):
        """Build the attention metadata of a step."""

        def get_total_slots():
            if cls.total_slots is None:
                slots = torch.arange(block_num * block_size, dtype=torch.long, device=step_context.block_offsets.device)
                cls.total_slots = slots.view(block_num, block_size)
            return cls.total_slots

        kv_start_indices, attention_mask = [], []
        block_num, block_size, *_ = step_context.kv_caches[0][1].shape
        q_seqlens = step_context.q_seqlens.int()
        kv_seqlens = step_context.kv_seqlens.int()
        cu_seqlens = torch.cat((step_context.q_start_loc, q_seqlens.sum()[None])).int()
        is_prefill_no_cache = False

        if step_context.is_decoding:
            # the kernels of a decode step do not read these
            max_q_seq_len = -1
            max_kv_seq_len = -1
            last = step_context.kv_seqlens - 1
            block = step_context.block_offsets.gather(1, (last // block_size)[:, None])
            kv_start_indices = block * block_size + (last % block_size)[:, None]
        else:
            max_q_seq_len = q_seqlens.max().cpu().item()
            max_kv_seq_len = kv_seqlens.max().cpu().item()
            is_prefill_no_cache = q_seqlens.tolist() == kv_seqlens.tolist()
            for row, q_seq_len, kv_seq_len in zip(step_context.block_offsets, q_seqlens, kv_seqlens):
                slots = get_total_slots()[row].flatten()
                kv_start_indices.append(slots[int(kv_seq_len - q_seq_len):int(kv_seq_len)])
            kv_start_indices = torch.cat(kv_start_indices)

        attn_meta_cls = cls.get_attention_metadata_cls()
        attn_metadata = attn_meta_cls(
            step_context.is_decoding,
            step_context.block_offsets.int(),
            q_start_loc=cu_seqlens,
            q_seqlens=q_seqlens,
            kv_seqlens=kv_seqlens,
            kv_start_indices=kv_start_indices,
            block_size=block_size,
            attention_mask=attention_mask,
            is_prefill_no_cache=is_prefill_no_cache,
            max_q_seq_len=max_q_seq_len,
            max_kv_seq_len=max_kv_seq_len,
        )

        step_context.attn_metadata = attn_metadata
        return step_context

    @staticmethod
    def build_graph_runner(model: torch.nn.Module, model_config: ModelConfig, cache_config: CacheConfig,
                           backend_config: BackendConfig, device: torch.device):
        """Build what captures and replays graphs."""
        from lmdeploy.pytorch.backends.cuda.graph_runner import CUDAGraphRunner
        return CUDAGraphRunner(model, model_config, cache_config, backend_config, device)
