"""Text for a terminal."""

from __future__ import annotations

from ..finding import Finding
from ..report import Report

_COLOURS = {"error": "31", "warning": "33", "note": "36"}


def render(report: Report, *, colour: bool = False) -> str:
    """Return a paragraph for each finding, and a line that sums up."""
    blocks = [_block(finding, colour) for finding in report.shown]
    return "\n\n".join([*blocks, summary(report)])


def summary(report: Report) -> str:
    """One line: how many findings, and how many rules looked at how many files."""
    counts = ", ".join(f"{number} {name}{'' if number == 1 else 's'}" for name, number in report.counts.items())
    extra = [f"{report.allowed} allowed"] * bool(report.allowed) + [f"{report.known} in the baseline"] * bool(
        report.known
    )
    text = f"{counts} ({', '.join(extra)})" if extra else counts
    text += f"; {len(report.rules_run)} rules, {report.files_read} files"
    if report.rules_skipped:
        reasons = "; ".join(sorted(set(report.rules_skipped.values())))
        text += f"; {len(report.rules_skipped)} rules could not look ({reasons})"
    return text + ("; --level note shows the notes" if report.hidden_notes else "")


def _block(finding: Finding, colour: bool) -> str:
    head = f"{finding.severity} {finding.rule}"
    if colour:
        head = f"\x1b[{_COLOURS[finding.severity]}m{head}\x1b[0m"
    lines = [f"{finding.place}: {head} {finding.subject}: {finding.message}"]
    if finding.here:
        lines.append(f"    here: {finding.here}")
    if finding.other:
        there = f"  {finding.there}" if finding.there else ""
        lines.append(f"    other: {finding.other}{there}")
    elif finding.there:
        lines.append(f"    other: {finding.there}")
    lines.append(f"    next: {finding.next}" + (" (--fix does it)" if finding.remedy else ""))
    return "\n".join(lines)
