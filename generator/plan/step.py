"""One thing that a plan does in one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from generator.source.base import Insertion

StepKind = Literal["create", "insert", "present", "update", "delete", "remove"]


@dataclass(frozen=True)
class Step:
    """A creation, an insertion, what stands there already, or (when undone) a deletion or a removal.

    Attributes:
        repo, path: the file; the path is relative to its checkout.
        layer: "0" to "4" for ops, another word or None elsewhere.
        kind: what happens. `update` brings what was made to new templates, `delete` takes a created file away, `remove`
            an insertion.
        name: what it is about, in the reader's words.
        line: 1-based, in the file as it is after the plan; None for what is gone or empty.
        anchor: the place of an insertion, in the reader's words.
        note: what a reader should know, or "".
        what: the sort of thing that it is, for a table: `dispatcher branch`, or "".
        ids: the applied ids that need this step.
    """

    repo: str
    path: str
    layer: str | None
    kind: StepKind
    name: str
    line: int | None = None
    anchor: str | None = None
    note: str = ""
    what: str = ""
    ids: tuple[str, ...] = ()
    insertion: Insertion | None = None

    def to_json(self) -> dict:
        """Return the documented keys of a step."""
        keys = ("repo", "path", "layer", "kind", "name", "line", "anchor", "note")
        return {key: getattr(self, key) for key in keys}


@dataclass(frozen=True)
class Note:
    """Something a plan tells beside its steps.

    Attributes:
        level: a conflict was kept as it is and makes the command exit 1.
        text: one sentence without a final full stop.
        where: `repo/path` or `repo/path:line`, or None.
        next: what to do next, or None.
    """

    level: Literal["note", "warning", "conflict"]
    text: str
    where: str | None = None
    next: str | None = None

    def to_json(self) -> dict:
        """Return all fields."""
        return {"level": self.level, "text": self.text, "where": self.where, "next": self.next}
