"""The result of a plan as rows for a reader; how they are printed is the command line's business."""

from __future__ import annotations

from dataclasses import dataclass

from .plan import Plan
from .step import Step

STATES = {
    "create": "created",
    "insert": "added",
    "present": "already there",
    "update": "updated",
    "delete": "removed",
    "remove": "removed",
}


@dataclass(frozen=True)
class Row:
    """One line of the result table.

    Attributes:
        layer: the layer, or "".
        place: `repo/path:line`, without a line for what is gone.
        what: what it is about, and where it stands.
        state: created, added, already there, updated, or removed.
        note: what a reader should know, or "".
    """

    layer: str
    place: str
    what: str
    state: str
    note: str


def rows(plan: Plan) -> list[Row]:
    """Return a row for each step, layer by layer; an import that was there already is no news and has none."""
    steps = [step for step in plan.steps if not (step.kind == "present" and step.what == "import")]
    return [_row(step) for step in sorted(steps, key=lambda step: step.layer or "")]


def _row(step: Step) -> Row:
    place = f"{step.repo}/{step.path}" + (f":{step.line}" if step.line else "")
    what = f"{step.what} {step.name}" if step.what else f"{step.name} in {step.anchor}" if step.anchor else step.name
    return Row(step.layer or "", place, what, STATES[step.kind], step.note)
