"""The tables of vLLM's documentation that list architectures."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .vllm_tree import SourceTree

NAMES = re.compile(r"\b\w+")
PAGES = ("docs/models/supported_models.md",)
MORE = "docs/models/pooling_models"


@dataclass(frozen=True)
class DocsTable:
    """One table; `rows` are the first cells of its rows as written, `header` its column names without markup."""

    path: str
    line: int
    header: tuple[str, ...]
    rows: tuple[str, ...]
    widths: tuple[int, ...]

    def row_of(self, arch: str) -> int | None:
        """Return which row lists `arch`, from 0; a cell may name several."""
        return next((at for at, cell in enumerate(self.rows) if arch in NAMES.findall(cell)), None)

    def overlap(self, archs: set[str]) -> int:
        """Return how many of its rows list one of `archs`."""
        return sum(not archs.isdisjoint(NAMES.findall(cell)) for cell in self.rows)


def read_docs(tree: SourceTree) -> list[DocsTable]:
    """Return the tables whose first column is `Architecture`, page by page."""
    folder = tree.root / MORE
    more = sorted(f"{MORE}/{p.name}" for p in folder.glob("*.md")) if folder.is_dir() else []
    found: list[DocsTable] = []
    for path in (*PAGES, *more):
        data = tree.read(path)
        found += _tables(path, data.decode("utf-8", "replace").splitlines()) if data else []
    return found


def table_for(tables: list[DocsTable], archs: list[str]) -> DocsTable | None:
    """Return the table that lists most of these architectures, the earlier one in a draw; None below two."""
    known = set(archs)
    best = max(tables, key=lambda table: table.overlap(known), default=None)
    return best if best and best.overlap(known) >= 2 else None


def _tables(path: str, lines: list[str]) -> list[DocsTable]:
    found = []
    for at, line in enumerate(lines):
        if not line.startswith("| Architecture"):
            continue
        end = next((i for i in range(at, len(lines)) if not lines[i].startswith("|")), len(lines))
        rows = tuple(_cells(row)[0] for row in lines[at + 2 : end])
        widths = tuple(len(cell) - 2 for cell in line.strip("|\n").split("|"))
        found.append(DocsTable(path, at + 1, tuple(map(_plain, _cells(line))), rows, widths))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _plain(cell: str) -> str:
    return cell.partition("]")[0].lstrip("[")
