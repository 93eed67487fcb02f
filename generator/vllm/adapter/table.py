"""The weight rules as a table for the adapter's docstring."""

from __future__ import annotations

from .rules import Rule
from .unknown import one_line

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
    return [_indented(line) for line in lines]


def _indented(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    left, arrow, right = line.strip().partition("  x")
    return indent + one_line(left) + arrow + one_line(right)


def _fit(left: str, right: str) -> list[str]:
    line = f"{left} -> {right}"
    return [line] if len(line) <= WIDEST else [left, f"    -> {right}"]
