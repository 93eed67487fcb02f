"""Three-way merge of whole files by lines, with the markers that git and copier write."""

from __future__ import annotations

import re

from generator.source.merge import Normalise

OURS, THEIRS = "before updating", "after updating"
_MARKER = re.compile(rb"^(<{7}|>{7}) ", re.MULTILINE)


def merge_bytes(base: bytes, ours: bytes, theirs: bytes, normalise: Normalise | None = None) -> tuple[bytes, bool]:
    """Merge three versions of a file. A file that was given other newlines since keeps them.

    Args:
        normalise: formats a text; tried on all three where they conflict as they are, to hide a formatter's work.

    Returns:
        The bytes, and whether there are conflict markers in them.
    """
    if ours in (base, theirs) or base == theirs:
        return (theirs if ours == base else ours), False
    turned = b"\r\n" in ours and b"\r\n" not in base
    texts = [_text(data.replace(b"\r\n", b"\n") if turned else data) for data in (base, ours, theirs)]
    text, conflict = _merge(*texts)
    if conflict and normalise is not None:
        again, still = _merge(*map(normalise, texts))
        text, conflict = (text, True) if still else (again, False)
    data = text.encode("utf-8", "surrogateescape")
    return data.replace(b"\n", b"\r\n") if turned else data, conflict


def has_markers(data: bytes | None) -> bool:
    """Tell whether conflict markers stand in a file."""
    return data is not None and _MARKER.search(data) is not None


def _merge(base: str, ours: str, theirs: str) -> tuple[str, bool]:
    from merge3 import Merge3

    merge = Merge3(*map(_lines, (base, ours, theirs)))
    conflict = any(group[0] == "conflict" for group in merge.merge_groups())
    return "".join(merge.merge_lines(OURS, THEIRS, reprocess=conflict)), conflict


def _lines(text: str) -> list[str]:
    # At line feeds only: a form feed or a lone carriage return stays inside its line.
    return [line for line in re.split(r"(?<=\n)", text) if line]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
