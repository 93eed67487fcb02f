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
    asked, more = [{"prompt_token_ids": p} for p in prompts], []
    if case["image"]:
        asked, prompts, more = _with_images(case, prompts)
    outputs = engine.generate(asked, sampling, use_tqdm=False)
    worst, differ = 0.0, 0
    for number, (prompt, output) in enumerate(zip(prompts, outputs, strict=True)):
        gap, wrong = _one(case["checkpoint"], prompt, output.outputs[0], logits, *more[number : number + 1])
        worst, differ = max(worst, gap), differ + wrong
    del engine
    gc.collect()
    return {"ok": worst <= NOISE and differ == 0, "difference": worst, "tokens_differ": differ}


def _with_images(case: dict[str, Any], prompts: list[list[int]]) -> tuple[list, list[list[int]], list[torch.Tensor]]:
    """Return the requests with an image each, the prompts with as many image tokens as it has, and its pixels."""
    import numpy
    from PIL import Image
    from transformers import AutoProcessor

    token, size = case["image"]["token"], case["image"]["size"]
    processor = AutoProcessor.from_pretrained(case["checkpoint"]).image_processor
    noise = numpy.random.default_rng(11)
    images = [Image.fromarray(noise.integers(0, 256, (size, size, 3), numpy.uint8)) for _ in prompts]
    asked = [
        {"prompt_token_ids": [p[0], token, *p[1:]], "multi_modal_data": {"image": image}}
        for p, image in zip(prompts, images, strict=True)
    ]
    whole = [[p[0], *[token] * case["image"]["count"], *p[1:]] for p in prompts]
    pixels = [processor(images=image, return_tensors="pt")["pixel_values"] for image in images]
    return asked, whole, pixels


def _one(folder: str, prompt: list[int], output: Any, logits: Callable, *pixels: torch.Tensor) -> tuple[float, int]:
    tokens = list(output.token_ids)
    with torch.no_grad():
        wanted = torch.log_softmax(logits(folder, torch.tensor(prompt + tokens[:-1]), *pixels).double(), -1)
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
