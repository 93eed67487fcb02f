"""The formats of a report by name; each is one function from a report to text."""

from __future__ import annotations

from importlib import import_module

from ..report import Report

NAMES = ("text", "json", "github", "sarif", "markdown")


def render(report: Report, name: str, *, colour: bool = False) -> str:
    """The report in a format, without a final newline.

    Args:
        report: what to print.
        name: one of `NAMES`.
        colour: ANSI colours, where the format has any.
    """
    module = import_module(f"{__name__}.{name}")
    return module.render(report, colour=colour)
