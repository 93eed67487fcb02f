"""Group a hundred thousand keys into the few dozen patterns that they are.

`model.layers.3.mlp.experts.17.up_proj.weight` has the pattern `model.layers.*.mlp.experts.*.up_proj.weight`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

NUMBER = re.compile(r"(?<![^.])[0-9]{1,9}(?![^.])")
STACKS = {"layers", "h", "blocks", "layer"}
TOWERS = {
    "visual",
    "vision_tower",
    "vision_model",
    "vision_encoder",
    "audio_tower",
    "audio_encoder",
    "audio_model",
    "vit",
    "encoder",
    "talker",
    "code2wav",
    "token2wav",
    "vision",
    "vpm",
    "apm",
    "tts",
    "resampler",
    "vision_embed_tokens",
}


@dataclass
class Group:
    """The keys of one pattern.

    Attributes:
        first: the first key. layers: how many keys each layer number (the first number of the pattern) has.
    """

    pattern: str
    first: str
    count: int = 0
    layers: dict[int, int] = field(default_factory=dict)

    @cached_property
    def words(self) -> frozenset[str]:
        """The parts of the pattern between the dots."""
        return frozenset(self.pattern.split("."))

    @property
    def leaf(self) -> str:
        """The last part: `weight`, `bias`, `weight_scale_inv` …"""
        return self.pattern.rpartition(".")[2]

    @property
    def module(self) -> str:
        """The pattern without its last part."""
        return self.pattern.rpartition(".")[0]

    @cached_property
    def main_stack(self) -> bool:
        """True if the keys lie in a stack of layers that is no tower's."""
        before = self.pattern.split(".*", 1)[0].split(".") if "*" in self.pattern else []
        return bool(before) and before[-1] in STACKS and TOWERS.isdisjoint(before)

    def deeper_than(self, depth: int) -> int:
        """Return how many keys have a layer number of at least `depth`."""
        return sum(number for layer, number in self.layers.items() if layer >= depth)


@dataclass
class Groups:
    """All patterns, in the order of their first keys."""

    groups: list[Group]
    total: int

    @cached_property
    def by_pattern(self) -> dict[str, Group]:
        """pattern → group."""
        return {group.pattern: group for group in self.groups}

    def prefixes(self) -> dict[str, int]:
        """Return the top-level prefixes and how many keys each has, the largest first."""
        counts: dict[str, int] = {}
        for group in self.groups:
            top = group.pattern.split(".", 1)[0]
            counts[top] = counts.get(top, 0) + group.count
        return dict(sorted(counts.items(), key=lambda item: -item[1]))


def keys_of(groups: Iterable[Group], keys: Iterable[str]) -> list[str]:
    """Return the keys that belong to these groups, in their order."""
    patterns = {group.pattern for group in groups}
    return [key for key in keys if NUMBER.sub("*", key) in patterns] if patterns else []


def group_keys(keys: Iterable[str]) -> Groups:
    """Return the groups of `keys`, in one pass."""
    found: dict[str, Group] = {}
    total = 0
    for key in keys:
        total += 1
        pattern = NUMBER.sub("*", key)
        group = found.get(pattern)
        if group is None:
            group = found[pattern] = Group(pattern, key)
        group.count += 1
        number = NUMBER.search(key)
        if number:
            layer = int(number[0])
            group.layers[layer] = group.layers.get(layer, 0) + 1
    return Groups(list(found.values()), total)
