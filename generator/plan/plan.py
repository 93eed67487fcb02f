"""What a command would do: an ordered list of steps and the bytes that they come to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .diff import unified_diff
from .step import Note, Step
from .tree import Change, Tree

SCHEMA = {"name": "scaffold/plan", "version": 1}


@dataclass(frozen=True)
class Plan:
    """The result of planning. Nothing is written until `apply`.

    Attributes:
        id: the id of what is applied or undone.
        ids: all ids that the plan is about.
        command: the command, without options that name a folder of this machine.
        spec: what was asked for, as the caller wrote it; opaque here.
        steps: in the order in which they were planned.
        tree: holds the bytes that were read and those to be written.
        answers: id to template answers; opaque here.
        track: the bookkeeping is to be committed, so it is not put into git's exclude file.
    """

    id: str
    ids: tuple[str, ...]
    command: str
    steps: tuple[Step, ...]
    tree: Tree
    spec: str | dict | None = None
    notes: tuple[Note, ...] = ()
    answers: Mapping[str, Mapping] = field(default_factory=dict)
    track: bool = False

    @property
    def exit(self) -> int:
        """1 if something was kept as a conflict, else 0."""
        return int(any(note.level == "conflict" for note in self.notes))

    @property
    def changes(self) -> list[Change]:
        """The files that differ from the disk, bookkeeping included."""
        return self.tree.changes()

    def to_json(self) -> dict:
        """Return the plan as the documented JSON document `scaffold/plan` version 1."""
        return {
            "schema": dict(SCHEMA),
            "command": self.command,
            "exit": self.exit,
            "id": self.id,
            "ids": list(self.ids),
            "steps": [step.to_json() for step in self.steps],
            "spec": self.spec,
            "notes": [note.to_json() for note in self.notes],
        }

    def diff(self) -> str:
        """Return the unified diff over all checkouts, without bookkeeping; bytes that are no UTF-8 are surrogates."""
        return "".join(unified_diff(change) for change in self.changes if not change.bookkeeping)
