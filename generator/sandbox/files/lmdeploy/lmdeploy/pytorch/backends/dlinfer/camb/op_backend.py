# Copyright (c) scaffold. A sandbox counterpart in the form of lmdeploy, not its code.

import torch

from lmdeploy.pytorch.config import BackendConfig, CacheConfig, ModelConfig

from ..op_backend import DlinferOpsBackend


class CambOpsBackend(DlinferOpsBackend):
    """Backend on Cambricon MLUs."""
    total_slots = None

    @staticmethod
    def get_name() -> str:
        """Name of the backend."""
        return 'camb'

    @staticmethod
    def get_k_block_shape(
        block_size: int,
        num_heads: int,
        head_size: int,
        dtype: torch.dtype,
    ) -> tuple[int, ...]:
        """Shape of one block of the key cache."""
        return (
            num_heads,
            block_size,
            head_size,
        )

    @classmethod
    def update_step_context(cls, step_context):
        """Build the attention metadata of a step."""
        num_blocks, _, block_size, _ = step_context.kv_caches[0][0].shape
        block_offsets = step_context.block_offsets.to(torch.int32)
        q_seqlens = step_context.q_seqlens
        kv_seqlens = step_context.kv_seqlens.to(torch.int32)

        def get_total_slots():
            if cls.total_slots is None:
                slots = torch.arange(num_blocks * block_size, dtype=torch.int32, device=block_offsets.device)
                cls.total_slots = slots.view(num_blocks, block_size)
            return cls.total_slots

        # entries of the batch plus one: the last is the number of tokens
        cu_seqlens = torch.cat((step_context.q_start_loc, q_seqlens.sum()[None])).int()
        cu_seq_lens_kv = None
        is_prefill_no_cache = False
        if step_context.is_decoding:
            last = kv_seqlens.long() - 1
            block = block_offsets.gather(1, (last // block_size)[:, None])[:, 0]
            kv_start_indices = (block * block_size + last % block_size).to(torch.int32)
        else:
            is_prefill_no_cache = torch.equal(q_seqlens.int(), kv_seqlens)
            spans = zip(block_offsets, (kv_seqlens - q_seqlens).tolist(), kv_seqlens.tolist())
            kv_start_indices = torch.cat([get_total_slots()[row].flatten()[start:end] for row, start, end in spans])
            if not is_prefill_no_cache:
                cu_seq_lens_kv = torch.nn.functional.pad(kv_seqlens.cumsum(0), (1, 0)).int()

        attn_meta_cls = cls.get_attention_metadata_cls()
        attn_metadata = attn_meta_cls(
            step_context.is_decoding,
            block_offsets,
            q_start_loc=cu_seqlens,
            cu_seq_lens_kv=cu_seq_lens_kv,
            q_seqlens=q_seqlens,
            kv_seqlens=kv_seqlens,
            kv_start_indices=kv_start_indices,
            block_size=block_size,
            attention_mask=None,
            is_prefill_no_cache=is_prefill_no_cache,
            max_q_seq_len=q_seqlens.max().cpu().item(),
            max_kv_seq_len=kv_seqlens.max().cpu().item(),
        )

        step_context.attn_metadata = attn_metadata
        return step_context

    @staticmethod
    def build_graph_runner(model: torch.nn.Module, model_config: ModelConfig, cache_config: CacheConfig,
                           backend_config: BackendConfig, device: torch.device):
        """Build what captures and replays graphs."""
        from lmdeploy.pytorch.backends.cuda.graph_runner import CUDAGraphRunner
        return CUDAGraphRunner(model, model_config, cache_config, backend_config, device)
