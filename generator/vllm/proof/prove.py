"""One adapter: constructed without memory, constructed, loaded, run with plain attention, run by the engine."""

from __future__ import annotations

import glob
import importlib.util
import os
from typing import Any

import torch
from safetensors.torch import load_file

from .account import lost_keys, unfed
from .plain_attention import plain_attention
from .world import World

TOKENS = 48
NOISE = 1e-5


def prove_case(case: dict[str, Any]) -> dict[str, Any]:
    """Return `ok` and the figures of one case."""
    world = World(case)
    weights = load_weights(case["checkpoint"])
    model = world.construct(meta=True)
    model = world.construct()
    found: dict[str, Any] = {"class": f"{type(model).__module__}.{type(model).__name__}", "keys": len(weights)}
    found["unfed"] = unfed(model, weights)
    found["lost"] = lost_keys(model, weights, case["ignored"])
    found["ok"] = not found["unfed"] and not found["lost"]
    if case["reference"] or case["own"]:
        found["difference"] = difference(world, model, weights, case)
        found["ok"] = found["ok"] and found["difference"] <= NOISE
    if case["engine"]:
        from .engine import compare

        del model
        found["engine"] = compare(world, case, reference_of(case))
        found["ok"] = found["ok"] and found["engine"]["ok"]
    return found


def load_weights(folder: str) -> dict[str, torch.Tensor]:
    """Return all tensors of the safetensors files in a folder."""
    found: dict[str, torch.Tensor] = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.safetensors"))):
        found |= load_file(path)
    return found


def difference(world: World, model: torch.nn.Module, weights: dict[str, torch.Tensor], case: dict[str, Any]) -> float:
    """Return the largest difference of the logits, infinite where one is no number."""
    vocabulary = world.config.model_config.hf_text_config.vocab_size
    ids = torch.randint(6, vocabulary - 6, (TOKENS,), generator=torch.Generator().manual_seed(3))
    more = []
    if image := case["image"]:
        ids = torch.cat([ids[:5], torch.full((image["count"],), image["token"]), ids[5:]])
        more = [torch.randn(1, 3, image["size"], image["size"], generator=torch.Generator().manual_seed(7))]
    with torch.no_grad():
        logits = run(world, model, weights, ids, *more)
        if case["own"]:
            other = World(case | {"source": None})
            wanted = run(other, other.construct(), weights, ids, *more)
        else:
            wanted = reference_of(case)(case["checkpoint"], ids, *more)
    gap = (logits[:, : wanted.shape[1]].double() - wanted.double()).abs().max().item()
    return gap if gap == gap else float("inf")


def run(
    world: World,
    model: torch.nn.Module,
    weights: dict[str, torch.Tensor],
    ids: torch.Tensor,
    pixels: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the logits of one sequence, with plain attention; its image tokens stand for `pixels`."""
    world.load(model, weights)
    with plain_attention(), world.forward():
        positions = world.positions(len(ids))
        if pixels is None:
            hidden = model(ids, positions)
        else:
            seen = model.embed_multimodal(pixel_values=pixels)
            embeds = model.embed_input_ids(ids, seen, is_multimodal=ids == world.case["image"]["token"])
            hidden = model(None, positions, inputs_embeds=embeds)
    return model.compute_logits(hidden)


def reference_of(case: dict[str, Any]) -> Any:
    """Return the function `logits(folder, ids)` of the case's reference file."""
    spec = importlib.util.spec_from_file_location("reference_under_test", case["reference"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.logits
