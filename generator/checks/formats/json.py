"""JSON: the documented schema, notes included."""

from __future__ import annotations

import json

from ..report import Report


def render(report: Report, *, colour: bool = False) -> str:
    """Return the document."""
    return json.dumps(report.to_json(), indent=1, ensure_ascii=False)
