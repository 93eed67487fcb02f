"""Plans to take back what was applied: exactly where nothing was edited, not at all where something was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import PurePosixPath

from generator.errors import ScaffoldError

from .compiles import require_python
from .entry import Entry
from .ledger import Ledger, Page
from .observe import Observed, observe
from .places import FOLDER
from .plan import Plan
from .step import Note, Step
from .tree import Tree


def plan_undo(tree: Tree, ledger: Ledger, target: str) -> Plan:
    """Plan to take back an id, or every id of a name.

    A step goes with the last id that needs it. What was edited since is kept and listed as a conflict, and stays in the
    ledger so that an undo finishes once it is resolved; what is not there any more is only forgotten.

    Args:
        tree: the checkouts.
        ledger: what was applied, `Ledger.load(tree)`.
        target: an id or a name.

    Raises:
        ScaffoldError: nothing of that id or name was applied; names those that are near.
    """
    ids = _ids_of(ledger, target)
    undo = _Undo(tree, ledger.copy(), target, ids)
    for repo, page in undo.ledger.pages.items():
        undo.take_back(repo, page)
    undo.ledger.stage(tree)
    require_python(tree.changes())
    track = any(page.track for page in ledger.pages.values())
    steps, notes = tuple(undo.steps), tuple(undo.notes)
    return Plan(target, tuple(ids), f"undo {target}", steps, tree, notes=notes, track=track)


def _ids_of(ledger: Ledger, target: str) -> list[str]:
    known = ledger.ids()
    ids = [target] if target in known else [id for id, applied in known.items() if applied.name == target]
    if not ids:
        names = sorted({*known, *(applied.name for applied in known.values())})
        near = get_close_matches(target, names) or names[:5]
        next = f"choose one of: {', '.join(near)}" if near else "nothing is applied in these checkouts"
        raise ScaffoldError(f"nothing called {target} was applied", next=next)
    return ids


class _Undo:
    """Collects steps and notes while it goes from entry to entry."""

    def __init__(self, tree: Tree, ledger: Ledger, target: str, ids: Sequence[str]):
        self.tree, self.ledger, self.target, self.ids = tree, ledger, target, ids
        self.steps: list[Step] = []
        self.kept: list[tuple[Entry, str]] = []
        self.notes: list[Note] = []

    def take_back(self, repo: str, page: Page) -> None:
        """Take back all entries of one checkout, insertions before the files that they may be in, latest first."""
        mine = [entry for entry in reversed(page.entries.values()) if set(entry.ids) & set(self.ids)]
        for entry in sorted(mine, key=lambda entry: entry.kind == "create"):
            others = tuple(id for id in entry.ids if id not in self.ids)
            if others:
                page.add(replace(entry, ids=others))
                self.kept.append((entry, f"still needed by {', '.join(others)}"))
            else:
                self._remove(repo, page, entry)
        self._place_kept(repo, page)
        self._forget_ids(repo, page)
        self._prune(repo, page)

    def _remove(self, repo: str, page: Page, entry: Entry) -> None:
        seen = observe(self.tree, repo, page, entry)
        if seen.state == "edited" or (seen.state == "present" and not self._take_out(repo, entry)):
            self._conflict(page, seen)
            return
        del page.entries[entry.key]
        if seen.state == "absent":
            text = f"{entry.name} is not there any more; it is only forgotten"
            self.notes.append(Note("note", text, seen.where))
        else:
            self.steps.append(entry.step(repo, "delete" if entry.kind == "create" else "remove"))

    def _take_out(self, repo: str, entry: Entry) -> bool:
        if entry.kind == "create":
            self.tree.delete(repo, entry.path)
            return True
        from generator.source.errors import Edited

        try:
            self.tree.put(repo, entry.path, entry.make().remove(self.tree.source(repo, entry.path)))
        except Edited:
            return False
        return True

    def _conflict(self, page: Page, seen: Observed) -> None:
        entry = seen.entry
        next = f"delete it by hand, or put it back as it was, then run `scaffold undo {self.target}` again"
        self.notes.append(Note("conflict", f"{entry.name} was edited since; it is kept", seen.where, next))
        page.add(replace(entry, conflict="edited since; an undo kept it"))
        self.kept.append((entry, "edited since"))

    def _place_kept(self, repo: str, page: Page) -> None:
        """Add the steps of what stays, with the lines that it has when the rest is gone."""
        for entry, note in self.kept:
            line = observe(self.tree, repo, page, entry).line
            self.steps.append(entry.step(repo, "present", note=note, line=line))
        self.kept.clear()

    def _forget_ids(self, repo: str, page: Page) -> None:
        for id in self.ids:
            if id in page.ids and not page.needs(id):
                del page.ids[id]
                for path in list(self.tree.files(repo, f"{FOLDER}/{id}")):
                    self.tree.delete(repo, path)
                    page.folders.update(_parents(path))

    def _prune(self, repo: str, page: Page) -> None:
        for folder in sorted(page.folders, key=lambda folder: -folder.count("/")):
            if not self.tree.exists(repo, folder):
                page.folders.discard(folder)
            elif self.tree.empty(repo, folder):
                page.folders.discard(folder)
                self.tree.prune(repo, folder)


def _parents(path: str) -> list[str]:
    return [str(parent) for parent in PurePosixPath(path).parents][:-2]
