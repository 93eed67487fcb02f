"""vLLM's `CustomOp` and `PluggableLayer` classes: what a platform can replace by name."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .vllm_tree import SourceTree, text

FOLDERS = ("vllm/model_executor", "vllm/models")
BASES = ("CustomOp", "PluggableLayer")
MARK = b".register("


@dataclass(frozen=True)
class CustomOp:
    """One class; `kind` is `CustomOp` (falls back to its native forward) or `PluggableLayer` (is used as it is)."""

    name: str
    kind: str
    registered: str
    path: str
    line: int


def read_custom_ops(tree: SourceTree) -> dict[str, CustomOp]:
    """Return class name → class, for every class that is registered under a name by either of the two bases."""
    found: dict[str, CustomOp] = {}
    for folder in FOLDERS:
        for path in tree.files(folder):
            data = tree.read(path) or b""
            if MARK in data and any(base.encode() + MARK in data for base in BASES):
                found |= {op.name: op for op in _classes(tree.parse(path), path)}
    return found


def _classes(module: ast.Module | None, path: str):
    for node in ast.walk(module) if module else ():
        if not isinstance(node, ast.ClassDef):
            continue
        for call in node.decorator_list:
            kind = _kind(call)
            if kind:
                yield CustomOp(node.name, kind, text(call.args[0]) or "" if call.args else "", path, node.lineno)


def _kind(call: ast.expr) -> str | None:
    target = call.func if isinstance(call, ast.Call) else None
    owner = target.value if isinstance(target, ast.Attribute) and target.attr == "register" else None
    return owner.id if isinstance(owner, ast.Name) and owner.id in BASES else None
