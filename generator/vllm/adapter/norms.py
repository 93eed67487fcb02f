"""Where the norms of a layer stand: told from the keys, or from the modelling code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .layout import Layout
from .unknown import Log

# Slots that are there → what `between` is in such a layer.
KNOWN = {
    frozenset({"attn_pre", "between"}): {"between": "mlp_pre"},
    frozenset({"attn_pre", "mlp_pre"}): {},
    frozenset({"between", "mlp_post"}): {"between": "attn_post"},
    frozenset({"attn_post", "mlp_post"}): {},
    frozenset({"attn_pre", "between", "mlp_pre", "mlp_post"}): {"between": "attn_post"},
    frozenset({"attn_pre", "attn_post", "between", "mlp_post"}): {"between": "mlp_pre"},
    frozenset({"attn_pre", "attn_post", "mlp_pre", "mlp_post"}): {},
}
SLOTS = ("attn_pre", "attn_post", "mlp_pre", "mlp_post")


@dataclass
class Norms:
    """Attributes:
    there: the slots of the adapter that have a norm. becomes: slot in the keys → slot in the adapter.
    cls: class of vLLM. eps: expression. parallel: attention and MLP read the same normed input.
    names: slot of the adapter → attribute, as the checkpoint calls it.
    """

    there: set[str] = field(default_factory=set)
    becomes: dict[str, str] = field(default_factory=dict)
    cls: str = "RMSNorm"
    eps: str = "config.rms_norm_eps"
    parallel: bool = False
    bias: bool = False

    names: dict[str, str] = field(default_factory=dict)

    @property
    def fused(self) -> bool:
        """True if a norm stands before both halves of a layer: it adds the residual in the same kernel."""
        return {"attn_pre", "mlp_pre"} <= self.there and self.cls in ("RMSNorm", "GemmaRMSNorm")

    def as_answers(self) -> dict[str, Any]:
        """Return what templates read."""
        return {
            "names": {s: self.names[s] if s in self.there else "" for s in SLOTS},
            "cls": self.cls,
            "eps": self.eps,
            "parallel": self.parallel,
            "bias": self.bias,
            "fused": self.fused,
        }


def read_norms(layout: Layout, config, code, log: Log) -> Norms:
    """Return the norms of a layer.

    Args:
        code: the modelling code that was found, or None.
    """
    slots = {slot[5:] for slot in layout.weights if slot.startswith("norm.")}
    becomes = _placement(slots, layout, code, log)
    norms = Norms({becomes.get(slot, slot) for slot in slots if becomes.get(slot, slot) in SLOTS}, becomes)
    for slot in slots:
        weight = layout.weights[f"norm.{slot}"][0]
        norms.names[becomes.get(slot, slot)] = weight.module.rpartition(".")[2]
    norms.bias = any(layout.has(f"norm.{slot}", "bias") or layout.has(f"norm.{slot}", "beta") for slot in slots)
    norms.parallel = slots == {"attn_pre"}
    if norms.parallel:
        _parallel(norms, code, log)
    _class(norms, config, code, log)
    return norms


def _placement(slots: set[str], layout: Layout, code, log: Log) -> dict[str, str]:
    read = code.norm_places if code else None
    if read:
        names = {slot: layout.first(f"norm.{slot}") for slot in slots}
        by_name = {w.module.rpartition(".")[2]: slot for slot, w in names.items() if w}
        if set(read) >= set(by_name):
            log.say("placement of the norms", code.where)
            return {slot: read[name] for name, slot in by_name.items()}
    known = KNOWN.get(frozenset(slots))
    if known is None:
        if slots != {"attn_pre"}:
            log.todo("norm placement", "layer", f"where do the norms {', '.join(sorted(slots)) or '(none)'} stand?")
        return {}
    log.say("placement of the norms", "the names of the keys")
    return known


def _parallel(norms: Norms, code, log: Log) -> None:
    if code and code.parallel:
        log.say("attention and MLP side by side", code.where)
    else:
        log.todo("one norm in a layer", "layer", "do attention and MLP stand side by side behind the one norm?")


def _class(norms: Norms, config, code, log: Log) -> None:
    rms = config.text_get("rms_norm_eps", "rms_norm_epsilon", "norm_eps", "norm_epsilon")
    layer = config.text_get("layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon")
    found = rms or layer
    if found is None:
        log.todo("norm epsilon", "layer", "which epsilon do the norms have? no field of config.json says it")
        norms.eps = "1e-6"
    else:
        norms.eps = f"config.{found.path.rpartition('.')[2]}"
    kind = code.norm_kind if code else None
    if kind:
        log.say(f"norms are {kind}", code.where)
    elif norms.bias or rms is None and layer is not None:
        kind = "LayerNorm"
        log.say("norms are LayerNorm", "a bias among the keys" if norms.bias else layer.says())
    else:
        kind = "RMSNorm"
        log.say("norms are x / rms(x) * weight", f"convention of {rms.says()}" if rms else "convention")
    norms.cls = kind
