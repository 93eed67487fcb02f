"""Where a new OpType goes: into the comment group that its name belongs to."""

from __future__ import annotations

from collections.abc import Mapping

from generator.spec.names import words
from generator.survey.dispatch import OpTypeMember


def member_before(name: str, members: Mapping[str, OpTypeMember]) -> str:
    """The member after which a new one goes, or an empty string for the end.

    The groups are headed by comments (`# MoE router`, `# Gated Delta`); a name that shares a word with a heading goes
    to the end of that group, every other name to the end of the members above the first heading.
    """
    rows = list(members.values())
    headings = {m.group for m in rows if m.group}
    for heading in headings:
        if set(words(name)) & {w.lower() for w in heading.split()}:
            return [m.name for m in rows if m.group == heading][-1]
    plain = [m.name for m in rows if not m.group]
    return plain[-1] if plain and headings else ""
