"""Are the parts of each fused weight there in every layer, and all experts of each layer?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .groups import Group, Groups
from .scales import SCALE_OF_WEIGHT

FUSED = (
    ("q_proj", "k_proj", "v_proj"),
    ("gate_proj", "up_proj"),
    ("w1", "w3"),
    ("q_a_proj", "kv_a_proj_with_mqa"),
    ("in_proj_qkv", "in_proj_z"),
    ("in_proj_b", "in_proj_a"),
    ("in_proj_qkvz", "in_proj_ba"),
)
QUANTISED_ONLY_TOGETHER = tuple(parts for parts in FUSED if "in_proj_ba" not in parts)


@dataclass(frozen=True)
class Gap:
    """A fused weight with a part missing or quantised alone, in `layers`."""

    module: str
    parts: tuple[str, ...]
    missing: tuple[str, ...]
    layers: tuple[int, ...]


def missing_parts(groups: Groups, fused: Iterable[tuple[str, ...]] = FUSED) -> list[Gap]:
    """Return the layers in which some parts of a fused weight are there and others are not.

    Parts that no layer has (multi-query models without `q_proj`, shared keys and values) are no gap.
    """
    gaps = []
    for base, parts in _families(groups, fused):
        everywhere = set().union(*(group.layers for group in parts.values()))
        for name, group in parts.items():
            absent = tuple(
                sorted(
                    n
                    for n in everywhere
                    if group.layers.get(n, 0) < max(other.layers.get(n, 0) for other in parts.values())
                )
            )
            if absent:
                gaps.append(Gap(base, tuple(parts), (name,), absent))
    return gaps


def mixed_quantisation(groups: Groups, fused: Iterable[tuple[str, ...]] = QUANTISED_ONLY_TOGETHER) -> list[Gap]:
    """Return the fused weights of which some parts have a scale and others have none."""
    gaps = []
    for base, parts in _families(groups, fused):
        scaled = {name: _scaled_layers(groups, group) for name, group in parts.items()}
        everywhere = set().union(*scaled.values())
        bare = {name: everywhere & set(parts[name].layers) - layers for name, layers in scaled.items()}
        missing = tuple(name for name, layers in bare.items() if layers)
        if missing:
            gaps.append(Gap(base, tuple(parts), missing, tuple(sorted(set().union(*bare.values())))))
    return gaps


def partly_scaled(groups: Groups) -> list[Gap]:
    """Return the weights of which a layer has fewer scales than weights: experts that a list stopped short of."""
    gaps = []
    for group in groups.groups:
        if group.leaf != "weight":
            continue
        scales = [groups.by_pattern.get(f"{group.module}.{leaf}") for leaf in SCALE_OF_WEIGHT]
        scale = next((one for one in scales if one), None)
        short = tuple(n for n, count in sorted(group.layers.items()) if scale and 0 < scale.layers.get(n, 0) < count)
        if short:
            gaps.append(Gap(group.module, ("weight", scale.leaf), (scale.leaf,), short))
    return gaps


def _families(groups: Groups, fused: Iterable[tuple[str, ...]]) -> list[tuple[str, dict[str, Group]]]:
    """Return (pattern of the parent, part → its weight group) for each fused weight with at least two parts."""
    families: dict[tuple[str, tuple[str, ...]], dict[str, Group]] = {}
    fused = tuple(fused)
    for group in groups.groups:
        if group.leaf not in ("weight", "qweight", "weight_packed"):
            continue
        base, _, name = group.module.rpartition(".")
        for parts in fused:
            if name in parts:
                families.setdefault((base, parts), {})[name] = group
    return [(base, parts) for (base, _), parts in families.items() if len(parts) > 1]


def _scaled_layers(groups: Groups, group: Group) -> set[int]:
    found: set[int] = set()
    for leaf in SCALE_OF_WEIGHT:
        scale = groups.by_pattern.get(f"{group.module}.{leaf}")
        found |= set(scale.layers) if scale else set()
    return found
