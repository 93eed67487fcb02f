"""The report for a terminal."""

from __future__ import annotations

from ..analysis.analysis import Analysis
from ..decision.decision import Decision
from .clean import clean
from .sections import Section, sections
from .words import word

WIDEST = 60


def render(analysis: Analysis, decision: Decision) -> str:
    """Return the report with aligned columns."""
    parts = [_section(section) for section in sections(analysis, decision, lambda text: word(text, "en"))]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    rows = [[clean(cell) for cell in row] for row in section.rows]
    if section.title == "what it is":
        return "\n".join([section.title, *(_aspect(*row) for row in rows)])
    header = [list(section.header)]
    widths = [min(WIDEST, max(len(row[i]) for row in [*header, *rows])) for i in range(len(section.header))]
    padded = [[c.ljust(w) for c, w in zip(row, widths, strict=True)] for row in [*header, *rows]]
    return "\n".join([section.title, *("  " + "  ".join(row).rstrip() for row in padded)])


def _aspect(name: str, answer: str, says: str) -> str:
    return f"  {name:<18}  {answer}" + (f"\n{'':<22}{says}" if says else "")
