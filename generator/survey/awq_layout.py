"""The layout of quantised weights that dlinfer's patched layers assume: shapes over the layer's sizes, and dtypes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.workspace.checkout import Checkout

from .calls import single_locals
from .graph_make import read_make
from .graph_records import OTHER
from .patches import QUANTS
from .reading import Reading, read_all
from .signature import Function
from .syntax import dotted, functions

TENSORS = ("qweight", "scales", "qzeros")
_CREATES = "create_weights"
_OPS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}


@dataclass(frozen=True)
class Assumed:
    """What a patched layer makes of one tensor.

    Attributes:
        name: `qweight`, `scales` or `qzeros`.
        dims: source of each dimension over `in_features`, `out_features`, `group_size` and `w_bit`.
        dtype: of torch, or None where it is the model's.
        path, line: the place in dlinfer.
    """

    name: str
    dims: tuple[str, ...]
    dtype: str | None
    path: str
    line: int

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...] | None:
        """The shape for a layer's sizes; None where it cannot be told."""
        found = [_value(ast.parse(text, mode="eval").body, sizes) for text in self.dims]
        return None if None in found else tuple(n for n in found if n is not None)


def assumed_layout(checkout: Checkout, vendor: str) -> dict[str, Assumed]:
    """Read what the `create_weights` of a vendor's patched layers allocates; empty where it has none."""
    for reading in read_all(checkout, QUANTS, _CREATES.encode()):
        if reading.path.endswith(f"/{vendor}_awq.py"):
            for function in functions(reading.tree):
                if function.name.endswith(_CREATES):
                    return _layout(function, reading)
    return {}


def _layout(function: Function, reading: Reading) -> dict[str, Assumed]:
    locals_ = single_locals(function) | _unpacked(function)
    params = {a.arg for a in function.args.args}
    found = {}
    for name, value, line in _allocations(function):
        node = ast.Assign([ast.Name(name, ast.Store())], value, lineno=line)
        make = read_make(node, locals_, "", reading, lambda *_: OTHER)
        dims = tuple(ast.unparse(_resolved(ast.parse(text, mode="eval").body, locals_)) for text in make.size)
        dtype = None if make.dtype in params else make.dtype
        found[name] = Assumed(name, dims, dtype, reading.path, line)
    return found


def _allocations(function: Function) -> Iterator[tuple[str, ast.expr, int]]:
    """Name, value and line of what is assigned to a tensor's name or registered under it, also in a loop."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id in TENSORS:
                yield node.targets[0].id, node.value, node.lineno
        elif isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("register_buffer"):
            for name in _names(node.args[0], function) if len(node.args) > 1 else ():
                if name in TENSORS:
                    yield name, node.args[1], node.lineno


def _names(node: ast.expr, function: Function) -> list[str]:
    """The names that the first argument of `register_buffer` stands for."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    loops = [n for n in ast.walk(function) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)]
    own = [n.iter for n in loops if isinstance(node, ast.Name) and n.target.id == node.id]
    elements = [e for it in own if isinstance(it, ast.Tuple | ast.List) for e in it.elts]
    return [str(e.value) for e in elements if isinstance(e, ast.Constant)]


def _unpacked(function: Function) -> dict[str, ast.expr]:
    """The locals that `a, b = x, y` binds."""
    found: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if not isinstance(node, ast.Assign):
            continue
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            found |= {t.id: v for t, v in zip(target.elts, value.elts, strict=False) if isinstance(t, ast.Name)}
    return found


def _resolved(node: ast.expr, locals_: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with its locals written out."""
    if isinstance(node, ast.Name) and node.id in locals_:
        return _resolved(locals_[node.id], {k: v for k, v in locals_.items() if k != node.id})
    if isinstance(node, ast.BinOp):
        return ast.BinOp(_resolved(node.left, locals_), node.op, _resolved(node.right, locals_))
    return node


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return sizes.get(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPS:
        left, right = _value(node.left, sizes), _value(node.right, sizes)
        if left is None or right is None or (right == 0 and isinstance(node.op, ast.FloorDiv)):
            return None
        return _OPS[type(node.op)](left, right)
    return None
