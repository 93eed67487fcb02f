"""Finds a generated definition again that a user gave another name."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from generator.plan.entry import Entry
from generator.source.definition import Definition
from generator.source.text import Source
from generator.source.walk import bindings, statements

# Of the lines. Two ops of one family share fewer: each has its own words and parameters.
_ALIKE = 0.8


def renamed_to(source: Source, entry: Entry) -> tuple[str, str] | None:
    """Return the name and the text of a definition that says, under another name, what this entry made; or None."""
    made = entry.make()
    if not isinstance(made, Definition) or made.scope:
        return None
    names = {name for _, one in statements(source.module) for name, binds in bindings(one) if binds != "import"}
    best: tuple[float, str, str] = (_ALIKE, "", "")
    for part in made.parts(source):
        for name in sorted(names - {part.name}):
            text = re.sub(rf"^((?:async )?def|class) {part.name}\b", rf"\1 {name}", part.text, flags=re.MULTILINE)
            found = Definition(text).find(source) if text != part.text else None
            if found is not None:
                best = max(best, (_likeness(found.text, text), name, found.text))
    return best[1:] if best[1] else None


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.split("\n"), other.split("\n"), autojunk=False).ratio()
