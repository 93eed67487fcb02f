"""The tutorial of a model, and what its parts are called in this checkout."""

from __future__ import annotations

import re

from .subject import Subject

FOLDERS = ("docs/source/tutorials/models/*.md", "docs/source/tutorials/*.md")
# Names that the sections had in different years → the name to compare with.
SAME = {
    "environment preparation": "installation",
    "prerequisites": "installation",
    "installation": "installation",
    "deployment": "deployment",
    "online service deployment": "deployment",
    "performance": "performance",
    "performance evaluation": "performance",
    "performance tuning": "performance",
}
NEEDED = (
    "introduction",
    "supported features",
    "installation",
    "deployment",
    "functional verification",
    "accuracy evaluation",
    "performance",
)


def tutorial(subject: Subject) -> tuple[str, str] | None:
    """Return (path, text) of the model's tutorial, or None."""
    return next(filter(None, map(subject.artefact, FOLDERS)), None)


def sections(text: str) -> list[tuple[str, int]]:
    """Return (name without number and anchor, 1-based line) of each section of the second level, outside of code."""
    found, code = [], False
    for number, line in enumerate(text.splitlines(), 1):
        code ^= line.lstrip().startswith("```")
        if line.startswith("## ") and not code:
            name = re.sub(r"\{:.*?\}", "", line[3:]).strip()
            found.append((re.sub(r"^[0-9]+\.?\s+", "", name).lower(), number))
    return found


def commands(text: str, word: str) -> list[tuple[int, str]]:
    """Return (1-based line, command) of each command in a code block that starts with `word`, continuations joined."""
    found, code, lines = [], False, text.splitlines()
    for at, line in enumerate(lines):
        code ^= line.lstrip().startswith("```")
        if code and line.strip().startswith(word):
            end = at
            while end < len(lines) - 1 and lines[end].rstrip().endswith("\\"):
                end += 1
            found.append((at + 1, " ".join(part.strip().rstrip("\\").strip() for part in lines[at : end + 1])))
    return found
