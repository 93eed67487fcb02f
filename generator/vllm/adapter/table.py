"""The weight rules as a table for the adapter's docstring."""

from __future__ import annotations

from .rules import Rule

WIDEST = 88


def table(rules: list[Rule]) -> list[str]:
    """Return one line for each rule, in at most 88 columns where the names allow it."""
    lines = []
    for rule in rules:
        if rule.target is None:
            lines += _fit(f"{rule.source}  x{rule.count}", f"left out: {rule.why}")
        else:
            shard = "" if rule.shard is None else f" [{rule.shard}]"
            lines += _fit(f"{rule.source}  x{rule.count}", f"{rule.target}{shard}")
    return [line.replace("\\", "\\\\").replace('"""', "'''") for line in lines]


def _fit(left: str, right: str) -> list[str]:
    line = f"{left} -> {right}"
    return [line] if len(line) <= WIDEST else [left, f"    -> {right}"]
