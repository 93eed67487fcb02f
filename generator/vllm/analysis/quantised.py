"""The quantisation against the configuration's sizes and the keys (rule V06)."""

from __future__ import annotations

from ..finding import Finding
from ..keys.groups import Groups
from ..keys.shapes import ceil
from .fields import Config, Field, count
from .quantization import Quantization

WIDTHS = ("hidden_size", "intermediate_size", "moe_intermediate_size")
SCALES = ("weight_scale_inv", "weight_scale", "weight_packed", "qweight")


def quantised_findings(config: Config, quantization: Quantization | None, groups: Groups) -> list[Finding]:
    """Return the widths that are no multiple of the group, and scales that no field explains."""
    return _widths(config, quantization) + _undeclared(quantization, groups)


def _widths(config: Config, quantization: Quantization | None) -> list[Finding]:
    group = quantization.group if quantization else 0
    # Group-wise scales run along the input of each projection; one short group at the end is easily lost.
    found = [Field(config.text_path + n, count(config.text.get(n))) for n in WIDTHS] if group else []
    return [
        Finding(
            "V06",
            "warning",
            f.path,
            f"{f.says()} is no multiple of the group of {group}: "
            f"{ceil(f.value, group)} groups, rounding down gives {f.value // group}",
            "config.json",
            next="round up wherever the adapter computes the number of groups",
        )
        for f in found
        if f.value and f.value > 0 and f.value % group
    ]


def _undeclared(quantization: Quantization | None, groups: Groups) -> list[Finding]:
    scale = next((g for g in groups.groups if g.leaf in SCALES), None)
    if quantization is not None or scale is None:
        return []
    return [
        Finding(
            "C06",
            "error",
            scale.first,
            "the keys are quantised, but no field says how",
            "config.json",
            next="add quantization_config, or quant_model_description.json of ModelSlim",
        )
    ]
