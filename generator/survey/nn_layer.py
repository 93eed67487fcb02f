"""The `nn` modules of lmdeploy, which ask the backend for an `OpType`."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from generator.workspace.checkout import Checkout

from .impls import Method, base_names, method_of
from .imports import imports_in
from .reading import Layer, Reading, read, read_all
from .signature import Signature, signature_of
from .syntax import classes, dotted, functions, methods

FOLDER = "lmdeploy/pytorch/nn"


@dataclass(frozen=True)
class NnItem:
    """One class or function of `nn/`.

    Attributes:
        name: of the class or function.
        path: relative to the lmdeploy checkout.
        line: of its definition.
        op_types: members of `OpType` that it asks for itself, in source order.
        exported: True if `nn/__init__.py` imports it.
        bases: of a class, as written.
        methods: of a class, by name.
        signature: of a function, else None.
    """

    name: str
    path: str
    line: int
    op_types: tuple[str, ...]
    exported: bool
    bases: tuple[str, ...] = ()
    methods: dict[str, Method] = field(default_factory=dict)
    signature: Signature | None = None


def read_nn(checkout: Checkout, *needles: bytes) -> Layer[NnItem]:
    """Read the classes and functions of `nn/` by name; only files that hold all of `needles` are parsed."""
    layer: Layer[NnItem] = Layer()
    exported = read_nn_exports(checkout)
    for reading in read_all(checkout, FOLDER, *needles):
        for item in nn_in(reading, exported):
            layer.setdefault(item.name, item)
        layer.unreadable += reading.unreadable
    return layer


def read_nn_exports(checkout: Checkout) -> frozenset[str]:
    """The names that `nn/__init__.py` imports."""
    reading = read(checkout, f"{FOLDER}/__init__.py")
    return frozenset(imports_in([reading.tree], reading)) if reading else frozenset()


def nn_in(reading: Reading, exported: frozenset[str]) -> list[NnItem]:
    """The classes and functions of one file."""
    items = [
        NnItem(
            name=node.name,
            path=reading.path,
            line=node.lineno,
            op_types=op_types_in(node),
            exported=node.name in exported,
            bases=base_names(node),
            methods={f.name: method_of(f, reading) for f in methods(node)},
        )
        for node in classes(reading.tree)
    ]
    items += [
        NnItem(
            name=node.name,
            path=reading.path,
            line=node.lineno,
            op_types=op_types_in(node),
            exported=node.name in exported,
            signature=signature_of(node, reading.text),
        )
        for node in functions(reading.tree)
    ]
    return sorted(items, key=lambda item: item.line)


def op_types_in(node: ast.AST) -> tuple[str, ...]:
    """The members of `OpType` that are mentioned under a node, each once."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and (dotted(n) or "").startswith("OpType.")]
    found.sort(key=lambda n: (n.lineno, n.col_offset))
    return tuple(dict.fromkeys((dotted(n) or "").removeprefix("OpType.") for n in found))
