"""Compares what the ledger claims with the bytes that are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .entry import Entry
from .ledger import Ledger, Page
from .tree import Tree

if TYPE_CHECKING:
    from generator.source.base import Insertion
    from generator.source.text import Source


@dataclass(frozen=True)
class Observed:
    """What a ledger entry came to.

    Attributes:
        repo: the checkout.
        entry: the claim.
        state: `absent` on another branch, or when somebody took it out.
        line: 1-based, where it stands; None if it is absent, or if the file cannot be read as Python.
    """

    repo: str
    entry: Entry
    state: Literal["present", "edited", "absent"]
    line: int | None = None

    @property
    def where(self) -> str:
        """`repo/path`, with the line if it is known."""
        place = f"{self.repo}/{self.entry.path}"
        return f"{place}:{self.line}" if self.line else place


def observe_all(tree: Tree, ledger: Ledger) -> list[Observed]:
    """Observe every entry of every checkout, in the order in which they were made."""
    return [observe(tree, repo, page, entry) for repo, page in ledger.pages.items() for entry in page.entries.values()]


def observe(tree: Tree, repo: str, page: Page, entry: Entry) -> Observed:
    """Observe one entry in the tree as it would be."""
    data = tree.read(repo, entry.path)
    if data is None:
        return Observed(repo, entry, "absent")
    if entry.content is not None:
        state = "present" if _is_as_created(tree, repo, page, entry, data) else "edited"
        return Observed(repo, entry, state, 1)
    from generator.source.errors import Unparsable

    try:
        found = entry.make().find(tree.source(repo, entry.path))
    except Unparsable:
        return Observed(repo, entry, "edited")
    if found is None:
        return Observed(repo, entry, "absent")
    return Observed(repo, entry, "edited" if found.edited else "present", found.line)


def find_entry(page: Page, path: str, insertion: Insertion, source: Source) -> Entry | None:
    """Return the entry that made what an insertion finds in a file, even if that was worded otherwise then."""
    spot = (insertion.kind, insertion.name, _line(insertion, source))
    for entry in page.of_path(path):
        made = entry.make()
        if (made.kind, made.name) == spot[:2] and _line(made, source) == spot[2]:
            return entry
    return None


def _line(insertion: Insertion, source: Source) -> int | None:
    found = insertion.find(source)
    return found.line if found else None


def _is_as_created(tree: Tree, repo: str, page: Page, entry: Entry, data: bytes) -> bool:
    """Tell whether nothing but our own insertions was done to a created file."""
    inserted = page.of_path(entry.path)
    if data == entry.content or not inserted:
        return data == entry.content
    from generator.source.errors import SourceError

    try:
        source = tree.source(repo, entry.path)
        for insertion in reversed(inserted):
            source = insertion.make().remove(source)
    except SourceError:
        return False
    return source.data == entry.content
