"""The fields of the step's metadata that lmdeploy reads, beside who declares and who builds them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generator.spec.vendor import VENDORS

from .dispatch import BACKENDS
from .metadata import ATTENTION_CLASS, attention_fields
from .nn_layer import FOLDER as NN
from .reading import Reading
from .shelf import Shelf
from .step_context import read_passed
from .syntax import children, classes, dotted, function_nodes, methods

if TYPE_CHECKING:
    from .layers import Layers

_OBJECT = "attn_metadata"
_NONE: frozenset[str] = frozenset()
_FUNCTIONS = frozenset((ast.FunctionDef, ast.AsyncFunctionDef))
_CONDITIONS = frozenset((ast.If, ast.IfExp, ast.BoolOp))
_MENTION = re.compile(rb"attn_metadata\.(\w+)")
_FOLDERS = ("lmdeploy/pytorch/models", NN, f"{BACKENDS}/dlinfer")


@dataclass(frozen=True)
class ReadField:
    """The first read of a field in a file.

    Attributes:
        object: the name of the metadata object.
        field: its field.
        path, line: the place in lmdeploy.
        declared: path and line of its declaration for dlinfer's devices, or None.
        elsewhere: repository, path and line where another backend declares it, or None.
        never_passed: the vendors that never pass it, where it is used without a test.
    """

    object: str
    field: str
    path: str
    line: int
    declared: tuple[str, int] | None
    elsewhere: tuple[str, str, int] | None
    never_passed: tuple[str, ...] = ()


def read_fields(layers: Layers) -> Iterator[ReadField]:
    """The fields that are declared nowhere, or never passed by some vendor, one for each file and field."""
    lmdeploy = layers.lmdeploy
    known = {name: (f.path, f.line) for name, f in attention_fields(lmdeploy).items()} | _methods(lmdeploy)
    if not known:
        return
    passed = {v: {p.field for p in read_passed(lmdeploy, v)} for v in VENDORS}
    defaults = {name for name, f in attention_fields(lmdeploy).items() if f.default == "None"}
    lacked = {n for n in defaults if any(names and n not in names for names in passed.values())}
    for folder in _FOLDERS:
        for reading in lmdeploy.having(folder, _OBJECT.encode()):
            mentioned = {m.decode() for m in _MENTION.findall(reading.data)}
            suspicious = mentioned - (known.keys() - lacked)
            for field, (line, used) in (_reads(reading, suspicious) if suspicious else {}).items():
                if field not in known:
                    yield ReadField(_OBJECT, field, reading.path, line, None, _elsewhere(lmdeploy, field))
                elif used and field in defaults:
                    lacking = tuple(v for v, names in passed.items() if names and field not in names)
                    lacking = tuple(v for v in lacking if not _replaced(layers, reading, used, v))
                    if lacking:
                        yield ReadField(_OBJECT, field, reading.path, used, known[field], None, lacking)


def _methods(lmdeploy: Shelf) -> dict[str, tuple[str, int]]:
    """The methods and properties of the metadata classes."""
    found: dict[str, tuple[str, int]] = {}
    for path in (f"{BACKENDS}/attention.py", f"{BACKENDS}/dlinfer/attention.py"):
        reading = lmdeploy.open(path)
        for cls in classes(reading.tree) if reading else ():
            if cls.name in (ATTENTION_CLASS, "AttentionMetadata"):
                found |= {m.name: (path, m.lineno) for m in methods(cls)}
    return found


def _reads(reading: Reading, wanted: set[str]) -> dict[str, tuple[int, int]]:
    """Field to the line of its first read, and the line of its first use without a test (0 if there is none)."""
    stored, found = set(), {}
    waiting: list[tuple[ast.AST, ast.AST | None, frozenset[str], ast.AST | None]] = [(reading.tree, None, _NONE, None)]
    while waiting:
        node, parent, tested, function = waiting.pop()
        kind = node.__class__
        if kind is ast.Attribute and node.attr in wanted and _is_metadata(node):
            if node.ctx.__class__ is ast.Load:
                line, used = found.get(node.attr, (node.lineno, 0))
                if node.attr not in tested and _dereferenced(node, parent, function):
                    used = min(used or node.lineno, node.lineno)
                found[node.attr] = (min(line, node.lineno), used)
            else:
                stored.add(node.attr)
        elif kind in _FUNCTIONS:
            function = node
        elif kind in _CONDITIONS:
            tested = tested | _tests(node)
        waiting.extend([(child, node, tested, function) for child in children(node)])
    return {name: value for name, value in found.items() if name not in stored}


def _is_metadata(node: ast.Attribute) -> bool:
    return (dotted(node.value) or "").rpartition(".")[2] == _OBJECT


def _looked_into(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The dotted names that a function takes an attribute or an item of, without ever testing them."""
    nodes = function_nodes(function)
    values = [n.value for n in nodes if isinstance(n, ast.Attribute | ast.Subscript) and isinstance(n.ctx, ast.Load)]
    tests = [n.test for n in nodes if isinstance(n, ast.If | ast.IfExp)]
    tested = {dotted(n) for t in tests for n in ast.walk(t)}
    return frozenset(name for name in map(dotted, values) if name and name not in tested)


def _tests(node: ast.If | ast.IfExp | ast.BoolOp) -> frozenset[str]:
    """The fields that a condition mentions: below it they are known."""
    tests = node.values if isinstance(node, ast.BoolOp) else [node.test]
    names = [n for t in tests for n in ast.walk(t) if isinstance(n, ast.Attribute)]
    return frozenset(n.attr for n in names if _is_metadata(n))


def _dereferenced(node: ast.AST, parent: ast.AST | None, function: ast.AST | None) -> bool:
    """True where something is taken from the value itself or computed with it, also under the name it is given."""
    if isinstance(parent, ast.Attribute | ast.Subscript):
        return parent.value is node
    if isinstance(parent, ast.Assign):
        looked_into = _looked_into(function) if function is not None else _NONE
        return any(dotted(target) in looked_into for target in parent.targets)
    return isinstance(parent, ast.BinOp)


def _elsewhere(lmdeploy: Shelf, field: str) -> tuple[str, str, int] | None:
    for reading in lmdeploy.having(f"{BACKENDS}/cuda", field.encode()):
        for cls in classes(reading.tree):
            for node in cls.body:
                if isinstance(node, ast.AnnAssign) and dotted(node.target) == field:
                    return lmdeploy.repo, reading.path, node.lineno
    return None


def _replaced(layers: Layers, reading: Reading, line: int, vendor: str) -> bool:
    """True if a patch of the vendor replaces the code around a line."""
    for patched in layers.patches:
        if patched.target and patched.patch.applies_to(vendor) and patched.target.module.reading.path == reading.path:
            if patched.target.node.lineno <= line <= (patched.target.node.end_lineno or 0):
                return True
    return False
