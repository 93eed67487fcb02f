"""What a ledger remembers: the ids that were applied, and the steps that were made for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from .step import Step

if TYPE_CHECKING:
    from generator.source.base import Insertion


# Names its own folder in `.scaffold/`, so it cannot be a path, nor (by its dash) the name of another bookkeeping file.
ID = re.compile(r"[A-Za-z0-9]\w*-[\w.-]*\w", re.ASCII)


@dataclass(frozen=True)
class Applied:
    """One thing that was applied.

    Attributes:
        id: names it in the ledger and names its folder of fragments: `op-rms_norm_gated-camb`.
        kind: `op`, `graph-buffer`, …
        name: what `undo NAME` may say instead of the id.
        vendors: the vendors that it is for.
        version: of scaffold.
        command: the command, without options that name a folder of this machine.
        created: UTC time in ISO format; the builder fills it in.
    """

    id: str
    kind: str
    name: str
    vendors: tuple[str, ...] = ()
    version: str = ""
    command: str = ""
    created: str = ""

    def to_json(self) -> dict:
        """Return all fields but the id."""
        fields = asdict(self)
        del fields["id"]
        return {**fields, "vendors": list(self.vendors)}

    @classmethod
    def from_json(cls, id: str, data: Mapping) -> Applied:
        """Return what `to_json` was made from.

        Raises:
            ValueError: the id is none.
        """
        if not ID.fullmatch(id):
            raise ValueError(f"{id!r} cannot be an id")
        return cls(id, **{**data, "vendors": tuple(data["vendors"])})


@dataclass(frozen=True)
class Entry:
    """One step that was made here and is taken back with the last id that needs it.

    Attributes:
        path: relative to the checkout.
        kind: `create` or `insert`.
        insertion: how to find and remove an insertion (`source.registry`), None for a created file.
        content: the bytes that a file was created with, None for an insertion.
        ids: the ids that need it, sorted.
        what: the sort of thing that it is, as its step says.
        conflict: why an undo or a refresh left it as it is, or None.
        pending: what a refresh could not merge: `file`, where both texts are written (empty if they stand in the file
            itself, between conflict markers), and `ours`, the text that was kept. None if nothing is open.
    """

    path: str
    layer: str | None
    kind: str
    name: str
    anchor: str | None
    ids: tuple[str, ...]
    insertion: Mapping | None = field(default=None, hash=False)
    content: bytes | None = None
    what: str = ""
    conflict: str | None = None
    pending: Mapping | None = field(default=None, hash=False)

    @property
    def key(self) -> tuple:
        """What tells two entries of one checkout apart, whatever the text that was written."""
        if self.insertion is None:
            return (self.path, self.kind)
        made = self.make()
        return (self.path, self.kind, made.kind, made.name, made.anchor)

    def make(self) -> Insertion:
        """Return the insertion as an object."""
        from generator.source.registry import from_dict

        return from_dict(dict(self.insertion))

    def shared_with(self, ids: Iterable[str]) -> Entry:
        """Return the entry needed by these ids too."""
        return replace(self, ids=tuple(sorted({*self.ids, *ids})))

    def step(self, repo: str, kind: str, **more) -> Step:
        """Return a step about this entry."""
        more |= {"anchor": self.anchor, "what": self.what, "ids": self.ids}
        return Step(repo, self.path, self.layer, kind, self.name, **more)

    def to_json(self) -> dict:
        """Return the fields that are set; bytes as text, those that are no UTF-8 as lone surrogates."""
        data = {key: value for key, value in vars(self).items() if value is not None}
        if self.content is not None:
            data["content"] = self.content.decode("utf-8", "surrogateescape")
        return {**data, "ids": list(self.ids)}

    @classmethod
    def from_json(cls, data: Mapping) -> Entry:
        """Return what `to_json` was made from."""
        fields = {"layer": None, "anchor": None, **data, "ids": tuple(data["ids"])}
        if "content" in fields:
            fields["content"] = fields["content"].encode("utf-8", "surrogateescape")
        return cls(**fields)
