"""A safetensors header: dtype and shape of every tensor, without its bytes.

Format: eight bytes little-endian length, then that many bytes of JSON `{name: {dtype, shape, data_offsets}}` with an
optional `__metadata__` (safetensors documentation).
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from .folder import pointer
from .json_data import BadCheckpoint, decoded, parse_object

MAX_HEADER = 100_000_000


class Tensor(NamedTuple):
    """What the header says of one tensor. `shape` is a tuple of non-negative integers."""

    dtype: str
    shape: tuple[int, ...]


def read_header(path: Path) -> dict[str, Tensor]:
    """Return the tensors of one safetensors file.

    Raises:
        BadCheckpoint: a pointer instead of the file, a length beyond the file or 100 MB, or no valid header.
    """
    with path.open("rb") as file:
        head = file.read(8)
        kind = pointer(head + file.read(120))
        if kind:
            raise BadCheckpoint(f"a {kind} pointer, not the file", where=path.name, next="fetch the real file")
        size = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not 2 <= size <= min(MAX_HEADER, path.stat().st_size - 8):
            raise BadCheckpoint(f"header length {size} does not fit the file", where=path.name, next="fetch it again")
        file.seek(8)
        header = parse_object(decoded(file.read(size), path.name), path.name)
    header.pop("__metadata__", None)
    return {key: _tensor(key, value, path.name) for key, value in header.items()}


def _tensor(key: str, value: object, where: str) -> Tensor:
    dtype, shape = (value.get("dtype"), value.get("shape")) if isinstance(value, dict) else (None, None)
    good = isinstance(dtype, str) and isinstance(shape, list) and all(type(n) is int and n >= 0 for n in shape)
    if not good:
        raise BadCheckpoint(f"no dtype and shape for {key!r:.80}", where=where, next="fetch the file again")
    return Tensor(dtype, tuple(shape))
