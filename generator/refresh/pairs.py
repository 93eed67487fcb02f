"""Which new fragment continues which old one, whoever shares it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from generator.plan.entry import Entry
from generator.plan.ledger import Page
from generator.source.fragment import Fragment

Fragments = Mapping[str, Fragment]


@dataclass(frozen=True)
class Change:
    """What became of one insertion.

    Attributes:
        entry: what was made, None for a new fragment.
        new: what the templates say now, None for a dropped fragment.
        file: the fragment's file below `.scaffold/`, of the first id.
        ids: the ids that ask for it.
    """

    entry: Entry | None
    new: Fragment | None
    file: str
    ids: tuple[str, ...]


def pair_fragments(page: Page, old: Mapping[str, Fragments], new: Mapping[str, Fragments]) -> list[Change]:
    """Pair the fragments of several ids in one checkout; what they share becomes one change.

    A fragment continues the one in the same file, else the one that inserts the same thing. What was in the old
    fragments but was not ours to make (upstream had it) is nobody's change, whatever its new text says.

    Args:
        page: the checkout's ledger.
        old: id to kept fragments.
        new: id to new fragments.
    """
    found: dict[tuple, Change] = {}
    for id in new:
        for change in _of_id(page, id, old.get(id, {}), new[id]):
            key = (change.entry.key if change.entry else None, str(change.new) if change.new else None)
            shared = found.get(key)
            found[key] = replace(shared, ids=(*shared.ids, id)) if shared else change
    return list(found.values())


def _of_id(page: Page, id: str, old: Fragments, new: Fragments) -> Iterator[Change]:
    heirs = {file: file for file in old if file in new}
    free = {_identity(fragment): file for file, fragment in new.items() if file not in old}
    for file, fragment in old.items():
        if file not in new and _identity(fragment) in free:
            heirs[file] = free[_identity(fragment)]
    claimed = set()
    for file, fragment in old.items():
        entry = page.entries.get(key_of(fragment))
        mine = entry is not None and id in entry.ids
        heir = new.get(heirs.get(file, ""))
        if mine:
            claimed.add(entry.key)
            yield Change(entry, heir, heirs.get(file, file), (id,))
        elif heir is not None and _identity(heir) != _identity(fragment):
            yield Change(None, heir, heirs[file], (id,))
    for file, fragment in new.items():
        if file not in heirs.values():
            yield Change(None, fragment, file, (id,))


def key_of(fragment: Fragment) -> tuple:
    """Return the key of the ledger entry that this fragment makes."""
    made = fragment.insertion
    return (fragment.path, "insert", made.kind, made.name, made.anchor)


def _identity(fragment: Fragment) -> tuple:
    return (fragment.path, fragment.insertion.kind, fragment.insertion.name)
