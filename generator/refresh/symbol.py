"""Merges one insertion where it stands now, or takes it along to where new templates want it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from generator.plan.entry import Entry
from generator.plan.tree import Tree
from generator.source.errors import Edited
from generator.source.fragment import Fragment
from generator.source.merge import Normalise, Outcome, merge_symbol, three_way
from generator.source.text import Source

_PLACE = ("scope", "cls", "variable", "call", "index", "module", "item", "key", "beside")


@dataclass(frozen=True)
class Symbol:
    """What a merge of one insertion came to.

    Attributes:
        outcome: as `merge_symbol` says.
        ours: the text that stands in the file, "" if it is absent.
        marked: both texts between conflict markers, or None.
    """

    outcome: Outcome
    ours: str = ""
    marked: str | None = None


def merge_entry(tree: Tree, repo: str, entry: Entry, new: Fragment, normalise: Normalise) -> Symbol:
    """Merge what an entry made with a new fragment, and stage the result unless there is a conflict.

    Raises:
        SourceError: the file is no Python, or the place that the new fragment wants is not there.
    """
    if tree.read(repo, entry.path) is None:
        return Symbol("absent")
    old, source = entry.make(), tree.source(repo, entry.path)
    found = old.find(source)
    if found is None:
        return Symbol("absent")
    if not in_place(entry, new):
        move = _move if hasattr(old, "text") else _exchange
        return move(tree, repo, entry, new, normalise)
    if not hasattr(old, "text"):
        return Symbol("unchanged", found.text)
    merged = merge_symbol(source, old, new.insertion, normalise)
    if merged.outcome != "conflict":
        tree.put(repo, entry.path, merged.source)
    return Symbol(merged.outcome, found.text, merged.conflict)


def in_place(entry: Entry, new: Fragment) -> bool:
    """Tell whether a new fragment goes to the same file and scope as before."""
    old = entry.make()
    return (entry.path, old.kind) == (new.path, new.insertion.kind) and _place(old) == _place(new.insertion)


def take_text(tree: Tree, repo: str, entry: Entry, text: str) -> None:
    """Put a text in the place of what an entry made, definition by definition where it has several.

    Raises:
        SourceError: the text is no such thing.
    """
    made, source = entry.make(), tree.source(repo, entry.path)
    if not hasattr(made, "parts"):
        tree.put(repo, entry.path, made.rewrite(source, text))
        return
    wanted = replace(made, text=text)
    for part in wanted.parts(source):
        source = part.rewrite(source, part.text) if part.find(source) else wanted.insert_parts(source, {part.name})
    tree.put(repo, entry.path, source)


def _move(tree: Tree, repo: str, entry: Entry, new: Fragment, normalise: Normalise) -> Symbol:
    old, source = entry.make(), tree.source(repo, entry.path)
    found: Any = old.find(source)
    text, marked = three_way(old.text, found.text, new.insertion.text, normalise) if found.edited else (None, None)
    if marked is not None:
        return Symbol("conflict", found.text, marked)
    taken: Source = replace(old, text=found.text).remove(source)
    tree.put(repo, entry.path, taken)
    insertion = new.insertion if text is None else replace(new.insertion, text=text)
    tree.put(repo, new.path, insertion.insert(tree.source(repo, new.path)))
    return Symbol("replaced" if text is None else "merged", found.text)


def _exchange(tree: Tree, repo: str, entry: Entry, new: Fragment, normalise: Normalise) -> Symbol:
    """Put one registration in the place of another: it has no text that could be merged."""
    source = tree.source(repo, entry.path)
    found: Any = entry.make().find(source)
    try:
        tree.put(repo, entry.path, entry.make().remove(source))
    except Edited:
        wanted = f"{new.insertion.name} in {new.insertion.anchor}"
        return Symbol("conflict", found.text, f"<<<<<<< yours\n{found.text}\n=======\n{wanted}\n>>>>>>> new template")
    tree.put(repo, new.path, new.insertion.insert(tree.source(repo, new.path)))
    return Symbol("replaced", found.text)


def _place(insertion: Any) -> tuple:
    return tuple(getattr(insertion, name, None) for name in _PLACE)
