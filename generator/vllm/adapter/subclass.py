"""A subclass of an existing model: its names for the checkpoint's keys, and TODOs for what it has no module for."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from ..decision.decision import Decision
from .compose import Adapter
from .layout import Layout, Weight, read_layout
from .norms import KNOWN
from .rules import LAYERS, MODULES, Rule, regex_of, replacement_of
from .table import table
from .unknown import Log


def subclass(analysis: Analysis, decision: Decision, symbols: dict[str, Any]) -> Adapter:
    """Return what a subclass of the decided class needs; `decision.names` are the names that its file reads."""
    log, layout = Log(), read_layout(analysis)
    rules = [_rule(w, layout, decision, log) for weights in layout.weights.values() for w in weights]
    for group in layout.unknown:
        if not _named(group.pattern.split("."), decision):
            log.todo(
                f"key {group.pattern}",
                "load",
                f"what do the {group.count} keys {group.pattern} mean to {decision.cls}?",
            )
    renames = list(dict.fromkeys(rule.rename for rule in rules if rule.rename))
    answers = {
        "symbols": symbols,
        "table": table([rule for rule in rules if rule.rename]),
        "renames": [[regex_of(old), replacement_of(new)] for old, new in renames],
        "drops": [],
        "stacked": [],
        "todos": [todo.as_json() for todo in log.todos],
    }
    return Adapter(answers, rules, log, layout)


def _rule(weight: Weight, layout: Layout, decision: Decision, log: Log) -> Rule:
    module = MODULES.get(weight.slot) or _norm(weight.slot, layout)
    target = weight.module
    if module is not None:
        # The usual name goes first: a file may mention others only to map them away.
        usual = module[1:] if module.startswith(".") else LAYERS + module
        target = usual if _named(usual.split("."), decision) else target
    if not _named(target.split("."), decision):
        log.todo(
            f"module {weight.module.rpartition('.')[2]}",
            "load",
            f"{decision.cls} has no module for the keys {weight.group.pattern}",
        )
    elif layout.stack and target.startswith(f"{layout.stack}.*.") and layout.stack != "model.layers":
        target = LAYERS + target.removeprefix(f"{layout.stack}.*.")
    rename = None if target == weight.module else (weight.module, target)
    leaf = f".{weight.leaf}" if weight.leaf else ""
    return Rule(weight.group.pattern, target + leaf, None, weight.group.count, rename=rename)


def _norm(slot: str, layout: Layout) -> str | None:
    """Return the usual name of a norm in a layer that has one before each half, None in any other."""
    slots = {name[5:] for name in layout.weights if name.startswith("norm.")}
    becomes = KNOWN.get(frozenset(slots))
    if becomes is None or {becomes.get(s, s) for s in slots} != {"attn_pre", "mlp_pre"}:
        return None
    return {"attn_pre": "input_layernorm", "mlp_pre": "post_attention_layernorm"}.get(becomes.get(slot[5:], slot[5:]))


def _named(words: list[str], decision: Decision) -> bool:
    inner = [word for word in words if word not in ("*", "weight", "bias")]
    return bool(inner) and inner[-1] in decision.names
