"""How the text of some files is written, told by majority, so that a few local edits change nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

_STRING = re.compile(rb"""(?<!["'\w])(?:'[^'"\n\\]*'|"[^'"\n\\]*")(?!["'])""")
_TYPING = re.compile(rb"\b(?:Optional|Union|Tuple|List|Dict)\[")
_PIPE = re.compile(rb"\| None\b|\b(?:tuple|list|dict)\[")
_DOCSTRING = re.compile(rb'^[ \t]+"""([A-Za-z])\w* ', re.M)
# A checkout of 79 columns has the odd longer line (one in a thousand); one of 120 has one in thirty.
_LONG_SHARE = 0.01


def bytes_of(path: Path) -> bytes | None:
    """The bytes of a file, or None where there is none that can be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def newline_of(files: Iterable[bytes]) -> str:
    """`crlf` if most line ends of the files are that, else `lf`."""
    data = b"".join(files)
    return "crlf" if data.count(b"\r\n") * 2 > data.count(b"\n") else "lf"


def columns_of(files: Iterable[bytes], narrow: int = 79, wide: int = 120) -> int:
    """`narrow` if next to no line is longer than that, else `wide`."""
    lines = [line for data in files for line in data.splitlines()]
    long = sum(len(line.decode(errors="replace")) > narrow for line in lines)
    return narrow if long <= len(lines) * _LONG_SHARE else wide


def quotes_of(files: Iterable[bytes]) -> str:
    """`single` or `double`, by the strings that could as well be written the other way."""
    strings = _STRING.findall(b"\n".join(files))
    single = sum(s.startswith(b"'") for s in strings)
    return "single" if single * 2 > len(strings) else "double"


def annotations_of(files: Iterable[bytes]) -> str:
    """`typing` for `Optional[X]` and `Tuple[X]`, `pipe` for `X | None` and `tuple[X]`."""
    data = b"\n".join(files)
    return "pipe" if len(_PIPE.findall(data)) > len(_TYPING.findall(data)) else "typing"


def docstrings_of(files: Iterable[bytes]) -> str:
    """`lower` or `capital`, by the first letters of one-line docstrings of more than one word."""
    firsts = _DOCSTRING.findall(b"\n".join(files))
    return "lower" if sum(f.islower() for f in firsts) * 2 > len(firsts) else "capital"


def header_of(files: Iterable[bytes]) -> tuple[str, ...]:
    """The comment line that most files begin with, as the lines of a header; none if most begin with something else."""
    firsts = Counter(data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].rstrip() for data in files)
    first, _ = firsts.most_common(1)[0] if firsts else (b"", 0)
    return (first.decode(errors="replace"),) if first.startswith(b"#") and not first.startswith(b"#!") else ()
