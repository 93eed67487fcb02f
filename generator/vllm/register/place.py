"""Which dict and which section of the registry, and the same for the tests' examples."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from generator.errors import ScaffoldError
from generator.survey.vllm_registry import PATH, Registry, read_registry
from generator.survey.vllm_tree import SourceTree, assigned

from .request import TABLES, RegisterRequest

TESTS = "tests/models/registry.py"
COLUMNS = 88


@dataclass(frozen=True)
class Place:
    """Attributes: dict, section (None for the part without one), whether this checkout breaks long entries."""

    table: str
    section: str | None
    breaks: bool


def registry_of(tree: SourceTree) -> Registry:
    """Return the checkout's registry.

    Raises:
        ScaffoldError: there is none, or it is no Python.
    """
    found = read_registry(tree)
    if found is None:
        why = tree.unread.get(PATH, "there is no such file")
        raise ScaffoldError(f"no model registry: {why}", where=PATH, next="check that --vllm is a vLLM checkout")
    return found


def place_of(request: RegisterRequest, registry: Registry, tree: SourceTree) -> Place:
    """Return where the entry goes.

    Raises:
        ScaffoldError: no dict of this kind, or no such section; names those that are there.
    """
    table = next((name for name in TABLES[request.kind] if name in registry.tables), None)
    if table is None:
        known = ", ".join(registry.tables)
        raise ScaffoldError(f"this registry has no dict for {request.kind}", where=PATH, next=f"it has {known}")
    return Place(table, _section(request, registry, table), _breaks(registry, table, tree))


def _section(request: RegisterRequest, registry: Registry, table: str) -> str | None:
    sections = registry.sections(table)
    if request.section is None:
        opens = next((e.section for e in registry.entries if e.table == table), None)
        # A dict that opens with a section has its ordinary models there; one that does not, above the first section.
        return opens
    same = next((s for s in sections if s.casefold() == request.section.casefold()), None)
    if same is None:
        near = get_close_matches(request.section, sections, 1)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(sections) or 'none'}"
        raise ScaffoldError(
            f"{table} has no section [{request.section}]", where=f"{PATH}:{registry.tables[table]}", next=hint
        )
    return same


def _breaks(registry: Registry, table: str, tree: SourceTree) -> bool:
    """Return True unless the file has longer lines than ruff's among its entries (older releases did)."""
    lines = (tree.read(PATH) or b"").decode("utf-8", "replace").splitlines()
    own = (lines[entry.line - 1].split("#")[0].rstrip() for entry in registry.entries if entry.table == table)
    return not any(len(line) > COLUMNS for line in own)


def tests_place(table: str, arch: str, section: str | None, tree: SourceTree) -> tuple[str, str | None] | None:
    """Return (dict, section) of the tests' examples, or None if the checkout has no such dict."""
    module = tree.parse(TESTS)
    name = table.replace("_MODELS", "_EXAMPLE_MODELS")
    value = assigned(module, name)
    if value is None:
        return None
    lines = (tree.read(TESTS) or b"").decode("utf-8", "replace").splitlines()[value.lineno - 1 : value.end_lineno]
    sections = [line.strip()[3:-1] for line in lines if line.startswith("    # [") and line.endswith("]")]
    if section in sections:
        return name, section
    family = next((s for s in sections if s.casefold() in arch.casefold()), None)
    return name, family
