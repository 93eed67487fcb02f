"""The metadata of one step: which fields there are, what each vendor computes and passes, and who reads them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from generator.workspace.checkout import Checkout

from .locate import locate
from .reading import Reading, read, read_all
from .syntax import classes, dotted

BACKENDS = "lmdeploy/pytorch/backends"
ATTENTION = f"{BACKENDS}/dlinfer/attention.py"
MOE_TYPES = "dlinfer/utils/type_annotation.py"
INPUTS = "lmdeploy/pytorch/model_inputs.py"
GRAPH_META = "lmdeploy/pytorch/models/utils/cudagraph.py"
MODELS = "lmdeploy/pytorch/models"
ATTENTION_CLASS, MOE_CLASS = "DlinferAttentionMetadata", "MoeMetadata"
# Python values: captured once, and never updated by a replay.
_PYTHON = {"int", "float", "bool", "str", "dict", "Dict"}


@dataclass(frozen=True)
class MetaField:
    """A field of a dataclass.

    Attributes:
        name: of the field.
        annotation: source of it.
        default: source of it, or None.
        cls: the class that declares it.
        path: of the file, relative to its checkout.
        line: 1-based.
    """

    name: str
    annotation: str
    default: str | None
    cls: str
    path: str
    line: int

    @property
    def is_python(self) -> bool:
        """True for an int, float, bool, str or dict, which a captured graph freezes."""
        parts = {p.strip() for p in self.annotation.replace("Optional[", "").rstrip("]").split("|")} - {"None"}
        return bool(parts) and all(p.partition("[")[0] in _PYTHON for p in parts)

    @property
    def is_sequence(self) -> bool:
        """True for a sequence of tensors."""
        return self.annotation.partition("[")[0].rpartition(".")[2] in ("Sequence", "List", "list", "Tuple", "tuple")


@dataclass(frozen=True)
class FieldRead:
    """A place that reads a field of a metadata object.

    Attributes:
        field: its name.
        repo, path, line: the place.
        guarded: True if it is read by `getattr` with a default.
    """

    field: str
    repo: str
    path: str
    line: int
    guarded: bool = False


def attention_fields(checkout: Checkout) -> dict[str, MetaField]:
    """The fields of `DlinferAttentionMetadata`, those of its base class first."""
    return _with_bases(checkout, ATTENTION, ATTENTION_CLASS)


def moe_fields(checkout: Checkout) -> dict[str, MetaField]:
    """The fields of `MoeMetadata` of a dlinfer checkout; empty where it has none."""
    return class_fields(checkout, MOE_TYPES, MOE_CLASS)


def step_context_fields(checkout: Checkout) -> dict[str, MetaField]:
    """The fields of lmdeploy's `StepContext`."""
    return class_fields(checkout, INPUTS, "StepContext")


def graph_meta_fields(checkout: Checkout) -> dict[str, MetaField]:
    """The fields of lmdeploy's `CudaGraphMeta`."""
    return class_fields(checkout, GRAPH_META, "CudaGraphMeta")


def class_fields(checkout: Checkout, path: str, cls: str) -> dict[str, MetaField]:
    """The annotated fields of a class in a file, in order; empty if there is no such class."""
    reading = read(checkout, path)
    node = next((n for n in classes(reading.tree) if n.name == cls), None) if reading else None
    return {f.name: f for f in _fields(node, reading)} if node and reading else {}


def field_reads(checkout: Checkout, obj: str, *folders: str) -> list[FieldRead]:
    """The fields of `attn_metadata` or `moe_metadata` that the files under some folders read.

    Args:
        obj: the name that the object has there.
    """
    found = []
    for folder in folders:
        for reading in read_all(checkout, folder, obj.encode()):
            found += _reads(reading, obj)
    return sorted(found, key=lambda r: (r.path, r.line))


def field_stores(checkout: Checkout, obj: str, *folders: str) -> set[str]:
    """The fields of a metadata object that the files under some folders assign."""
    found = set()
    for folder in folders:
        for reading in read_all(checkout, folder, obj.encode()):
            for node in ast.walk(reading.tree):
                stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
                if stored and (dotted(node.value) or "").rpartition(".")[2] == obj:
                    found.add(node.attr)
    return found


def context_name(checkout: Checkout, kwarg: str) -> str | None:
    """The field of `StepContext` that models take a forward argument from in `prepare_inputs_for_generation`."""
    for reading in read_all(checkout, MODELS, b"prepare_inputs_for_generation", kwarg.encode()):
        for node in ast.walk(reading.tree):
            if isinstance(node, ast.FunctionDef) and node.name == "prepare_inputs_for_generation":
                name = _taken_from(node, kwarg)
                if name:
                    return name
    return None


def _taken_from(function: ast.FunctionDef, kwarg: str) -> str | None:
    sources = [k.value for n in ast.walk(function) if isinstance(n, ast.Call) for k in n.keywords if k.arg == kwarg]
    for source in sources:
        if isinstance(source, ast.Name):
            assigned = [
                n.value
                for n in ast.walk(function)
                if isinstance(n, ast.Assign) and [dotted(t) for t in n.targets] == [source.id]
            ]
            source = assigned[-1] if assigned else source
        name = _context_field(source)
        if name:
            return name
    return None


def _context_field(node: ast.expr) -> str | None:
    if isinstance(node, ast.Call) and dotted(node.func) == "getattr" and len(node.args) > 1:
        known = dotted(node.args[0]) == "context" and isinstance(node.args[1], ast.Constant)
        return str(node.args[1].value) if known else None
    head, _, field = (dotted(node) or "").rpartition(".")
    return field if head == "context" else None


def _with_bases(checkout: Checkout, path: str, cls: str) -> dict[str, MetaField]:
    reading = read(checkout, path)
    node = next((n for n in classes(reading.tree) if n.name == cls), None) if reading else None
    if node is None or reading is None:
        return {}
    found: dict[str, MetaField] = {}
    for base in node.bases:
        name = (dotted(base) or "").rpartition(".")[2]
        place = locate(checkout, f"{BACKENDS}/attention".replace("/", "."), name) if name else None
        if place and (place, name) != (path, cls):
            found |= _with_bases(checkout, place, name)
    return found | {f.name: f for f in _fields(node, reading)}


def _fields(node: ast.ClassDef, reading: Reading) -> Iterator[MetaField]:
    for one in node.body:
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            default = reading.text(one.value) if one.value is not None else None
            yield MetaField(one.target.id, reading.text(one.annotation), default, node.name, reading.path, one.lineno)


def _reads(reading: Reading, obj: str) -> Iterator[FieldRead]:
    for node in ast.walk(reading.tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            if (dotted(node.value) or "").rpartition(".")[2] == obj:
                yield FieldRead(node.attr, reading.repo, reading.path, node.lineno)
        elif isinstance(node, ast.Call) and dotted(node.func) == "getattr" and len(node.args) > 1:
            known = (dotted(node.args[0]) or "").rpartition(".")[2] == obj
            if known and isinstance(node.args[1], ast.Constant):
                yield FieldRead(str(node.args[1].value), reading.repo, reading.path, node.lineno, len(node.args) > 2)
