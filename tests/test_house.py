"""The house rules that code can hold: who imports whom, who parses Python, who writes files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import generator

HOUSE = Path(generator.__file__).parent
FILES = [p for p in sorted(HOUSE.rglob("*.py")) if not {"files", "_templates"} & set(p.relative_to(HOUSE).parts[:-1])]
# A room may import itself, what is listed, and `errors`; nothing imports upwards.
ROOMS = {
    "source": set(),
    "spec": set(),
    "native": {"spec"},
    "workspace": {"spec"},
    "survey": {"spec", "workspace", "native"},
    "plan": {"source"},
    "render": {"spec", "native", "vllm"},
    "vllm/check": {"spec", "workspace", "survey", "native", "vllm", "checks"},
    "vllm": {"spec", "workspace", "survey", "native"},
    "checks": {"spec", "workspace", "survey", "source", "plan", "native"},
    "sandbox": set(),
    "scaffolds": {"spec", "workspace", "survey", "source", "plan", "render", "native", "vllm", "checks"},
    "refresh": {"sandbox", "spec", "workspace", "survey", "source", "plan", "render", "native", "vllm", "scaffolds"},
}
HEAVY = {"libcst", "jinja2", "copier", "black", "rich", "yaml", "tomlkit", "merge3", "pydantic"}


def relative(path: Path) -> str:
    return str(path.relative_to(HOUSE))


def imports(tree: ast.AST) -> set[str]:
    """The absolute modules that are imported anywhere in a file, relative ones within the room left out."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {f"{node.module}.{a.name}" for a in node.names} | {node.module or ""}
    return found


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_nothing_imports_upwards(path):
    room = next((r for r in ROOMS if relative(path).startswith(f"{r}/")), None)
    if room and path.name != "__main__.py":
        rooms = {m.split(".")[1] for m in imports(ast.parse(path.read_bytes())) if m.startswith("generator.")}
        allowed = (
            ROOMS[room]
            | {room.partition("/")[0]}
            | (set() if room in ("source", "spec") else {"errors", "__version__"})
        )
        assert rooms <= allowed, rooms - allowed


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_relative_imports_stay_in_their_room(path):
    depth = len(path.relative_to(HOUSE).parts) - 1
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.level <= max(depth, 1), f"line {node.lineno} leaves the room"


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_python_is_parsed_in_three_rooms_only(path):
    if path.relative_to(HOUSE).parts[0] in ("survey", "source", "native"):
        return
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            assert (ast.unparse(node.func.value), node.func.attr) != ("ast", "parse"), node.lineno
            assert node.func.attr not in ("parse_module", "parse_statement", "parse_expression"), node.lineno


@pytest.mark.parametrize("path", [p for p in FILES if p.parent.name == "cli"], ids=relative)
def test_the_command_line_imports_nothing_heavy_at_module_level(path):
    tree = ast.parse(path.read_bytes())
    top = ast.Module([n for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)], [])
    loaded = imports(top)
    assert not {m.split(".")[0] for m in loaded} & HEAVY
    assert all(
        m.startswith(("generator.cli", "generator.errors", "generator.__version__")) or m == "generator"
        for m in loaded
        if m.startswith("generator")
    )


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_rooms_are_small(path):
    assert len(path.read_bytes().splitlines()) <= 400


def test_torch_is_never_imported():
    for path in FILES:
        loaded = {m.split(".")[0] for m in imports(ast.parse(path.read_bytes()))}
        in_child = "proof" in path.relative_to(HOUSE).parts
        assert in_child or not loaded & {"torch", "vllm", "torch_npu", "transformers"}, path
