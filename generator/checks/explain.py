"""What a rule says of itself, and the page of all of them."""

from __future__ import annotations

from typing import Any

from .rule import Case, Rule, all_rules


def explain(rule: Rule) -> str:
    """The documentation of a rule with one case of each kind, as text."""
    parts = [f"{rule.id}  {rule.title}  ({rule.severity})", rule.documentation]
    if rule.INVALID:
        parts.append(f"reported, for example: {rule.INVALID[0].name}\n\n{_files(rule.INVALID[0])}")
    if rule.VALID:
        parts.append(f"not reported: {rule.VALID[0].name}\n\n{_files(rule.VALID[0])}")
    return "\n\n".join(parts)


def to_json(rule: Rule) -> dict[str, Any]:
    """The same as data."""
    return {
        "schema": "check-rule/1",
        "command": "check",
        "exit": 0,
        "rule": rule.id,
        "title": rule.title,
        "severity": rule.severity,
        "documentation": rule.documentation,
        "needs": list(rule.needs),
        "valid": [case.name for case in rule.VALID],
        "invalid": [case.name for case in rule.INVALID],
    }


def page() -> str:
    """All rules as Markdown: `docs/check-rules.md` holds exactly this above its hand-written part."""
    parts = ["# The rules of `scaffold check`", "Generated from the rules by `scripts/rule_pages.py`."]
    for rule in all_rules().values():
        parts += [f"## {rule.id}: {rule.title}", rule.documentation]
        parts.append("Cases that it reports: " + "; ".join(case.name for case in rule.INVALID) + ".")
        parts.append("Cases that it lets pass: " + "; ".join(case.name for case in rule.VALID) + ".")
    return "\n\n".join(parts) + "\n"


def _files(case: Case) -> str:
    blocks = []
    for key, text in case.files.items():
        body = "\n".join(f"        {line}".rstrip() for line in text.splitlines())
        blocks.append(f"    {key.replace(':', '/', 1)}\n{body}")
    return "\n".join(blocks)
