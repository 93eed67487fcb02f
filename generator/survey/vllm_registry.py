"""vLLM's model registry: which architecture is served by which class, and in which dict and section it stands.

The dicts are found by their names and values, never by position: they were split, renamed and joined by releases.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from .vllm_tree import SourceTree, assigned, mapping, text

PATH = "vllm/model_executor/models/registry.py"
SECTION = re.compile(r"\s*#\s*\[(.+)\]\s*$")
ABSOLUTE = "vllm."


@dataclass(frozen=True)
class Entry:
    """One `"Arch": ("module", "Class")`; `section` is the last `# [X]` comment above it, or None."""

    arch: str
    module: str
    cls: str
    table: str
    section: str | None
    line: int


@dataclass(frozen=True)
class Registry:
    """Attributes:
    entries: in the order of the file. tables: the dicts that hold (module, class) pairs, with their lines.
    previous: architecture → last version that had it. elsewhere: architecture → plugin.
    """

    entries: tuple[Entry, ...]
    tables: dict[str, int]
    previous: dict[str, str]
    elsewhere: dict[str, str]

    def find(self, arch: str) -> Entry | None:
        """Return the entry that serves `arch`: the last one, as the dicts are spread into one another."""
        return next((entry for entry in reversed(self.entries) if entry.arch == arch), None)

    def sections(self, table: str) -> list[str]:
        """Return the sections of a dict that hold an entry, in order."""
        return list(dict.fromkeys(e.section for e in self.entries if e.table == table and e.section))


def read_registry(tree: SourceTree) -> Registry | None:
    """Return the registry of a vLLM checkout, or None if there is no such file."""
    module = tree.parse(PATH)
    if module is None:
        return None
    lines = (tree.read(PATH) or b"").decode("utf-8", "replace").splitlines()
    entries: list[Entry] = []
    tables: dict[str, int] = {}
    for node in module.body:
        name, value = _assignment(node)
        if isinstance(value, ast.Dict):
            found = list(_entries(name, value, lines))
            entries += found
            if found or name.endswith("_MODELS") and not value.keys:
                tables[name] = node.lineno
    return Registry(
        tuple(entries), tables, _plain(module, "_PREVIOUSLY_SUPPORTED_MODELS"), _plain(module, "_OOT_SUPPORTED_MODELS")
    )


def module_paths(module: str) -> list[str]:
    """Return where the module of an entry may be, as files relative to the checkout."""
    base = module.replace(".", "/") if module.startswith(ABSOLUTE) else f"vllm/model_executor/models/{module}"
    return [f"{base}.py", f"{base}/__init__.py"]


def _assignment(node: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id, node.value
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id, node.value
    return "", None


def _entries(table: str, value: ast.Dict, lines: list[str]):
    section, row = None, value.lineno
    for key, pair in zip(value.keys, value.values, strict=True):
        arch = text(key)
        here = key.lineno if key is not None else pair.lineno
        for line in lines[row:here]:
            found = SECTION.match(line)
            section = found[1] if found else section
        row = here
        names = [text(item) for item in pair.elts] if isinstance(pair, ast.Tuple) else []
        if arch is not None and len(names) == 2 and None not in names:
            yield Entry(arch, names[0], names[1], table, section, here)


def _plain(module: ast.Module, name: str) -> dict[str, str]:
    return {k: text(v) or "" for k, v in mapping(assigned(module, name)).items()}
