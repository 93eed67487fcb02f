"""The tables of vLLM's documentation that list architectures."""

from __future__ import annotations

from dataclasses import dataclass

from .vllm_tree import SourceTree

PAGES = ("docs/models/supported_models.md",)
MORE = "docs/models/pooling_models"


@dataclass(frozen=True)
class DocsTable:
    """One table; `rows` are the architectures of its rows, `header` its column names without markup."""

    path: str
    line: int
    header: tuple[str, ...]
    rows: tuple[str, ...]
    widths: tuple[int, ...]


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
    best = max(tables, key=lambda t: len(known.intersection(t.rows)), default=None)
    return best if best and len(known.intersection(best.rows)) >= 2 else None


def _tables(path: str, lines: list[str]) -> list[DocsTable]:
    found = []
    for at, line in enumerate(lines):
        if not line.startswith("| Architecture"):
            continue
        end = next((i for i in range(at, len(lines)) if not lines[i].startswith("|")), len(lines))
        rows = tuple(_cells(row)[0].strip("`*") for row in lines[at + 2 : end])
        widths = tuple(len(cell) - 2 for cell in line.strip("|\n").split("|"))
        found.append(DocsTable(path, at + 1, tuple(map(_plain, _cells(line))), rows, widths))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _plain(cell: str) -> str:
    return cell.partition("]")[0].lstrip("[")
