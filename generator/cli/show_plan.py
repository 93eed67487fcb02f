"""Prints a plan: the table, the diff, the notes, or the JSON document."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from .common import Common

if TYPE_CHECKING:
    from generator.checks.finding import Finding
    from generator.plan.plan import Plan
    from generator.plan.step import Note

_DRY = {"created": "to create", "added": "to add", "updated": "to update", "removed": "to remove"}
_COLOURS = {"created": "32", "added": "32", "updated": "32", "removed": "31", "already there": "2"}
_SEVERITIES = {"error": "31", "warning": "33"}
_LEVELS = {"note": "36", "warning": "33", "conflict": "31"}


def show_plan(plan: Plan, common: Common, found: list[Finding] | None = None) -> None:
    """Print a plan in the format that was asked for; `found` goes into the JSON document as `check`."""
    if common.as_json:
        document = plan.to_json() | {"dry_run": common.dry_run}
        if found is not None:
            document["check"] = [finding.to_json() for finding in found]
        if common.diff:
            document["diff"] = plan.diff()
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    _show_table(plan, common)
    if common.diff:
        _show_diff(plan.diff())
    for note in plan.notes:
        _show_note(note)


def show_findings(found: list[Finding]) -> None:
    """Print what the check of a result found, one line each."""
    if not found:
        print(paint("check:", "36"), "the layers that were written agree")
    for finding in found:
        print(f"{paint(f'check {finding.severity}:', _SEVERITIES[finding.severity])} {finding.rule} {finding.message}")
        print(f"   at: {finding.place}")
        print(f" next: {finding.next}")


def paint(text: str, colour: str) -> str:
    """The text in an ANSI colour, if somebody looks."""
    import os

    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return text
    return f"\x1b[{colour}m{text}\x1b[0m"


def print_table(header: list[str], rows: list[list[str]], colours: list[str] | None = None) -> None:
    """Print rows in aligned columns; the last column is not padded."""
    widths = [max(len(r[i]) for r in [header, *rows]) for i in range(len(header) - 1)]
    for i, row in enumerate([header, *rows]):
        cells = [c.ljust(w) for c, w in zip(row, widths, strict=False)]
        colour = "1" if i == 0 else (colours[i - 1] if colours else "0")
        print(paint("  ".join([*cells, row[-1]]).rstrip(), colour))


def _show_table(plan: Plan, common: Common) -> None:
    from generator.plan.table import rows

    cells, colours, last = [], [], None
    for row in rows(plan):
        layer = row.layer if row.layer != last else ""
        state = _DRY.get(row.state, row.state) if common.dry_run else row.state
        cells.append([layer, row.place, row.what, f"{state} ({row.note})" if row.note else state])
        colours.append(_COLOURS[row.state])
        last = row.layer
    if cells:
        print_table(["layer", "file", "what", "state"], cells, colours)
    if all(change.bookkeeping for change in plan.changes):
        print("nothing to write: everything is there already")


def _show_diff(diff: str) -> None:
    colours = {"+": "32", "-": "31", "@": "36"}
    print()
    for line in diff.splitlines():
        heading = line.startswith(("+++", "---"))
        text = paint(line, "1" if heading else colours.get(line[:1], "0"))
        sys.stdout.buffer.write((text + "\n").encode("utf-8", "surrogateescape"))


def _show_note(note: Note) -> None:
    print(f"{paint(note.level + ':', _LEVELS[note.level])} {note.text}")
    if note.where:
        print(f"   at: {note.where}")
    if note.next:
        print(f" next: {note.next}")
