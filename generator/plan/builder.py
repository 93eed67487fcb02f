"""Collects the steps of a plan: what is there already stays, what is missing is staged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from generator.errors import ScaffoldError

from .compiles import require_python
from .entry import ID, Applied, Entry
from .ledger import Ledger
from .observe import find_entry
from .places import FOLDER
from .plan import Plan
from .step import Note, Step
from .tree import Tree

if TYPE_CHECKING:
    from generator.source.base import Insertion


class PlanBuilder:
    """Plans for one or more ids. Writes to the tree and to a copy of the ledger only, never to disk."""

    def __init__(self, tree: Tree, ledger: Ledger, ids: Sequence[Applied], *, track: bool = False):
        """Args:
            tree: the checkouts.
            ledger: what was applied before, `Ledger.load(tree)`.
            ids: what is being applied; every step belongs to all of them unless it says otherwise.
            track: the bookkeeping is to be committed.

        Raises:
            ScaffoldError: an id cannot name a folder.
        """
        self.tree, self.ledger = tree, ledger.copy()
        self.track = track or any(page.track for page in ledger.pages.values())
        self.ids = {applied.id: applied for applied in ids}
        self.steps: list[Step] = []
        self.notes: list[Note] = []
        # Files in which conflict markers stand: they are no Python until somebody resolves them.
        self.marked: set[tuple[str, str]] = set()
        self._created: set[tuple[str, str]] = set()
        self._kept: list[tuple[str, str, bytes]] = []
        for id in self.ids:
            if not ID.fullmatch(id):
                raise ScaffoldError(f"{id!r} cannot be an id", next="ids look like op-rms_norm-ascend")

    def create(
        self,
        repo: str,
        path: str,
        data: bytes,
        *,
        layer: str | None,
        name: str,
        note: str = "",
        what: str = "",
        ids: Iterable[str] | None = None,
    ) -> Step:
        """Plan a new file with these bytes.

        A file that has the same bytes, or that an earlier plan of ours created, is left as it is.

        Raises:
            ScaffoldError: something else has the path.
        """
        page, owners = self.ledger.pages[repo], self._owners(ids)
        there, entry = self.tree.read(repo, path), page.entries.get((path, "create"))
        if there is not None and (repo, path) in self._created and entry.content != data:
            raise ScaffoldError(f"two steps of this plan would write {path}", where=repo, next="choose another name")
        if there is None:
            self._created.add((repo, path))
            page.folders.update(self._new_folders(repo, path))
            self.tree.write(repo, path, data)
            page.add(Entry(path, layer, "create", name, None, _merged(entry, owners), content=data, what=what))
            return self._add(Step(repo, path, layer, "create", name, note=note, what=what, ids=owners))
        if entry is None and there != data:
            next = "move it away, or choose another name"
            raise ScaffoldError(f"{path} exists and is something else than {name}", where=f"{repo}/{path}:1", next=next)
        if entry is not None:
            page.add(entry.shared_with(owners))
        note = note or ("" if there == data else "differs from what would be written now")
        return self._add(Step(repo, path, layer, "present", name, note=note, what=what, ids=owners))

    def insert(
        self,
        repo: str,
        path: str,
        insertion: Insertion,
        *,
        layer: str | None,
        name: str | None = None,
        note: str = "",
        what: str = "",
        ids: Iterable[str] | None = None,
    ) -> Step:
        """Plan an insertion; one that stands there already, edited or not, is left as it is.

        Args:
            name: what the step is called, by default as the insertion calls itself.

        Raises:
            ScaffoldError: there is no such file, or only a part of the insertion stands there and is not ours.
            AnchorMissing, Taken: from the insertion.
        """
        owners, source = self._owners(ids), self.tree.source(repo, path)
        found = insertion.find(source)
        more = {"anchor": insertion.anchor, "what": what, "ids": owners, "insertion": insertion}
        step = Step(repo, path, layer, "present", name or insertion.name, note=note, **more)
        if found is None:
            self.tree.put(repo, path, insertion.insert(source))
            self._record(step)
            return self._add(replace(step, kind="insert"))
        entry = find_entry(self.ledger.pages[repo], path, insertion, source)
        if entry is not None:
            self.ledger.pages[repo].add(entry.shared_with(owners))
        elif found.edited and insertion.insert(source) is not source:
            next = "add the rest by hand, or take that part out, then run this again"
            raise ScaffoldError(f"only a part of {step.name} is there", where=f"{repo}/{path}:{found.line}", next=next)
        note = note or ("differs from what would be inserted now" if found.edited else "")
        return self._add(replace(step, note=note))

    def there(self, repo: str, path: str, line: int, *, layer: str | None, name: str, note: str = "") -> Step:
        """Tell that something needed is there already and is upstream's own: nobody owns it, no undo removes it."""
        return self._add(Step(repo, path, layer, "present", name, line=line, note=note))

    def keep(self, repo: str, path: str, data: bytes) -> None:
        """Keep a bookkeeping file below `.scaffold/<id>/`, if that id turns out to own a step in this checkout.

        A fragment that is kept already stays as it is: it is what was inserted, and the base of the next refresh; only
        the answers follow. Undo removes the whole folder with its id.
        """
        if path.endswith(".yml") or self.tree.read(repo, path) is None:
            self._kept.append((repo, path, data))

    def note(self, level: str, text: str, *, where: str | None = None, next: str | None = None) -> None:
        """Add a note to the plan."""
        self.notes.append(Note(level, text, where, next))

    def build(
        self,
        *,
        command: str,
        spec: str | dict | None = None,
        id: str | None = None,
        answers: Mapping[str, Mapping] | None = None,
    ) -> Plan:
        """Return the plan.

        Raises:
            ScaffoldError: a changed Python file would not compile.
        """
        self._record_ids(command)
        self._stage_kept()
        self.ledger.stage(self.tree)
        require_python(c for c in self.tree.changes() if (c.repo, c.path) not in self.marked)
        ids = tuple(self.ids)
        steps = tuple(self._placed(step) for step in self.steps)
        return Plan(
            id or ids[0], ids, command, steps, self.tree, spec, tuple(self.notes), dict(answers or {}), self.track
        )

    def _owners(self, ids: Iterable[str] | None) -> tuple[str, ...]:
        return tuple(sorted(self.ids if ids is None else ids))

    def _add(self, step: Step) -> Step:
        self.steps.append(step)
        return step

    def _new_folders(self, repo: str, path: str) -> list[str]:
        parents = [str(parent) for parent in PurePosixPath(path).parents][:-1]
        return [parent for parent in parents if not self.tree.exists(repo, parent)]

    def _record(self, step: Step) -> None:
        from generator.source.registry import to_dict

        page, made = self.ledger.pages[step.repo], to_dict(step.insertion)
        entry = Entry(step.path, step.layer, "insert", step.name, step.anchor, step.ids, made, what=step.what)
        page.add(replace(entry, ids=_merged(page.entries.get(entry.key), step.ids)))
        created = page.entries.get((step.path, "create"))
        if created is not None:
            # Whoever inserts into a file that we created needs that file.
            page.add(created.shared_with(step.ids))

    def _record_ids(self, command: str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for page in self.ledger.pages.values():
            for id, applied in self.ids.items():
                if page.needs(id) and id not in page.ids:
                    page.ids[id] = replace(applied, created=applied.created or now, command=applied.command or command)
            page.track = self.track

    def _stage_kept(self) -> None:
        for repo, path, data in self._kept:
            folder, id = path.split("/")[:2]
            if folder != FOLDER or id not in self.ids:
                raise ScaffoldError(f"{path} is not below {FOLDER}/<id>/", where=repo)
            if self.ledger.pages[repo].needs(id):
                self.tree.write(repo, path, data)

    def _placed(self, step: Step) -> Step:
        if step.line is not None:
            return step
        if step.insertion is None or (step.repo, step.path) in self.marked:
            return replace(step, line=1 if self.tree.read(step.repo, step.path) else None)
        found = step.insertion.find(self.tree.source(step.repo, step.path))
        return replace(step, line=found.line if found else None)


def _merged(entry: Entry | None, ids: tuple[str, ...]) -> tuple[str, ...]:
    return ids if entry is None else entry.shared_with(ids).ids
