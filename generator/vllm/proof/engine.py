"""The whole engine: cache, batching and sampling, against the reference's log-probabilities."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import torch

from .world import World

PROMPTS, LENGTH, NOISE = 4, 16, 1e-4


def compare(world: World, case: dict[str, Any], logits: Callable[[str, torch.Tensor], torch.Tensor]) -> dict[str, Any]:
    """Return `ok`, the largest difference of a log-probability over the vocabulary, and how many tokens differ.

    Prompts of different lengths run in one batch. A token that differs counts only where the reference's best two are
    further apart than the noise.
    """
    from vllm import LLM, SamplingParams

    generator = torch.Generator().manual_seed(5)
    vocabulary = world.config.model_config.hf_text_config.vocab_size
    prompts = [torch.randint(6, vocabulary - 6, (3 + 5 * n,), generator=generator).tolist() for n in range(PROMPTS)]
    engine = LLM(
        **world.arguments(),
        max_num_seqs=8,
        max_logprobs=vocabulary + 16,
        enable_prefix_caching=False,
        disable_log_stats=True,
        seed=0,
    )
    sampling = SamplingParams(temperature=0, max_tokens=LENGTH, ignore_eos=True, logprobs=-1, detokenize=False)
    outputs = engine.generate([{"prompt_token_ids": p} for p in prompts], sampling, use_tqdm=False)
    worst, differ = 0.0, 0
    for prompt, output in zip(prompts, outputs, strict=True):
        gap, wrong = _one(case["checkpoint"], prompt, output.outputs[0], logits)
        worst, differ = max(worst, gap), differ + wrong
    del engine
    gc.collect()
    return {"ok": worst <= NOISE and differ == 0, "difference": worst, "tokens_differ": differ}


def _one(folder: str, prompt: list[int], output: Any, logits: Callable) -> tuple[float, int]:
    tokens = list(output.token_ids)
    with torch.no_grad():
        wanted = torch.log_softmax(logits(folder, torch.tensor(prompt + tokens[:-1])).double(), -1)
    worst, differ = 0.0, 0
    for place, (token, found) in enumerate(zip(tokens, output.logprobs, strict=True)):
        row = wanted[len(prompt) - 1 + place]
        given = torch.full_like(row, float("nan"))
        for number, value in found.items():
            if number < len(row):
                given[number] = value.logprob
        gap = (given - row).abs().max().item()
        worst = max(worst, gap if gap == gap else float("inf"))
        best = row.topk(2)
        differ += int(token != best.indices[0].item() and (best.values[0] - best.values[1]).item() > NOISE)
    return worst, differ
