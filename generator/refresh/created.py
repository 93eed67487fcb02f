"""Brings files that templates created up to new templates: merged three ways, added, renamed, dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import SequenceMatcher

from generator.plan.entry import Entry
from generator.plan.ledger import Page
from generator.scaffolds.build import NewFile
from generator.source.errors import SourceError
from generator.source.text import Source

from .inline import MARKED
from .inserted import DROPPED
from .lines import merge_bytes
from .work import ENDING, Work

EXISTS = "the new templates create it, but there is another file; both texts stand in it, between conflict markers"
MERGE = "your edits and the new template change the same lines; both stand in the file, between conflict markers"
_ALIKE = 0.5  # as git counts a rename

Describe = Callable[[str], NewFile]


def refresh_created(work: Work, repo: str, ids: tuple[str, ...], new: Mapping[str, bytes], describe: Describe) -> None:
    """Plan all files that these ids created, and those that they would create now, in one checkout.

    Args:
        new: path to bytes, of all these ids together.
        describe: what a new file at this path is.
    """
    page = work.page(repo)
    old = {e.path: e for e in page.entries.values() if e.kind == "create" and set(ids) & set(e.ids)}
    heirs = _heirs(page, old, new)
    for path, entry in old.items():
        if path in heirs:
            _merge(work, repo, entry, heirs[path], new[heirs[path]])
        else:
            _drop(work, repo, entry, ids)
    for path, data in new.items():
        if path not in heirs.values():
            _add(work, repo, path, data, ids, describe(path))


def _heirs(page: Page, old: Mapping[str, Entry], new: Mapping[str, bytes]) -> dict[str, str]:
    """Old path to new path: the same one, else that of the new file whose text is most alike."""
    heirs = {path: path for path in old if path in new}
    free = {path: data for path, data in new.items() if path not in old and (path, "create") not in page.entries}
    for path, entry in old.items():
        likes = [(_likeness(entry.content or b"", data), other) for other, data in free.items()]
        best = max(likes, default=(0.0, ""))
        if path not in heirs and best[0] >= _ALIKE:
            heirs[path] = best[1]
            del free[best[1]]
    return heirs


def _likeness(one: bytes, other: bytes) -> float:
    return SequenceMatcher(None, one.split(b"\n"), other.split(b"\n"), autojunk=False).ratio()


def _merge(work: Work, repo: str, entry: Entry, path: str, theirs: bytes) -> None:
    page, ours, base = work.page(repo), work.tree.read(repo, entry.path), entry.content or b""
    fresh = replace(entry, path=path, content=theirs, conflict=None, pending=None)
    if path != entry.path and _blocked(work, repo, entry, path):
        work.beside(repo, entry, _file(entry), _two(ours or b"", theirs), "", f"the new templates call it {path}")
        return
    page.swap(entry.key, fresh)
    if ours is None:
        if base != theirs:
            text = f"{entry.path} was deleted: the change of the new templates was not made"
            work.builder.note("warning", text, where=f"{repo}/{entry.path}")
        return
    data, conflict = _merged(work, repo, entry, ours, theirs)
    if path != entry.path:
        work.tree.delete(repo, entry.path)
        work.builder.note("note", f"{entry.path} is called {path} now", where=f"{repo}/{path}")
    if conflict:
        page.swap(fresh.key, replace(fresh, conflict=MARKED, pending={"file": "", "ours": ""}))
        work.late[repo, path] = data
        work.open(repo, fresh, MERGE, "resolve the markers, then run `scaffold update` again")
    elif data != ours or path != entry.path:
        work.tree.write(repo, path, data)
        work.step(repo, fresh, "update", "" if ours == base else "your edits are kept")


def _merged(work: Work, repo: str, entry: Entry, ours: bytes, theirs: bytes) -> tuple[bytes, bool]:
    """Merge by lines; where nothing but our own insertions was done to the file, those are put into the new text."""
    base = entry.content or b""
    inner = work.page(repo).of_path(entry.path)
    if ours != base and inner and base != theirs:
        try:
            source = Source.parse(ours, entry.path)
            for insertion in reversed(inner):
                source = insertion.make().remove(source)
            if source.data == base:
                again = Source.parse(theirs, entry.path)
                for insertion in inner:
                    again = insertion.make().insert(again)
                return again.data, False
        except SourceError:
            pass
    return merge_bytes(base, ours, theirs, work.normalise(repo) if entry.path.endswith(".py") else None)


def _blocked(work: Work, repo: str, entry: Entry, path: str) -> bool:
    """Tell whether a file cannot be renamed: the new path is somebody's, or others have inserted into the old one."""
    return work.tree.read(repo, path) is not None or bool(work.page(repo).of_path(entry.path))


def _drop(work: Work, repo: str, entry: Entry, ids: tuple[str, ...]) -> None:
    page = work.page(repo)
    others = tuple(id for id in entry.ids if id not in ids)
    if others:
        page.add(replace(entry, ids=others))
        return
    ours = work.tree.read(repo, entry.path)
    if ours is not None and ours != entry.content:
        work.beside(repo, entry, _file(entry), _two(ours, b""), "", DROPPED)
        return
    del page.entries[entry.key]
    if ours is not None:
        work.tree.delete(repo, entry.path)
        work.step(repo, entry, "delete")


def _add(work: Work, repo: str, path: str, data: bytes, ids: tuple[str, ...], what: NewFile) -> None:
    there = work.tree.read(repo, path)
    page = work.page(repo)
    if there is None or there == data or (path, "create") in page.entries:
        step = work.builder.create(repo, path, data, layer=what.layer, name=what.name, what=what.what, ids=ids)
        if step.kind == "present":
            work.builder.steps.remove(step)
        return
    pending = {"file": "", "ours": ""}
    entry = Entry(path, what.layer, "create", what.name, None, ids, content=data, what=what.what)
    page.add(replace(entry, conflict=MARKED, pending=pending))
    work.late[repo, path], _ = merge_bytes(b"", there, data)
    work.open(repo, entry, EXISTS, "resolve the markers, then run `scaffold update` again")


def _file(entry: Entry) -> str:
    return f".scaffold/{entry.ids[0]}/files/{entry.path.replace('/', '__')}{ENDING}"


def _two(ours: bytes, theirs: bytes) -> str:
    return merge_bytes(b"", ours, theirs or b"\n")[0].decode("utf-8", "surrogateescape").rstrip("\n")
