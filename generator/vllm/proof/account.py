"""Where the weights went: no parameter stays unfed, no key goes unused.

vLLM's own check leaves out every linear layer and embedding, so that an adapter that forgets half of its weights
starts and answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import torch


def unfed(model: torch.nn.Module, weights: dict[str, torch.Tensor]) -> list[str]:
    """Return the parameters that still hold what was there before loading."""
    params = dict(model.named_parameters())
    _spoil(params.values())
    model.load_weights(iter(weights.items()))
    return sorted(name for name, param in params.items() if torch.isnan(param.float()).any())


def lost_keys(model: torch.nn.Module, weights: dict[str, torch.Tensor], ignored: Iterable[str]) -> list[str]:
    """Return the keys whose values change no parameter, apart from those that match an `ignored` expression."""
    patterns = [re.compile(text) for text in ignored]
    params = list(model.parameters())
    model.load_weights(iter(weights.items()))
    before = [param.detach().clone() for param in params]
    lost = []
    for key in weights:
        if any(pattern.search(key) for pattern in patterns):
            continue
        model.load_weights(iter((weights | {key: _other(weights[key])}).items()))
        if all(torch.equal(old, new) for old, new in zip(before, params, strict=True)):
            lost.append(key)
    model.load_weights(iter(weights.items()))
    return lost


def _spoil(params: Iterable[torch.Tensor]) -> None:
    for param in params:
        if param.is_floating_point():
            param.data.fill_(float("nan"))


def _other(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the same type with other values everywhere."""
    if tensor.dtype.itemsize == 1 and tensor.is_floating_point():
        # fp8 has no arithmetic: the other sign is the other value.
        return (tensor.view(torch.uint8) ^ 0x80).view(tensor.dtype)
    return tensor + 1
