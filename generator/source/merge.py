"""Three-way merge of one inserted symbol: the old fragment, the text as it stands in the file, the new fragment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from .base import Rewritable
from .definition import Definition
from .dialect import tidy
from .errors import SourceError
from .text import Source

Outcome = Literal["unchanged", "replaced", "merged", "conflict", "absent"]
Normalise = Callable[[str], str]


@dataclass(frozen=True)
class Merged:
    """What a merge came to.

    Attributes:
        source: the file; the one that went in if there is a conflict.
        outcome: `unchanged` (the fragment is the same, or the file has the new text already), `replaced` (nobody had
            touched the old text), `merged` (both edits are in), `conflict`, or `absent` (the symbol was deleted or
            renamed, and is left so).
        conflict: the text with git's conflict markers, the base included; None without a conflict.
    """

    source: Source
    outcome: Outcome
    conflict: str | None = None


def merge_symbol(source: Source, old: Rewritable, new: Rewritable, normalise: Normalise | None = None) -> Merged:
    """Bring what `old` inserted up to `new`, wherever it stands in the file now, and keep the edits made since.

    Args:
        source: the file.
        old: the insertion as it was made.
        new: the insertion as it would be made now, of the same kind.
        normalise: formats a text; tried on all three where they conflict as they are, to hide a formatter's work.
    """
    if isinstance(old, Definition) and isinstance(new, Definition):
        return _merge_definitions(source, old, new, normalise)
    return _merge_one(source, old, new, normalise)


def _merge_one(source: Source, old: Rewritable, new: Rewritable, normalise: Normalise | None) -> Merged:
    found = old.find(source)
    if found is None:
        return Merged(source, "absent")
    base, theirs = tidy(old.text), tidy(new.text)
    if found.text == theirs or base == theirs:
        return Merged(source, "unchanged")
    if found.text == base:
        return Merged(old.rewrite(source, theirs), "replaced")
    text, conflict = three_way(base, found.text, theirs, normalise)
    if text is not None:
        try:
            return Merged(old.rewrite(source, text), "merged")
        except SourceError:  # lines that merge need not make Python
            conflict = _marked(base, found.text, theirs)
    return Merged(source, "conflict", conflict)


def _merge_definitions(source: Source, old: Definition, new: Definition, normalise: Normalise | None) -> Merged:
    """Each definition by its own name: those in both are merged, new ones come beside, dropped ones go if untouched."""
    olds = {part.name: part for part in old.parts(source)}
    news = {part.name: part for part in new.parts(source)}
    if all(part.find(source) is None for part in olds.values()):
        return Merged(source, "absent")
    edited, outcomes, conflicts = source, [], []
    heirs = {**{name: name for name in olds if name in news}, **_renamed(source, olds, news)}
    for name, part in olds.items():
        heir = heirs.get(name)
        merged = _merge_one(edited, part, news[heir], normalise) if heir else _drop(edited, part)
        edited = merged.source
        outcomes.append(merged.outcome)
        conflicts += [merged.conflict] if merged.conflict else []
    if conflicts:
        return Merged(source, "conflict", "\n\n\n".join(conflicts))
    longer = new.insert_parts(edited, set(news) - set(heirs.values()))
    outcomes += ["replaced"] if longer is not edited else []
    worst: list[Outcome] = ["merged", "replaced", "absent", "unchanged"]
    return Merged(longer, next(outcome for outcome in worst if outcome in outcomes))


def _renamed(source: Source, olds: Mapping[str, Definition], news: Mapping[str, Definition]) -> dict[str, str]:
    """Old name to new name, where as many definitions are gone as are new and none of the new names is taken."""
    gone = [name for name in olds if name not in news]
    fresh = [name for name in news if name not in olds]
    taken = any(news[name].find(source) for name in fresh)
    return dict(zip(gone, fresh, strict=True)) if len(gone) == len(fresh) and not taken else {}


def _drop(source: Source, part: Definition) -> Merged:
    found = part.find(source)
    if found is None:
        return Merged(source, "unchanged")
    if found.edited:
        return Merged(source, "conflict", _marked(tidy(part.text), found.text, ""))
    return Merged(part.remove(source), "replaced")


def three_way(base: str, ours: str, theirs: str, normalise: Normalise | None = None) -> tuple[str | None, str | None]:
    """Merge three texts by lines; return the merged text, or else the text with conflict markers."""
    text = _merge(base, ours, theirs)
    if text is None and normalise is not None:
        text = _merge(*map(normalise, (base, ours, theirs)))
    return (text, None) if text is not None else (None, _marked(base, ours, theirs))


def _merge(base: str, ours: str, theirs: str) -> str | None:
    from merge3 import Merge3

    merge = Merge3(_lines(base), _lines(ours), _lines(theirs))
    if any(group[0] == "conflict" for group in merge.merge_groups()):
        return None
    return tidy("".join(merge.merge_lines()))


def _marked(base: str, ours: str, theirs: str) -> str:
    from merge3 import Merge3

    merge = Merge3(_lines(base), _lines(ours), _lines(theirs))
    names = {"name_a": "yours", "name_base": "old template", "name_b": "new template"}
    return "".join(merge.merge_lines(**names, base_marker="|||||||"))


def _lines(text: str) -> list[str]:
    return f"{tidy(text)}\n".splitlines(True) if text else []
