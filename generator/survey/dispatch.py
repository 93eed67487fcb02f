"""Which builder a backend of lmdeploy has for an `OpType`, and which `OpType` members there are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from generator.workspace.checkout import Checkout

from .imports import Import, absolute, imports_in
from .locate import locate
from .reading import Layer, Reading, read
from .syntax import classes, dotted, methods

BACKENDS = "lmdeploy/pytorch/backends"
DISPATCHER = "get_layer_impl_builder"


@dataclass(frozen=True)
class Branch:
    """One branch of a dispatcher.

    Attributes:
        op_type: member of `OpType`.
        line: of its `if` or `elif`.
        module: absolute dotted module that the builder is imported from, or None.
        builder: name of the class that it returns, or None where it returns something else.
        file: path of the file that defines the class, relative to the checkout, or None where none was found.
    """

    op_type: str
    line: int
    module: str | None
    builder: str | None
    file: str | None


@dataclass(frozen=True)
class OpTypeMember:
    """One member of `OpType`.

    Attributes:
        name: of the member.
        line: 1-based.
        group: text of the comment line that heads its group, or None.
    """

    name: str
    line: int
    group: str | None


def dispatcher_path(backend: str) -> str:
    """Where the dispatcher of a backend (`dlinfer`, `default`, `cuda`) is, relative to the checkout."""
    return f"{BACKENDS}/{backend}/op_backend.py"


def read_dispatcher(checkout: Checkout, backend: str) -> Layer[Branch]:
    """Read the dispatcher of a backend, by `OpType` member, in source order; empty where the backend is not there."""
    reading = read(checkout, dispatcher_path(backend))
    if reading is None:
        return Layer()
    layer: Layer[Branch] = Layer(unreadable=reading.unreadable)
    top = imports_in([reading.tree], reading)
    for line, members, body in _branches(reading.tree):
        module, builder = _returned(body, top, reading)
        file = locate(checkout, module, builder) if module and builder else None
        for member in members:
            layer.setdefault(member, Branch(member, line, module, builder, file))
    return layer


def read_op_types(checkout: Checkout) -> Layer[OpTypeMember]:
    """Read the members of `OpType` in `backends/base.py`, in source order."""
    reading = read(checkout, f"{BACKENDS}/base.py")
    if reading is None:
        return Layer()
    members = next((_members(c, reading) for c in classes(reading.tree) if c.name == "OpType"), [])
    return Layer({m.name: m for m in members}, reading.unreadable)


def _members(enum: ast.ClassDef, reading: Reading) -> list[OpTypeMember]:
    names = {n.lineno: t.id for n in enum.body if isinstance(n, ast.Assign) for t in n.targets if _is_name(t)}
    found, group = [], None
    for number in range(enum.lineno + 1, (enum.end_lineno or enum.lineno) + 1):
        text = reading.lines[number - 1].decode().strip()
        if not text:
            group = None
        elif text.startswith("#"):
            group = text.lstrip("# ").rstrip()
        elif number in names:
            found.append(OpTypeMember(names[number], number, group))
    return found


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _branches(tree: ast.Module) -> Iterator[tuple[int, list[str], list[ast.stmt]]]:
    """Line, `OpType` members and body of every branch in the dispatcher method."""
    for function in (f for c in classes(tree) for f in methods(c) if f.name == DISPATCHER):
        for node in ast.walk(function):
            if isinstance(node, ast.If) and (members := _op_types(node.test)):
                yield node.lineno, members, node.body


def _op_types(test: ast.expr) -> list[str]:
    names = [dotted(n) or "" for n in ast.walk(test) if isinstance(n, ast.Attribute)]
    return [name.removeprefix("OpType.") for name in names if name.startswith("OpType.")]


def _returned(body: list[ast.stmt], top: dict[str, Import], reading: Reading) -> tuple[str | None, str | None]:
    """Module and name of the class that a branch returns."""
    lazy = {
        a.asname or a.name: (absolute(node, reading), a.name)
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.ImportFrom)
        for a in node.names
    }
    returned = [n.value for statement in body for n in ast.walk(statement) if isinstance(n, ast.Return)]
    name = dotted(returned[0]) if returned and returned[0] is not None else None
    if name in lazy:
        return lazy[name]
    if name in top:
        return top[name].module, top[name].name
    return (reading.module if name else None), name
