"""The weight rules: every pattern of the index goes to one parameter, or is left out for a reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .layout import Layout, Weight

LAYERS = "model.layers.*."
# Slot → module of the adapter, relative to a layer unless it starts with a dot.
MODULES = {
    "attn.q": "self_attn.q_proj",
    "attn.k": "self_attn.k_proj",
    "attn.v": "self_attn.v_proj",
    "attn.qkv": "self_attn.qkv_proj",
    "attn.o": "self_attn.o_proj",
    "attn.q_norm": "self_attn.q_norm",
    "attn.k_norm": "self_attn.k_norm",
    "attn.sinks": "self_attn.sinks",
    "attn.q_a": "self_attn.q_a_proj",
    "attn.q_a_norm": "self_attn.q_a_layernorm",
    "attn.q_b": "self_attn.q_b_proj",
    "attn.kv_a": "self_attn.kv_a_proj_with_mqa",
    "attn.kv_a_norm": "self_attn.kv_a_layernorm",
    "attn.kv_b": "self_attn.kv_b_proj",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
    "mlp.fc": "mlp.up_proj",
    "mlp.gate_up": "mlp.gate_up_proj",
    "moe.router": "mlp.gate",
    "moe.shared_gate": "mlp.shared_expert_gate",
    "moe.router_bias": "mlp.gate.e_score_correction_bias",
    "moe.expert.gate": "mlp.experts.*.gate_proj",
    "moe.expert.up": "mlp.experts.*.up_proj",
    "moe.expert.down": "mlp.experts.*.down_proj",
    "moe.stacked.gate_up": "mlp.experts.gate_up_proj",
    "moe.stacked.down": "mlp.experts.down_proj",
    "moe.shared.gate": "mlp.shared_experts.gate_proj",
    "moe.shared.up": "mlp.shared_experts.up_proj",
    "moe.shared.down": "mlp.shared_experts.down_proj",
    "moe.shared.gate_up": "mlp.shared_experts.gate_up_proj",
    "embed": ".model.embed_tokens",
    "final": ".model.norm",
    "head": ".lm_head",
}
# Fused parameter, and which shard a part of it is.
STACKED = {
    "attn.q": ("self_attn.qkv_proj", "q"),
    "attn.k": ("self_attn.qkv_proj", "k"),
    "attn.v": ("self_attn.qkv_proj", "v"),
    "attn.q_a": ("self_attn.fused_qkv_a_proj", 0),
    "attn.kv_a": ("self_attn.fused_qkv_a_proj", 1),
    "mlp.gate": ("mlp.gate_up_proj", 0),
    "mlp.up": ("mlp.gate_up_proj", 1),
    "moe.shared.gate": ("mlp.shared_experts.gate_up_proj", 0),
    "moe.shared.up": ("mlp.shared_experts.gate_up_proj", 1),
}
SCALES = ("weight_scale_inv",)


@dataclass(frozen=True)
class Rule:
    """Attributes:
    source: pattern of keys, layers and experts as `*`. target: the parameter, or None if it is left out.
    shard: part of a fused parameter. count: how many keys of the index the rule takes.
    why: why keys are left out.
    """

    source: str
    target: str | None
    shard: str | int | None
    count: int
    why: str = ""
    rename: tuple[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the documented object."""
        return {"source": self.source, "target": self.target, "shard": self.shard, "count": self.count, "why": self.why}


def weight_rules(layout: Layout, tied: bool, dequantise: bool, inside: str = "") -> list[Rule]:
    """Return the rules, in the order of the index.

    Args:
        tied: the output head is the embedding.
        dequantise: scales are consumed together with their weights.
        inside: prefix of the language model in a model that has more parts.
    """
    found = [
        rule
        for weights in layout.weights.values()
        for w in weights
        if (rule := _rule(w, layout, tied, dequantise, inside))
    ]
    found += [Rule(g.pattern, None, None, g.count, "computed from the configuration") for g in layout.computed]
    by = "multi-token prediction, which this model does not run"
    found += [Rule(g.pattern, None, None, g.count, by) for g in layout.draft]
    deep = [(w, n) for ws in layout.weights.values() for w in ws if (n := _deep(w, layout))]
    found += [Rule(w.group.pattern, None, None, n, by) for w, n in deep]
    return found


def _deep(weight: Weight, layout: Layout) -> int:
    inside = weight.group.pattern.startswith(f"{layout.stack}.*.")
    return weight.group.deeper_than(layout.depth) if inside and layout.depth else 0


def _rule(weight: Weight, layout: Layout, tied: bool, dequantise: bool, inside: str) -> Rule | None:
    count = weight.group.count - _deep(weight, layout)
    slot = weight.slot
    if slot == "head" and tied:
        return Rule(weight.group.pattern, None, None, count, "tied: the output head is the embedding")
    # Norms keep the name that they have in the checkpoint.
    module = weight.module.rpartition(".")[2] if slot.startswith("norm.") else MODULES.get(slot)
    if module is None or count == 0:
        return None
    target = inside + (module[1:] if module.startswith(".") else LAYERS + module)
    rename = None if weight.module == target else (weight.module, target)
    fused, shard = fused_of(slot, layout)
    leaf = f".{weight.leaf}" if weight.leaf else ""
    if weight.leaf in ("gamma", "beta"):
        leaf = {"gamma": ".weight", "beta": ".bias"}[weight.leaf]
        rename = (f"{weight.module}.{weight.leaf}", target + leaf)
    shown = f"{inside}{LAYERS}{fused}{leaf}" if fused else target + leaf
    if dequantise and weight.leaf in SCALES:
        shown = shown.replace("weight_scale_inv", "weight") + " (multiplied into)"
    return Rule(weight.group.pattern, shown, shard, count, rename=rename)


def fused_of(slot: str, layout: Layout) -> tuple[str | None, str | int | None]:
    """Return (fused parameter, shard) that the slot goes to in this model, (None, None) for a parameter of its own."""
    latent = layout.has("attn.kv_a")
    alone = latent and (slot in ("attn.q", "attn.k", "attn.v") or slot == "attn.kv_a" and not layout.has("attn.q_a"))
    return (None, None) if alone else STACKED.get(slot, (None, None))


def renames(rules: list[Rule]) -> list[tuple[str, str]]:
    """Return (regular expression, replacement) for each module whose name differs, each once."""
    pairs = dict.fromkeys(rule.rename for rule in rules if rule.rename)
    return [(regex_of(source), replacement_of(target)) for source, target in pairs]


def regex_of(pattern: str) -> str:
    """Return a regular expression for the module `pattern`, its numbers as groups."""
    return "^" + re.escape(pattern).replace(r"\*", r"(\d+)") + r"(?=\.|$)"


def replacement_of(pattern: str) -> str:
    """Return the replacement, its numbers as back references."""
    parts = pattern.split("*")
    return "".join(part + (f"\\{i + 1}" if i < len(parts) - 1 else "") for i, part in enumerate(parts))


def stacked_of(rules: list[Rule]) -> list[tuple[str, str, str | int]]:
    """Return (part, fused parameter, shard) of the fused parameters that parts go to, in the adapter's names."""
    found: dict[tuple[str, str, str | int], None] = {}
    names = {STACKED[slot]: MODULES[slot] for slot in STACKED}
    for rule in rules:
        if rule.shard is not None and rule.target:
            fused = next(f for f, s in names if s == rule.shard and f".{f}." in rule.target + ".")
            found[names[fused, rule.shard], fused, rule.shard] = None
    return list(found)
