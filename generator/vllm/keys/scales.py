"""Every scale has its weight and every quantised weight its scale.

Names: fp8 `weight_scale_inv` (block) and `weight_scale`, compressed-tensors `weight_packed`, awq and gptq `qweight`,
ModelSlim `weight_offset`, `deq_scale`, `quant_bias`, DeepSeek V4 `scale`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

PARTNERS = {
    "weight_scale_inv": ("weight",),
    "weight_scale": ("weight", "weight_packed"),
    "scale": ("weight",),
    "input_scale": ("weight", "weight_packed"),
    "input_offset": ("weight",),
    "weight_offset": ("weight",),
    "quant_bias": ("weight",),
    "deq_scale": ("weight",),
    "activation_scale": ("weight",),
    "weight_scale_2": ("weight",),
    "weight_global_scale": ("weight", "weight_packed"),
    "input_global_scale": ("weight", "weight_packed"),
    "weight_zero_point": ("weight", "weight_packed"),
    "weight_g_idx": ("weight_packed",),
    "weight_shape": ("weight_packed",),
    "weight_packed": ("weight_scale",),
    "qweight": ("scales",),
    "scales": ("qweight",),
    "qzeros": ("qweight",),
    "g_idx": ("qweight",),
}
SCALE_OF_WEIGHT = ("weight_scale_inv", "weight_scale", "scale")


@dataclass
class Pairs:
    """Attributes:
    paired: scales that have their weight. orphans: keys without their partner.
    """

    paired: int
    orphans: list[str]


def pair_scales(known: Collection[str]) -> Pairs:
    """Return how scales and weights of `known` (a set or a dict of keys) pair up."""
    paired, orphans = 0, []
    for key in known:
        module, dot, leaf = key.rpartition(".")
        wants = PARTNERS.get(leaf)
        if wants is None or (leaf == "scale" and not dot):
            continue
        if any(f"{module}.{want}" in known for want in wants):
            paired += 1
        elif not (leaf == "scale" and _own_parameter(module)):
            orphans.append(key)
    return Pairs(paired, orphans)


def _own_parameter(module: str) -> bool:
    """Return True if `scale` is a norm's or a router's own parameter rather than a quantisation scale."""
    last = module.rpartition(".")[2]
    return "norm" in last or "router" in last or "layer_scale" in last


def covers(ignored: str, module: str) -> bool:
    """Return True if the entry `ignored` of a configuration names `module` or a module that holds it.

    Regular expressions (`re:` of compressed-tensors) come from strangers and are not run: they cover nothing.
    """
    if ignored.startswith("re:"):
        return False
    return module == ignored or module.startswith(ignored + ".") or module.endswith("." + ignored)
