"""What the parts of a refresh share while they plan: the builder, and how they tell what they did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from generator.plan.builder import PlanBuilder
from generator.plan.entry import Entry
from generator.plan.ledger import Page
from generator.plan.tree import Tree
from generator.source.errors import SourceError
from generator.source.fragment import Fragment
from generator.source.merge import Normalise
from generator.source.registry import to_dict

from .formats import normaliser
from .lines import has_markers

ENDING = ".conflict"
AGAIN = "then run `scaffold update` again"


@dataclass
class Work:
    """One refresh while it is planned.

    Attributes:
        builder: collects steps, notes and ledger entries.
        inline: conflicts in files that the templates do not own are written there too, between markers.
        marks: (repo, path) to the old and new definitions that are to be written there between markers.
        late: what is written last because it leaves a file that is no Python: (repo, path) to bytes.
    """

    builder: PlanBuilder
    inline: bool = False
    marks: dict[tuple[str, str], list[tuple[Any, Any]]] = field(default_factory=dict)
    late: dict[tuple[str, str], bytes] = field(default_factory=dict)

    @property
    def tree(self) -> Tree:
        """The checkouts."""
        return self.builder.tree

    def page(self, repo: str) -> Page:
        """The ledger of a checkout, as it will be."""
        return self.builder.ledger.pages[repo]

    def normalise(self, repo: str) -> Normalise:
        """The formatter of a checkout."""
        return normaliser(repo)

    def step(self, repo: str, entry: Entry, kind: str, note: str = "") -> None:
        """Tell what happens to an entry."""
        made = None if entry.insertion is None else entry.make()
        self.builder.steps.append(entry.step(repo, kind, note=note, insertion=made))

    def beside(self, repo: str, entry: Entry, file: str, marked: str, ours: str, why: str) -> None:
        """Keep the user's text, write both texts to `file`, and leave the entry open."""
        self.tree.write(repo, file, f"{marked}\n".encode("utf-8", "surrogateescape"))
        self.page(repo).add(replace(entry, conflict=why, pending={"file": file, "ours": ours}))
        self.open(repo, entry, why, f"bring {entry.path} to what you want ({file} shows both), delete {file}, {AGAIN}")

    def open(self, repo: str, entry: Entry, why: str, next: str) -> None:
        """List a conflict."""
        self.builder.note("conflict", f"{entry.name}: {why}", where=self.where(repo, entry), next=next)
        self.builder.steps.append(entry.step(repo, "present", note="conflict", line=self._line(repo, entry) or 1))

    def where(self, repo: str, entry: Entry) -> str:
        """`repo/path:line` of an entry."""
        line = self._line(repo, entry)
        return f"{repo}/{entry.path}" + (f":{line}" if line else "")

    def _line(self, repo: str, entry: Entry) -> int | None:
        data = self.late.get((repo, entry.path), self.tree.read(repo, entry.path))
        if has_markers(data):
            return data[: data.index(b"<<<<<<< ")].count(b"\n") + 1
        try:
            found = entry.make().find(self.tree.source(repo, entry.path)) if data and entry.insertion else None
        except SourceError:
            return None
        return found.line if found else None


def entry_of(fragment: Fragment, ids: Iterable[str]) -> Entry:
    """Return the ledger entry of what a fragment inserts."""
    made = fragment.insertion
    name, ids = fragment.name or made.name, tuple(sorted(ids))
    return Entry(
        fragment.path, fragment.layer, "insert", name, made.anchor, ids, to_dict(made), what=fragment.what or ""
    )
