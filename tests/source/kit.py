"""How an insertion is tested, in the spirit of OpenRewrite's kit: every promise of an edit, on every example.

`assert_edit(before, insertion, after)` compares one edit with what it should give; `assert_laws` checks what must hold
for any file and any insertions, without knowing the result.
"""

from __future__ import annotations

import difflib
from codecs import BOM_UTF8
from collections.abc import Sequence
from itertools import permutations
from textwrap import dedent

from generator.source.base import Insertion
from generator.source.registry import from_dict, to_dict
from generator.source.text import Source


def parse(code: str | bytes, path: str = "pkg/file.py") -> Source:
    """Return the source of a test's text, dedented, without the newline behind its opening quotes."""
    if isinstance(code, str):
        code = dedent(code).removeprefix("\n").encode()
    return Source.parse(code, path)


def assert_edit(before: str | bytes, insertion: Insertion, after: str | bytes, path: str = "pkg/file.py") -> None:
    """Assert that an insertion makes `after` of `before`, and all laws of an edit."""
    source, wanted = parse(before, path), parse(after, path)
    assert insertion.insert(source).data.decode() == wanted.data.decode()
    assert_laws(source, insertion)


def assert_laws(source: Source, *insertions: Insertion) -> None:
    """Assert what holds for insertions of different names into any file."""
    assert source.data == Source.parse(source.data, source.path).data
    edited = source
    for insertion in insertions:
        edited = _assert_one(edited, insertion)
    _assert_only_added(source, edited, insertions)
    for order in _orders(insertions):
        left, reread = edited, Source.parse(edited.data, source.path)
        for insertion in order:
            left, reread = insertion.remove(left), insertion.remove(reread)
            assert left.data == reread.data, f"{insertion.name}: a fresh parse is edited differently"
            compile(left.data, source.path, "exec", dont_inherit=True)
        assert left.data == source.data, f"taken out in the order {[one.name for one in order]}: {_diff(source, left)}"


def _assert_one(source: Source, insertion: Insertion) -> Source:
    assert from_dict(to_dict(insertion)) == insertion
    assert insertion.remove(source) is source, "taking out what is not there changes nothing"
    edited = insertion.insert(source)
    assert edited is not source and edited.data != source.data, "no empty diff"
    compile(edited.data, source.path, "exec", dont_inherit=True)
    assert insertion.insert(edited) is edited, "the second cycle changes nothing"
    reread = Source.parse(edited.data, source.path)
    assert insertion.insert(reread) is reread
    found = insertion.find(reread)
    assert found is not None and not found.edited
    assert found == insertion.find(edited)
    lines = edited.data.decode(edited.module.encoding).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    head = found.text.split("\n")[0].split()[-1].strip("'\"")
    assert head in lines[found.line - 1], f"line {found.line} is {lines[found.line - 1]!r}"
    assert insertion.remove(edited).data == source.data, _diff(source, insertion.remove(edited))
    return edited


def _assert_only_added(source: Source, edited: Source, insertions: Sequence[Insertion]) -> None:
    """Only lines are added; a line of a list or of imports may grow, and the last line may get its newline."""
    grows = {"export", "import-from", "dict-entry", "keyword-argument", "member"}
    if any(insertion.kind in grows for insertion in insertions):
        return
    assert_added(source.data, edited.data)


def assert_added(before: bytes, after: bytes, may_grow: int = 0) -> None:
    """Assert that all lines of `before` are in `after`, in order; up to `may_grow` of them may have become longer."""
    old, new = (data.removeprefix(BOM_UTF8).splitlines() for data in (before, after))
    gone = [line for line in difflib.ndiff(_text(old), _text(new)) if line.startswith("- ")]
    assert len(gone) <= may_grow, gone


def _text(lines: list[bytes]) -> list[str]:
    return [line.decode("latin-1") for line in lines]


def _orders(insertions: Sequence[Insertion]) -> list[tuple[Insertion, ...]]:
    return list(permutations(insertions)) if len(insertions) <= 4 else [tuple(insertions), tuple(insertions[::-1])]


def _diff(source: Source, other: Source) -> str:
    old, new = (one.data.decode("latin-1").splitlines(True) for one in (source, other))
    return "".join(difflib.unified_diff(old, new, "before", "after"))
