"""Writes conflict markers into a file that the templates do not own, for those who ask for it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from generator.plan.entry import Entry
from generator.source.base import Found
from generator.source.errors import SourceError
from generator.source.fragment import Fragment
from generator.source.merge import merge_symbol, three_way

from .symbol import in_place
from .work import Work, entry_of

MARKED = "conflict markers stand in the file"


def mark_inline(work: Work, repo: str, entry: Entry, new: Fragment) -> bool:
    """Merge what can be merged and write the rest between markers; False if the definitions are not the same ones.

    The file is written when everything else has been planned: it is no Python any more.
    """
    parts = _parts(work, repo, entry, new) if in_place(entry, new) and hasattr(entry.make(), "text") else None
    if parts is None:
        return False
    normalise = work.normalise(repo)
    marks: list[tuple[Any, Any]] = []
    for old, fresh in parts:
        merged = merge_symbol(work.tree.source(repo, entry.path), old, fresh, normalise)
        if merged.outcome == "conflict":
            marks.append((old, fresh))
        else:
            work.tree.put(repo, entry.path, merged.source)
    work.marks.setdefault((repo, entry.path), []).extend(marks)
    made = replace(entry_of(new, entry.ids), conflict=MARKED, pending={"file": "", "ours": ""})
    work.page(repo).swap(entry.key, made)
    return True


def write_marks(work: Work) -> None:
    """Write all markers, from the last line of each file up."""
    for (repo, path), marks in work.marks.items():
        source = work.tree.source(repo, path)
        found = [(old.find(source), old, new) for old, new in marks]
        lines = source.data.split(b"\n")
        for there, old, new in sorted(found, key=lambda one: -one[0].line):
            _splice(lines, there, old.text, new.text, _encoding(source))
        work.late[repo, path] = b"\n".join(lines)


def _encoding(source: Any) -> str:
    return source.module.encoding if hasattr(source, "module") else "utf-8"


def _splice(lines: list[bytes], there: Found, base: str, theirs: str, encoding: str) -> None:
    _, marked = three_way(base, there.text, theirs)
    start, end = there.line - 1, there.line - 1 + there.text.count("\n") + 1
    first = lines[start]
    prefix = first[: len(first) - len(first.lstrip())]
    ending = b"\r" if first.endswith(b"\r") else b""
    lines[start:end] = [_line(line, prefix, encoding) + ending for line in (marked or "").rstrip("\n").split("\n")]


def _line(line: str, prefix: bytes, encoding: str) -> bytes:
    if line.startswith(("<<<<<<<", "|||||||", "=======", ">>>>>>>")) or not line:
        return line.encode()
    return prefix + line.encode(encoding)


def _parts(work: Work, repo: str, entry: Entry, new: Fragment) -> list[tuple[Any, Any]] | None:
    old, source = entry.make(), work.tree.source(repo, entry.path)
    if not hasattr(old, "parts"):
        return [(old, new.insertion)]
    try:
        olds, news = old.parts(source), new.insertion.parts(source)
    except SourceError:
        return None
    if [part.name for part in olds] != [part.name for part in news]:
        return None
    return list(zip(olds, news, strict=True))
