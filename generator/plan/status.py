"""What is applied in these checkouts, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .entry import Applied
from .ledger import Ledger
from .observe import Observed, observe_all
from .tree import Tree

SCHEMA = {"name": "scaffold/status", "version": 1}


@dataclass(frozen=True)
class Status:
    """Everything that the ledgers claim, each with its state.

    Attributes:
        ids: what was applied, in order.
        steps: every entry, observed.
    """

    ids: tuple[Applied, ...]
    steps: tuple[Observed, ...]

    @property
    def conflicts(self) -> list[Observed]:
        """What an undo or a refresh left as it was, and is still edited."""
        return [seen for seen in self.steps if seen.entry.conflict and seen.state == "edited"]

    def of(self, id: str) -> list[Observed]:
        """Return the steps that an id needs."""
        return [seen for seen in self.steps if id in seen.entry.ids]

    def to_json(self) -> dict:
        """Return the documented JSON document `scaffold/status` version 1."""
        return {
            "schema": dict(SCHEMA),
            "command": "status",
            "exit": 0,
            "ids": [
                {"id": applied.id, **applied.to_json(), "steps": [_step(seen) for seen in self.of(applied.id)]}
                for applied in self.ids
            ],
            "conflicts": [
                {**_step(seen), "reason": seen.entry.conflict, "file": (seen.entry.pending or {}).get("file") or None}
                for seen in self.conflicts
            ],
        }


def status(roots: Mapping[str, Path]) -> Status:
    """Read the ledgers of these checkouts and compare them with the bytes. Writes nothing.

    Raises:
        ScaffoldError: a ledger cannot be read.
    """
    tree = Tree(roots)
    ledger = Ledger.load(tree)
    return Status(tuple(ledger.ids().values()), tuple(observe_all(tree, ledger)))


def _step(seen: Observed) -> dict:
    entry = seen.entry
    return {
        "repo": seen.repo,
        "path": entry.path,
        "layer": entry.layer,
        "kind": entry.kind,
        "name": entry.name,
        "line": seen.line,
        "anchor": entry.anchor,
        "state": seen.state,
        "ids": list(entry.ids),
    }
