"""One upstream file: its bytes, its syntax tree, and what to say when it cannot be read."""

from __future__ import annotations

import ast
import io
import os
import re
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeVar

from generator.workspace.checkout import Checkout

# A syntax tree takes some eighty times the bytes of its source; upstream's largest file has a tenth of this.
MAX_BYTES = 2_000_000
_KEPT_TREES = 64
_NEWLINE = re.compile("\r\n|\r|\n")
_LOWER = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")
T = TypeVar("T")


@dataclass(frozen=True)
class Unreadable:
    """A file that could not be read: a fact about the checkout, not a failure of the tool.

    Attributes:
        repo: a key of `REPOS`.
        path: relative to the checkout.
        line: 1-based; 1 where the reason concerns the whole file.
        reason: one phrase.
    """

    repo: str
    path: str
    line: int
    reason: str


class Layer(dict[str, T]):
    """Records by name, and the files that could not be read while they were collected."""

    def __init__(self, records: dict[str, T] | None = None, unreadable: tuple[Unreadable, ...] = ()):
        super().__init__(records or {})
        self.unreadable = list(unreadable)


@dataclass(frozen=True)
class Reading:
    """A file of a checkout.

    Attributes:
        repo: a key of `REPOS`.
        path: relative to the checkout, with forward slashes.
        data: its bytes; empty where `failure` says why there are none.
        failure: why the bytes could not be had, or None.
    """

    repo: str
    path: str
    data: bytes
    failure: str | None = None

    @property
    def tree(self) -> ast.Module:
        """The syntax tree; an empty one where the file cannot be read or parsed."""
        return self._parsed[0]

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """One record if the file cannot be read or parsed, else none."""
        _, line, reason = self._parsed
        return (Unreadable(self.repo, self.path, line, reason),) if reason else ()

    @property
    def is_parsed(self) -> bool:
        """True once somebody has asked for the tree, which is kept then."""
        return "_parsed" in self.__dict__

    @property
    def module(self) -> str:
        """The dotted name that the file is imported by, if its root is on the path."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def is_package(self) -> bool:
        """True for an `__init__.py`."""
        return self.path.endswith("/__init__.py")

    def text(self, node: ast.AST) -> str:
        """The source of an expression as one line: as written if it stands on one, else as `ast.unparse` writes it."""
        if node.lineno == node.end_lineno:
            return self.lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
        try:
            return ast.unparse(node)
        except RecursionError:
            rows = self.lines[node.lineno - 1 : node.end_lineno]
            rows = [*rows[:-1], rows[-1][: node.end_col_offset]]
            return " ".join(b"\n".join([rows[0][node.col_offset :], *rows[1:]]).decode().split())

    @cached_property
    def lines(self) -> list[bytes]:
        """The lines in UTF-8 without their ends: what the column offsets of the tree count in."""
        encoding, _ = tokenize.detect_encoding(io.BytesIO(self.data).readline)
        return [line.encode() for line in _NEWLINE.split(self.data.decode(encoding))]

    @cached_property
    def _parsed(self) -> tuple[ast.Module, int, str | None]:
        return (ast.Module([], []), 1, self.failure) if self.failure else parse(self.data)


@lru_cache(_KEPT_TREES)
def parse(data: bytes) -> tuple[ast.Module, int, str | None]:
    """Parse a file: its tree, and the line and the reason if it has none (the tree is empty then)."""
    nothing = ast.Module([], [])
    if len(data) > MAX_BYTES:
        return nothing, 1, f"is {len(data) / 1e6:.1f} MB long; more than {MAX_BYTES / 1e6:.0f} MB is not read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data), 1, None
    except SyntaxError as error:
        return nothing, max(error.lineno or 1, 1), f"does not parse: {error.msg}"
    except ValueError as error:
        return nothing, 1, f"does not parse: {error}"
    except (RecursionError, MemoryError):
        return nothing, 1, "is nested too deeply to be parsed"


def faults(reading: Reading) -> tuple[Unreadable, ...]:
    """As `Reading.unreadable`; a tree that nobody has asked for is not kept, nor put where the last ones are kept."""
    if reading.is_parsed or reading.failure:
        return reading.unreadable
    _, line, reason = parse.__wrapped__(reading.data)
    return (Unreadable(reading.repo, reading.path, line, reason),) if reason else ()


def read(checkout: Checkout, path: str) -> Reading | None:
    """Open a file by its path relative to the checkout; None if there is none.

    A link that leads out of the checkout is not followed: its record is unreadable. A `Shelf` answers for itself.
    """
    if kept := getattr(checkout, "open", None):
        return kept(path)
    full = f"{checkout.root}/{path}"
    try:
        if os.path.islink(full) and not _inside(full, checkout):
            return Reading(checkout.repo, path, b"", "is a link that leads out of the checkout")
        with open(full, "rb") as file:
            return Reading(checkout.repo, path, file.read())
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        return Reading(checkout.repo, path, b"", f"cannot be read: {error.strerror}")


def fold(data: bytes) -> bytes:
    """Bytes without case and underscores, as `names.plain` does with a name: a fast way to look for any spelling."""
    return data.translate(_LOWER, b"_")


def read_all(checkout: Checkout, folder: str, *needles: bytes, deep: bool = True) -> Iterator[Reading]:
    """Yield the Python files under a folder, by path, that hold all of `needles`; those in its subfolders if `deep`.

    A file whose bytes could not be had is always among them, so that no caller passes over it in silence.
    """
    for path in paths(checkout, folder, deep=deep):
        reading = read(checkout, path)
        if reading and (reading.failure or all(needle in reading.data for needle in needles)):
            yield reading


def paths(checkout: Checkout, folder: str, *, deep: bool = True) -> list[str]:
    """The Python files under a folder, sorted, relative to the checkout; linked folders are not entered."""
    if kept := getattr(checkout, "list", None):
        return kept(folder, deep=deep)
    start = len(str(checkout.root)) + 1
    found = []
    for base, folders, names in os.walk(f"{checkout.root}/{folder}"):
        folders[:] = [f for f in folders if deep and not f.startswith(".") and f != "__pycache__"]
        found += [f"{base}/{name}"[start:] for name in names if name.endswith(".py")]
    return sorted(p.replace(os.sep, "/") for p in found)


def _inside(full: str, checkout: Checkout) -> bool:
    return os.path.realpath(full).startswith(f"{checkout.root}{os.sep}")
