"""Kernels that lmdeploy has for other backends: an op of the same name lends its signature."""

from __future__ import annotations

from dataclasses import dataclass

from generator.spec.names import plain
from generator.workspace.checkout import Checkout

from .reading import Layer, Reading, fold, read_all
from .signature import Signature, signature_of
from .syntax import functions, on_device

_FOLDERS = ("lmdeploy/pytorch/kernels/default", "lmdeploy/pytorch/kernels/cuda")
# What lmdeploy appends to the name of a kernel's launcher.
_SUFFIXES = ("", "fn", "fwd", "func", "forward")


@dataclass(frozen=True)
class Kernel:
    """One function of `kernels/default` or `kernels/cuda`: name, path in the lmdeploy checkout, line and signature."""

    name: str
    path: str
    line: int
    signature: Signature


def read_kernels(checkout: Checkout, op: str) -> Layer[Kernel]:
    """Read the kernels that are called like an op, by name; not those under `triton.jit`, which run on the device."""
    layer: Layer[Kernel] = Layer()
    wanted = {plain(op) + suffix for suffix in _SUFFIXES}
    needle = b"def " + plain(op).encode()
    for folder in _FOLDERS:
        for reading in read_all(checkout, folder):
            if reading.failure or needle in fold(reading.data):
                layer.update((k.name, k) for k in _kernels(reading, wanted) if k.name not in layer)
                layer.unreadable += reading.unreadable
    return layer


def _kernels(reading: Reading, wanted: set[str]) -> list[Kernel]:
    found = [f for f in functions(reading.tree) if plain(f.name) in wanted]
    return [Kernel(f.name, reading.path, f.lineno, signature_of(f, reading.text)) for f in found if not on_device(f)]
