"""Findings about the keys: gaps in layers, scales without weights, shapes, prefixes, ModelSlim's description."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..finding import Finding
from . import modelslim
from .complete import Gap, missing_parts, mixed_quantisation, partly_scaled
from .groups import Groups
from .prefixes import foreign_prefixes
from .scales import covers, pair_scales
from .shapes import bare_fp8, wrong_block_scales

if TYPE_CHECKING:
    from ..analysis.quantization import Quantization
    from ..checkpoint.weights import Weights

SHOWN = 5


def key_findings(
    groups: Groups, weights: Weights, quantization: Quantization | None, description: dict | None
) -> list[Finding]:
    """Return the findings of rules V05 (weight names) and V06 (quantisation pairs)."""
    found = [*foreign_prefixes(groups, weights.source)]
    found += [_gap("V05", "warning", gap, "is missing", weights.source) for gap in missing_parts(groups)]
    found += [
        _gap("V06", "error", gap, "has no scale although the others have", weights.source)
        for gap in mixed_quantisation(groups)
    ]
    found += [
        _gap("V06", "error", gap, "is there for some of the weights only", weights.source)
        for gap in partly_scaled(groups)
    ]
    found += _scales(groups, weights, quantization)
    return found + modelslim.findings(description, weights.shard_of)


def _scales(groups: Groups, weights: Weights, quantization: Quantization | None) -> list[Finding]:
    source = weights.source
    ignored = quantization.ignored if quantization else []
    found = _many("V06", pair_scales(weights.shard_of).orphans, "a scale without its weight", source)
    found += _many("V06", bare_fp8(weights.tensors, weights.shard_of), "an fp8 weight without a scale", source)
    found += _many(
        "V06", _excluded(groups, ignored), "has a scale although the configuration excludes it", source, "warning"
    )
    block = quantization.block if quantization else None
    for key, shape, expected in wrong_block_scales(weights.tensors, block)[:SHOWN] if block else ():
        found.append(
            Finding(
                "V06",
                "error",
                key,
                f"shape {list(shape)}, the blocks need {list(expected)}: round up",
                source,
                next="export the scales again",
            )
        )
    if quantization and quantization.method == "fp8" and groups.total and not _has_scales(groups):
        found.append(
            Finding(
                "V06",
                "error",
                quantization.says[0],
                "fp8, but no key is a scale",
                source,
                next="export the checkpoint with its scales, or remove quantization_config",
            )
        )
    return found


def _has_scales(groups: Groups) -> bool:
    return any("scale" in group.leaf for group in groups.groups)


def _excluded(groups: Groups, ignored: list[str]) -> list[str]:
    if not ignored or len(ignored) > 2000:
        return []
    scaled = [group for group in groups.groups if group.leaf in ("weight_scale_inv", "weight_scale")]
    # A group stands for its first key here: exclusions name whole layers or projections.
    return [g.first for g in scaled if any(covers(name, g.first.rpartition(".")[0]) for name in ignored)]


def _many(rule: str, keys: Iterable[str], message: str, source: str | None, severity: str = "error") -> list[Finding]:
    keys = list(keys)
    rest = f" ({len(keys)} in all)" if len(keys) > SHOWN else ""
    return [
        Finding(rule, severity, key, message + rest, source, next="export the checkpoint again, or drop the key")
        for key in keys[:SHOWN]
    ]


def _gap(rule: str, severity: str, gap: Gap, message: str, source: str | None) -> Finding:
    layers = ", ".join(map(str, gap.layers[:8])) + (" …" if len(gap.layers) > 8 else "")
    return Finding(
        rule,
        severity,
        f"{gap.module}.{gap.missing[0]}",
        f"layers {layers}: {', '.join(gap.missing)} of ({', '.join(gap.parts)}) {message}",
        source,
        next="fused parts must be there, and quantised, together",
    )
