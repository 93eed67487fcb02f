"""A subclass of an existing model: its names for the checkpoint's keys, and TODOs for what it has no module for."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from ..decision.decision import Decision
from .compose import Adapter
from .layout import Layout, Weight, read_layout
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
    words = [w for w in weight.module.split(".") if w != "*"]
    module = MODULES.get(weight.slot)
    target = weight.module
    if words[-1] not in decision.names and module is not None:
        target = module[1:] if module.startswith(".") else LAYERS + module
        if not _named(target.split("."), decision):
            target = weight.module
    if not _named(target.split("."), decision):
        log.todo(f"module {words[-1]}", "load", f"{decision.cls} has no module for the keys {weight.group.pattern}")
    elif layout.stack and target.startswith(f"{layout.stack}.*.") and layout.stack != "model.layers":
        target = LAYERS + target.removeprefix(f"{layout.stack}.*.")
    rename = None if target == weight.module else (weight.module, target)
    leaf = f".{weight.leaf}" if weight.leaf else ""
    return Rule(weight.group.pattern, target + leaf, None, weight.group.count, rename=rename)


def _named(words: list[str], decision: Decision) -> bool:
    inner = [word for word in words if word not in ("*", "weight", "bias")]
    return bool(inner) and inner[-1] in decision.names
