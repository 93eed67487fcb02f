"""What was applied, per checkout, in `.scaffold/ledger.json`. A claim: `observe` compares it with the bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from generator.errors import ScaffoldError
from generator.source.errors import SourceError

from .entry import Applied, Entry
from .places import LEDGER
from .tree import Tree

SCHEMA = {"name": "scaffold/ledger", "version": 1}


@dataclass
class Page:
    """The ledger of one checkout.

    Attributes:
        ids: by id.
        entries: by `Entry.key`, in the order in which they were made.
        folders: folders that were made for created files.
        track: the bookkeeping is meant to be committed.
    """

    ids: dict[str, Applied] = field(default_factory=dict)
    entries: dict[tuple, Entry] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    track: bool = False

    def add(self, entry: Entry) -> None:
        """Add an entry, or replace the one with its key."""
        self.entries[entry.key] = entry

    def swap(self, key: tuple, entry: Entry) -> None:
        """Put an entry in the place of another one, so that the order in which they were made stays."""
        kept = [other for other in self.entries.items() if other[0] != entry.key or other[0] == key]
        self.entries = dict((entry.key, entry) if other == key else (other, old) for other, old in kept)

    def of_path(self, path: str) -> list[Entry]:
        """Return the insertions that were made into a file."""
        return [entry for entry in self.entries.values() if entry.path == path and entry.kind == "insert"]

    def needs(self, id: str) -> bool:
        """Tell whether any entry is here for this id."""
        return any(id in entry.ids for entry in self.entries.values())

    def dump(self) -> bytes | None:
        """Return the file's bytes; None, no file, if nothing is recorded."""
        if not self.ids and not self.entries:
            return None
        data = {
            "schema": SCHEMA,
            "ids": {id: applied.to_json() for id, applied in self.ids.items()},
            "steps": [entry.to_json() for entry in self.entries.values()],
            "folders": sorted(self.folders),
            "track": self.track,
        }
        return json.dumps(data, indent=1).encode() + b"\n"

    @classmethod
    def load(cls, data: bytes, where: str) -> Page:
        """Return what `dump` was made from.

        Raises:
            ScaffoldError: it is no ledger, or one that a later version wrote.
        """
        try:
            found = json.loads(data)
            if found["schema"] != SCHEMA:
                what = "another version of scaffold wrote this ledger"
                raise ScaffoldError(what, where=where, next="use that version here")
            entries = [Entry.from_json(entry) for entry in found["steps"]]
            ids = {id: Applied.from_json(id, applied) for id, applied in found["ids"].items()}
            return cls(ids, {entry.key: entry for entry in entries}, set(found["folders"]), found["track"])
        except (ValueError, KeyError, TypeError, AttributeError, SourceError) as error:
            next = "restore the file, or delete it to forget what was applied"
            raise ScaffoldError(f"this is not a ledger: {error!r}", where=where, next=next) from error


class Ledger:
    """The pages of all checkouts of a tree."""

    def __init__(self, pages: dict[str, Page]):
        self.pages = pages

    @classmethod
    def load(cls, tree: Tree) -> Ledger:
        """Read every checkout's ledger; one that has none has an empty page."""
        found = {repo: tree.read(repo, LEDGER) for repo in tree.roots}
        return cls({repo: Page.load(data, f"{repo}/{LEDGER}") if data else Page() for repo, data in found.items()})

    def copy(self) -> Ledger:
        """Return one that can be changed without changing this."""
        return Ledger(
            {
                repo: replace(page, ids=dict(page.ids), entries=dict(page.entries), folders=set(page.folders))
                for repo, page in self.pages.items()
            }
        )

    def ids(self) -> dict[str, Applied]:
        """Return every id that is recorded in any checkout."""
        return {id: applied for page in self.pages.values() for id, applied in page.ids.items()}

    def entries(self, ids: Iterable[str]) -> Iterator[tuple[str, Entry]]:
        """Yield (repo, entry) of all entries that one of these ids needs."""
        wanted = set(ids)
        for repo, page in self.pages.items():
            yield from ((repo, entry) for entry in page.entries.values() if wanted & set(entry.ids))

    def stage(self, tree: Tree) -> None:
        """Write the pages that changed into the tree."""
        for repo, page in self.pages.items():
            data = page.dump()
            if data is None:
                tree.delete(repo, LEDGER)
            elif data != tree.read(repo, LEDGER):
                tree.write(repo, LEDGER, data)
