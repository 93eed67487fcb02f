"""Plain attention in place of vLLM's own, so that a model's numbers do not depend on the cache."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch


@contextlib.contextmanager
def plain_attention() -> Iterator[None]:
    """Let every attention layer compute causal attention over the tokens it is given, once, in one sequence."""
    from vllm.model_executor.layers.attention import Attention

    places: list[tuple[type, Any]] = [(Attention, _attention)]
    with contextlib.suppress(ImportError):
        from vllm.model_executor.layers.attention import MLAAttention

        places.append((MLAAttention, _latent))
    before = [(cls, cls.forward) for cls, _ in places]
    for cls, function in places:
        cls.forward = function
    try:
        yield
    finally:
        for cls, function in before:
            cls.forward = function


def _attention(
    self: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *_: Any, **__: Any
) -> torch.Tensor:
    q, k, v = (x.reshape(x.shape[0], -1, self.head_size).transpose(0, 1) for x in (query, key, value))
    copies = q.shape[0] // k.shape[0]
    k, v = k.repeat_interleave(copies, 0), v.repeat_interleave(copies, 0)
    scores = q @ k.transpose(1, 2) * self.impl.scale
    cap = getattr(self.impl, "logits_soft_cap", None)
    if cap:
        scores = torch.tanh(scores / cap) * cap
    scores = scores.masked_fill(~seen(q.shape[1], self.sliding_window), float("-inf"))
    out = torch.softmax(scores, -1, dtype=torch.float32).to(v.dtype) @ v
    return out.transpose(0, 1).reshape(query.shape[0], -1)


def seen(length: int, window: int | None) -> torch.Tensor:
    """Return a boolean matrix (query, key): what each position sees, itself and at most `window - 1` before it."""
    rows, columns = torch.arange(length)[:, None], torch.arange(length)[None]
    mask = columns <= rows
    return mask & (columns > rows - window) if window and window > 0 else mask


def _latent(
    self: Any, q: torch.Tensor, kv_c_normed: torch.Tensor, k_pe: torch.Tensor, *_: Any, **__: Any
) -> torch.Tensor:
    heads, nope, rope, value = self.num_heads, self.qk_nope_head_dim, self.qk_rope_head_dim, self.v_head_dim
    q = q.reshape(-1, heads, nope + rope).transpose(0, 1)
    both = self.kv_b_proj(kv_c_normed)[0].reshape(-1, heads, nope + value).transpose(0, 1)
    shared = k_pe.reshape(1, -1, rope).expand(heads, -1, -1)
    k, v = torch.cat([both[..., :nope], shared], -1), both[..., nope:]
    scores = q @ k.transpose(1, 2) * self.scale
    scores = scores.masked_fill(~seen(q.shape[1], None), float("-inf"))
    return (torch.softmax(scores, -1) @ v).transpose(0, 1).reshape(q.shape[1], -1)
