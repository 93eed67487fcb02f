"""Brings insertions up to new fragments: merged, added, dropped; registrations as ordered sets."""

from __future__ import annotations

import re
from dataclasses import replace

from generator.plan.entry import Entry
from generator.source.errors import Edited

from .inline import mark_inline
from .pairs import Change
from .renamed import renamed_to
from .symbol import merge_entry
from .work import ENDING, Work, entry_of

SAME_LINES = "your edits and the new template change the same lines; yours are kept"
DROPPED = "the new templates no longer have it, but it was edited; it is kept"
RENAMED = "it has another name now, and the change of the new templates is not in it"
TAKEN = "the new templates add it, but something else has its name; that is kept"


def refresh_insertions(work: Work, repo: str, changes: list[Change]) -> None:
    """Plan all changes of one checkout.

    What was there before is merged first, then new things come, and what was dropped goes last, so that an import is
    taken out only if nothing needs it any more. A registration that the user took out is in the old fragments too and
    is not put back.

    Raises:
        ScaffoldError, SourceError: a file is no Python, or the place of a new insertion is missing.
    """
    apart = [part for change in changes for part in _apart(change)]
    for change in apart:
        if change.entry and change.new:
            _merge(work, repo, change)
    for change in sorted((c for c in apart if c.entry is None), key=_order):
        _add(work, repo, change)
    for change in apart:
        if change.new is None:
            drop(work, repo, change)


def _apart(change: Change) -> list[Change]:
    """Another kind of insertion does not continue the old one: one goes and one comes."""
    if change.entry and change.new and change.entry.insertion["kind"] != change.new.insertion.kind:
        return [replace(change, new=None), replace(change, entry=None)]
    return [change]


def _order(change: Change) -> tuple:
    return (change.new.layer or "", change.new.path, change.new.insertion.kind)


def _merge(work: Work, repo: str, change: Change) -> None:
    page, entry, new = work.page(repo), change.entry, change.new
    symbol = merge_entry(work.tree, repo, entry, new, work.normalise(repo))
    if symbol.outcome == "conflict":
        if not (work.inline and mark_inline(work, repo, entry, new)):
            work.beside(repo, entry, f"{change.file}{ENDING}", symbol.marked, symbol.ours, SAME_LINES)
        return
    fresh = entry_of(new, {*entry.ids, *change.ids})
    if symbol.outcome == "absent" and _is_renamed(work, repo, change, fresh):
        return
    page.swap(entry.key, fresh)
    if symbol.outcome == "absent":
        _tell_absent(work, repo, entry, fresh)
    elif symbol.outcome != "unchanged":
        work.step(repo, fresh, "update", "your edits are kept" if symbol.outcome == "merged" else "")


def _is_renamed(work: Work, repo: str, change: Change, fresh: Entry) -> bool:
    """Leave open what the user renamed and the templates changed: nothing else would tell of the change."""
    entry = change.entry
    if entry.insertion == fresh.insertion or work.tree.read(repo, entry.path) is None:
        return False
    found = renamed_to(work.tree.source(repo, entry.path), entry)
    if found is None:
        return False
    name, text = found
    marked = f"<<<<<<< yours, {name}\n{text}\n=======\n{change.new.insertion.text}\n>>>>>>> new template"
    work.beside(repo, entry, f"{change.file}{ENDING}", marked, text, RENAMED)
    return True


def _tell_absent(work: Work, repo: str, entry: Entry, fresh: Entry) -> None:
    """A text that has gone stays away; that the new one has no place is worth saying only if it says something new."""
    if entry.insertion != fresh.insertion and "text" in (fresh.insertion or {}):
        text = f"{entry.name} is not there under that name any more: the change of the new templates was not made"
        work.builder.note("warning", text, where=f"{repo}/{entry.path}")


def _add(work: Work, repo: str, change: Change) -> None:
    new, page = change.new, work.page(repo)
    found = new.insertion.find(work.tree.source(repo, new.path))
    entry = entry_of(new, change.ids)
    mine = page.entries.get(entry.key)
    if found is not None and found.edited and mine is None and hasattr(new.insertion, "text"):
        marked = f"<<<<<<< yours\n{found.text}\n=======\n{new.insertion.text}\n>>>>>>> new template"
        page.add(entry)
        work.beside(repo, entry, f"{change.file}{ENDING}", marked, found.text, TAKEN)
        return
    more = {"layer": new.layer, "name": new.name, "note": new.note or "", "what": new.what or "", "ids": change.ids}
    step = work.builder.insert(repo, new.path, new.insertion, **more)
    if step.kind == "present":
        work.builder.steps.remove(step)


def drop(work: Work, repo: str, change: Change) -> None:
    """Take out what the new templates do not have any more, unless somebody needs it or edited it."""
    page, entry = work.page(repo), change.entry
    others = tuple(id for id in entry.ids if id not in change.ids)
    if others:
        page.add(replace(page.entries[entry.key], ids=others))
        return
    if work.tree.read(repo, entry.path) is None or (found := _found(work, repo, entry)) is None:
        del page.entries[entry.key]
        return
    try:
        rest = entry.make().remove(work.tree.source(repo, entry.path))
    except Edited:
        marked = f"<<<<<<< yours\n{found.text}\n=======\n>>>>>>> new template"
        work.beside(repo, entry, f"{change.file}{ENDING}", marked, found.text, DROPPED)
        return
    del page.entries[entry.key]
    if entry.insertion["kind"].startswith("import") and _is_used(entry, rest.data):
        work.step(repo, entry, "present", "no longer the templates', but used")
        return
    work.tree.put(repo, entry.path, rest)
    work.step(repo, entry, "remove")


def _found(work: Work, repo: str, entry: Entry):
    return entry.make().find(work.tree.source(repo, entry.path))


def _is_used(entry: Entry, rest: bytes) -> bool:
    made = dict(entry.insertion)
    name = made.get("alias") or made.get("item") or made["module"].partition(".")[0]
    return re.search(rf"\b{re.escape(name)}\b".encode(), rest) is not None
