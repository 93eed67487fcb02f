"""When a name is an op's name in another dress: `FusedRMSNormGated` and `build_rmsnorm_gated` for `rms_norm_gated`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from generator.spec.names import plain, words

from .reading import fold

# Words around an op's name that say for whom or in what form it is, not what it computes.
ROLES = frozenset(
    "build builder make create get apply impl default dlinfer triton cuda ascend camb maca npu mlu torch fla fused"
    " custom patched native fn fwd func forward kernel op ops module layer".split()
)


def is_like(name: str, op_name: str) -> bool:
    """True if a name is the op's but for role words. The op's name must begin and end at a word of it."""
    parts = words(name)
    wanted = plain(op_name)
    for start in range(len(parts)):
        for end in range(start + 1, len(parts) + 1):
            if "".join(parts[start:end]) == wanted:
                return set(parts[:start] + parts[end:]) <= ROLES
    return False


def names_like(data: bytes, op_name: str) -> set[str]:
    """The identifiers in a file's bytes that are like an op's name, wherever they stand, comments included."""
    if plain(op_name).encode() not in fold(data):
        return set()
    return {name for name in _identifiers(data, op_name) if is_like(name, op_name)}


def _identifiers(data: bytes, op_name: str) -> Iterator[str]:
    core = "_*".join(map(re.escape, plain(op_name)))
    for match in re.finditer(rf"(?i){core}".encode(), data):
        start = match.start()
        while start and (data[start - 1 : start].isalnum() or data[start - 1 : start] == b"_"):
            start -= 1
        found = re.compile(rb"\w+").match(data, start)
        if found:
            yield found[0].decode()
