"""GitHub's workflow commands: one annotation for each finding."""

from __future__ import annotations

from ..finding import Finding
from ..report import Report
from .text import summary

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report, *, colour: bool = False) -> str:
    """Return a line for each finding; paths are relative to the checkout, as GitHub needs them."""
    return "\n".join([*map(_line, report.shown), summary(report)])


def _line(finding: Finding) -> str:
    place = finding.place
    title = f"{finding.rule} {finding.subject}"
    message = f"{finding.message}\nnext: {finding.next}" + (f"\nother: {finding.other}" if finding.other else "")
    where = f"file={_property(place.path)},line={place.line},title={_property(title)}"
    return f"::{_LEVELS[finding.severity]} {where}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
