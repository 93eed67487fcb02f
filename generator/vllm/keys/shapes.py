"""Shapes that headers give: a block scale has as many rows and columns as there are blocks, rounded up."""

from __future__ import annotations

from ..checkpoint.tensor import Tensor

FP8 = ("F8_E4M3", "F8_E5M2", "F8_E4M3FN")


def ceil(size: int, block: int) -> int:
    """Return how many blocks cover `size`; the last one may be short."""
    return -(-size // block)


def wrong_block_scales(tensors: dict[str, Tensor], block: tuple[int, int]) -> list[tuple[str, tuple, tuple]]:
    """Return (key, shape, expected shape) of each block scale that does not cover its weight."""
    wrong = []
    for key, scale in tensors.items():
        if not key.endswith(".weight_scale_inv"):
            continue
        weight = tensors.get(key[: -len("_scale_inv")])
        if weight and len(weight.shape) >= 2:
            *lead, rows, columns = weight.shape
            expected = (*lead, ceil(rows, block[0]), ceil(columns, block[1]))
            if scale.shape != expected:
                wrong.append((key, scale.shape, expected))
    return wrong


def bare_fp8(tensors: dict[str, Tensor], keys: dict[str, str]) -> list[str]:
    """Return the weights that are fp8 and have no scale of any kind."""
    scales = ("_scale_inv", "_scale")
    return [
        key
        for key, tensor in tensors.items()
        if tensor.dtype in FP8
        and key.endswith("weight")
        and not any(key + s in keys for s in scales)
        and key[: -len("weight")] + "scale" not in keys
    ]
