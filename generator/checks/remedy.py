"""A safe fix, as data: what `--fix` puts into a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Remedy:
    """One addition to a checkout.

    Attributes:
        repo: a key of `REPOS`.
        path: relative to the checkout.
        kind: a kind of insertion (`generator.source.registry`), or `create` for a new file.
        fields: names and values of the insertion's fields; for `create` its `text`.
        name: what is added, for the plan.
    """

    repo: str
    path: str
    kind: str
    fields: tuple[tuple[str, str], ...]
    name: str

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data."""
        return {**vars(self), "fields": dict(self.fields)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Remedy:
        """The remedy that `to_json` made this of."""
        return cls(**{**data, "fields": tuple(data["fields"].items())})
