"""The module for multi-token prediction, where the index has its layers in DeepSeek's form."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from .layout import Layout
from .unknown import Log

# What such a layer has beside a decoder layer.
OWN = ("enorm", "hnorm", "eh_proj", "shared_head", "embed_tokens")
NEEDED = {"enorm", "hnorm", "eh_proj"}
STACK = "model.layers"


def read_draft_part(analysis: Analysis, layout: Layout, adapter: dict[str, Any], log: Log) -> dict[str, Any] | None:
    """Return the answers of the draft module, or None where the index has no such layers.

    Layers in another form than DeepSeek's, or of a model whose keys are renamed, are left out, and that is said.
    """
    if not layout.draft or analysis.mtp is None:
        return None
    heads = {g.pattern.removeprefix(f"{STACK}.*.").split(".")[0] for g in layout.draft}
    numbers = sorted({n for group in layout.draft for n in group.layers if n >= layout.depth})
    plain = layout.stack == STACK and not adapter["renames"] and not adapter["vision"]
    if not plain or not heads >= NEEDED or not numbers:
        log.say("layers for multi-token prediction are left out", "their form, which is not DeepSeek's")
        return None
    if adapter["attention"]["window"] and "layer_type" in adapter["attention"]["window"]:
        log.say("layers for multi-token prediction are left out", "layer_types, which does not tell of them")
        return None
    head = any(".shared_head.head." in f"{g.pattern}." for g in layout.draft)
    return {
        "arch": f"{adapter['stem']}MTPModel",
        "module": f"{adapter['module']}_mtp",
        "layers": numbers,
        "embeds": "embed_tokens" in heads,
        "head": head,
        "rules": _rules(numbers, "embed_tokens" in heads, head),
    }


def _rules(numbers: list[int], embeds: bool, head: bool) -> list[list[str | None]]:
    """Return (regular expression, replacement or None, why) in the order in which they apply."""
    some = "|".join(map(str, numbers))
    kept = rf"model\.layers\.(?:{some})\."
    beside = ([] if embeds else [r"model\.embed_tokens\."]) + ([] if head else [r"lm_head\."])
    rules: list[list[str | None]] = [
        [rf"^(?!{'|'.join([kept, *beside])})", None, "the main model loads what lies outside of these layers"],
        [
            rf"^(model\.layers\.(?:{some}))\.(?!(?:{'|'.join(OWN)})\.)",
            r"\1.mtp_block.",
            "the decoder layer in a layer for prediction",
        ],
    ]
    if embeds:
        rules.append([rf"^{kept}embed_tokens\.", "model.embed_tokens.", "all of them have one embedding"])
    if not head:
        target = f"model.layers.{numbers[0]}.shared_head.head."
        rules.append([r"^lm_head\.", target, "the head of the main model"])
    return rules
