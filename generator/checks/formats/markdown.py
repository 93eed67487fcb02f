"""Markdown, for a pull request or an issue."""

from __future__ import annotations

from ..finding import SEVERITIES, Finding
from ..report import Report
from .text import summary


def render(report: Report, *, colour: bool = False) -> str:
    """Return a section for each severity, with a list of its findings."""
    parts = [f"## scaffold check\n\n{summary(report)}"]
    for severity in SEVERITIES:
        findings = [finding for finding in report.shown if finding.severity == severity]
        if findings:
            rows = "\n".join(map(_item, findings))
            parts.append(f"### {severity.capitalize()}s\n\n{rows}")
    return "\n\n".join(parts)


def _item(finding: Finding) -> str:
    lines = [f"- **{finding.rule}** `{finding.place}` {_text(finding.message)}"]
    if finding.here:
        lines.append(f"  - here: {_code(finding.here)}")
    if finding.other or finding.there:
        there = f" {_code(finding.there)}" if finding.there else ""
        lines.append(f"  - other: {f'`{finding.other}`' if finding.other else ''}{there}")
    lines.append(f"  - next: {_text(finding.next)}")
    return "\n".join(lines)


def _code(text: str) -> str:
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def _text(text: str) -> str:
    """Prose as it is, but for what a page would take for markup outside of code."""
    parts = text.split("`")
    escaped = [
        p.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_") if i % 2 == 0 else p for i, p in enumerate(parts)
    ]
    return "`".join(escaped)
