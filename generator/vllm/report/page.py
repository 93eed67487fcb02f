"""The report as a Markdown page, in English or Chinese."""

from __future__ import annotations

from ..analysis.analysis import Analysis
from ..decision.decision import Decision
from .clean import markdown
from .sections import sections
from .words import word


def render(analysis: Analysis, decision: Decision, language: str) -> str:
    """Return the page. Every table cell is escaped; headings are the report's own words."""

    def say(text: str) -> str:
        return word(text, language)

    lines = [f"# {say('vLLM analysis')}: {markdown(analysis.architecture or analysis.checkpoint.root.name)}", ""]
    for section in sections(analysis, decision, say):
        header = [say(name) for name in section.header]
        rows = [[_cell(cell, i, section.title, say) for i, cell in enumerate(row)] for row in section.rows]
        lines += [f"## {_heading(say(section.title))}", "", _row(header), _row(["---"] * len(header))]
        lines += [*map(_row, rows), ""]
    return "\n".join(lines)


def _heading(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(cell: object, column: int, title: str, say) -> str:
    return markdown(say(cell) if title == "what it is" and column == 0 else cell)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
