"""Conflicts of an earlier refresh: finished where somebody resolved them, else listed again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from generator.plan.entry import Entry
from generator.plan.ledger import Page
from generator.source.errors import SourceError
from generator.source.fragment import Fragment
from generator.source.merge import three_way
from generator.source.registry import to_dict

from .inserted import RENAMED
from .lines import has_markers
from .symbol import merge_entry, take_text
from .work import AGAIN, ENDING, Work, entry_of


def settle(work: Work, ids: Iterable[str]) -> set[str]:
    """Finish what is resolved, list what is not, and return the ids that wait for that.

    A conflict is resolved if the markers are gone from the file they stand in, or if the file that shows both texts
    was deleted (the code is as wanted) or holds no markers any more (its text is taken).
    """
    waiting, asked = set(), set(ids)
    for repo, page in work.builder.ledger.pages.items():
        for entry in [entry for entry in page.entries.values() if entry.pending and asked & set(entry.ids)]:
            if not _settle(work, repo, page, entry):
                waiting |= set(entry.ids)
    return waiting


def _settle(work: Work, repo: str, page: Page, entry: Entry) -> bool:
    file = entry.pending["file"]
    if not file:
        return _settle_inline(work, repo, page, entry)
    data, new = work.tree.read(repo, file), _kept(work, repo, file)
    if has_markers(data) and not _merges_now(work, repo, entry, new):
        next = f"bring {entry.path} to what you want, delete {file}, {AGAIN}"
        work.open(repo, entry, entry.conflict or "not merged yet", next)
        return False
    if data is not None and not has_markers(data) and not _take(work, repo, entry, data):
        next = f"bring {entry.path} to what you want, delete {file}, {AGAIN}"
        work.open(repo, entry, f"{entry.path} was edited after {file} was written", next)
        return False
    if data is not None:
        work.tree.delete(repo, file)
    if new is None or entry.kind == "create" or _is_somebodys(work, repo, entry, new):
        del page.entries[entry.key]  # what the templates dropped, or never made, is the user's from now on
    else:
        page.swap(entry.key, entry_of(new, entry.ids))
    work.step(repo, entry, "present", "resolved")
    return True


def _settle_inline(work: Work, repo: str, page: Page, entry: Entry) -> bool:
    if has_markers(work.tree.read(repo, entry.path)):
        work.open(repo, entry, entry.conflict or "", f"resolve the markers, {AGAIN}")
        return False
    page.add(replace(entry, conflict=None, pending=None))
    return True


def _kept(work: Work, repo: str, file: str) -> Fragment | None:
    """The fragment that could not be merged."""
    path = file.removesuffix(ENDING)
    data = work.tree.read(repo, path)
    return None if data is None else Fragment.parse(data.decode("utf-8", "surrogateescape"), f"{repo}/{path}")


def _merges_now(work: Work, repo: str, entry: Entry, new: Fragment | None) -> bool:
    """Tell whether an edit of the code has resolved it: it merges now, or it is not there any more."""
    if entry.kind == "create":
        return work.tree.read(repo, entry.path) is None
    if new is None:
        return work.tree.read(repo, entry.path) is None or not entry.make().find(work.tree.source(repo, entry.path))
    if _is_somebodys(work, repo, entry, new):
        return False
    if entry.conflict == RENAMED and not entry.make().find(work.tree.source(repo, entry.path)):
        return False
    return merge_entry(work.tree, repo, entry, new, work.normalise(repo)).outcome != "conflict"


def _is_somebodys(work: Work, repo: str, entry: Entry, new: Fragment) -> bool:
    """Tell whether what stands there was never made by this entry: something else has its name."""
    found = entry.make().find(work.tree.source(repo, entry.path)) if work.tree.read(repo, entry.path) else None
    return found is not None and found.edited and entry.insertion == to_dict(new.insertion)


def _take(work: Work, repo: str, entry: Entry, data: bytes) -> bool:
    """Put the resolved text in the place of the code; False if that was edited meanwhile, or it is no such thing."""
    if entry.kind == "create":
        return False
    text = data.decode("utf-8", "surrogateescape")
    found = entry.make().find(work.tree.source(repo, entry.path))
    if found is None:
        return False
    merged, _ = three_way(entry.pending["ours"], found.text, text, work.normalise(repo))
    try:
        if merged is not None:
            take_text(work.tree, repo, entry, merged)
    except SourceError:
        return False
    return merged is not None
