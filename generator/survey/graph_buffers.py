"""The graph files of dlinfer: which buffers each vendor makes, fills and hands on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from generator.workspace.checkout import Checkout

from .calls import single_locals
from .graph_make import read_make
from .graph_records import (
    BATCH,
    OTHER,
    TOKEN,
    Fill,
    GraphBuffer,
    GraphFile,
    GraphFunction,
    Hand,
    Make,
    MetaCall,
    Scalar,
)
from .imports import imports_in
from .reading import Reading, read
from .signature import Function, signature_of
from .syntax import dotted, top_level

FOLDER = "dlinfer/framework/lmdeploy_ext/cudagraph"
LMDEPLOY_MIXIN = "lmdeploy/pytorch/models/utils/cudagraph.py"
# The ends of the names of the three methods: dlinfer prefixes them with the vendor's mixin.
ROLES = {
    "make": "make_buffers_cudagraph",
    "fill": "fill_buffers_cudagraph",
    "update": "update_context_cudagraph",
}
_BUFFERS = "input_buffers"
_PADS = {"zero_": "0", "random_": "random"}
_OWNERS = {"attn_metadata": "attn_metadata", "moe_metadata": "moe_metadata", "context": "step_context"}
_NAMES = {
    **dict.fromkeys(("max_batches", "max_batchs", "batch_size", "new_batch_size"), BATCH),
    **dict.fromkeys(("max_tokens", "num_tokens", "max_num_tokens", "new_num_tokens"), TOKEN),
}


def graph_path(vendor: str) -> str:
    """The graph file of a vendor, relative to the dlinfer checkout."""
    return f"{FOLDER}/{vendor}_cudagraph.py"


def read_graph_file(checkout: Checkout, path: str) -> GraphFile | None:
    """Read a graph file; None if there is none. A file that does not parse has no functions.

    Args:
        checkout: dlinfer with `graph_path(vendor)`, or lmdeploy with `LMDEPLOY_MIXIN`.
    """
    reading = read(checkout, path)
    return graph_file_of(reading) if reading else None


def graph_file_of(reading: Reading) -> GraphFile:
    """Read what an open graph file says."""
    found = dict(_functions(reading.tree.body, ""))
    parts: dict[str, dict[str, list]] = {}
    scalars: list[Scalar] = []
    for role, (_, function) in sorted(found.items(), key=lambda item: list(ROLES).index(item[0])):
        for name, part in _parts(function, role, reading):
            if isinstance(part, Scalar):
                scalars.append(part)
            else:
                parts.setdefault(name, {}).setdefault(_slot(part, role), []).append(part)
    buffers = [GraphBuffer(name, **{k: tuple(v) for k, v in rows.items()}) for name, rows in parts.items()]
    return GraphFile(
        repo=reading.repo,
        path=reading.path,
        functions={role: _function(scope, node, reading) for role, (scope, node) in found.items()},
        buffers={b.name: b for b in sorted(buffers, key=lambda b: b.line)},
        scalars=tuple(scalars),
        imports={name: i.target for name, i in imports_in(top_level(reading.tree.body), reading).items()},
        meta_calls=tuple(_meta_calls(reading.tree.body, "")),
    )


def dimension_of(node: ast.AST, locals_: dict[str, ast.expr]) -> str:
    """What a size or an index counts, by the names in it; a local that is bound once stands for its value."""
    found = set()
    for inner in ast.walk(node):
        name = inner.attr if isinstance(inner, ast.Attribute) else inner.id if isinstance(inner, ast.Name) else ""
        if name in _NAMES:
            found.add(_NAMES[name])
        elif isinstance(inner, ast.Name) and inner.id in locals_ and locals_[inner.id] is not node:
            rest = {k: v for k, v in locals_.items() if k != inner.id}
            found.add(dimension_of(locals_[inner.id], rest))
    found.discard(OTHER)
    return found.pop() if len(found) == 1 else OTHER


def _functions(body: list[ast.stmt], scope: str) -> Iterator[tuple[str, tuple[str, Function]]]:
    """Role to dotted name and node; methods of a mixin class count as well."""
    for node in top_level(body):
        if isinstance(node, ast.ClassDef):
            yield from _functions(node.body, f"{scope}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            for role, end in ROLES.items():
                if node.name.endswith(end):
                    yield role, (scope + node.name, node)


def _function(scope: str, node: Function, reading: Reading) -> GraphFunction:
    params = signature_of(node).names
    bound = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    openings = tuple(reading.lines[s.lineno - 1].decode().strip() for s in node.body)
    return GraphFunction(scope, node.lineno, params, frozenset({*params, *bound}), openings)


def _slot(part: Make | Fill | Hand, role: str) -> str:
    if isinstance(part, Hand):
        return "updates" if role == "update" else "hands"
    return "makes" if isinstance(part, Make) else "fills"


def _parts(function: Function, role: str, reading: Reading) -> Iterator[tuple[str, Make | Fill | Hand | Scalar]]:
    locals_ = single_locals(function)
    for node, condition in _statements(function.body, "", reading):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                yield from _assigned(target, node, locals_, condition, role, reading)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from _called(node.value, locals_, condition, reading)


def _statements(body: list[ast.stmt], condition: str, reading: Reading) -> Iterator[tuple[ast.stmt, str]]:
    """The statements of a body in order, each with the tests of the `if`s around it."""
    for node in body:
        yield node, condition
        if isinstance(node, ast.If):
            test = reading.text(node.test)
            yield from _statements(node.body, _joined(condition, test), reading)
            yield from _statements(node.orelse, _joined(condition, f"not ({test})"), reading)
        elif isinstance(node, ast.With | ast.For | ast.Try):
            yield from _statements(node.body, condition, reading)


def _joined(outer: str, inner: str) -> str:
    return f"{outer} and {inner}" if outer else inner


def _key(node: ast.AST) -> str | None:
    """`x` for `input_buffers["x"]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    name = (dotted(node.value) or "").rpartition(".")[2]
    return node.slice.value if name == _BUFFERS and isinstance(node.slice.value, str) else None


def _buffer(node: ast.AST) -> tuple[str, ast.expr | None] | None:
    """The key and the index of `input_buffers["x"]` or `input_buffers["x"][index]`."""
    if (key := _key(node)) is not None:
        return key, None
    if isinstance(node, ast.Subscript) and (key := _key(node.value)) is not None:
        return key, node.slice
    return None


def _assigned(
    target: ast.expr,
    node: ast.Assign | ast.AnnAssign,
    locals_: dict[str, ast.expr],
    condition: str,
    role: str,
    reading: Reading,
) -> Iterator[tuple[str, Make | Fill | Hand | Scalar]]:
    value, into = node.value, _buffer(target)
    if into and into[1] is None:
        yield into[0], read_make(node, locals_, condition, reading, dimension_of)
    elif into:
        yield into[0], _fill(node.lineno, value, into[1], locals_, condition, reading)
    elif owner := _owner(target):
        handed = [(b, n) for n in ast.walk(value) if (b := _buffer(n))]
        if handed:
            (key, index), _ = handed[0]
            yield key, Hand(node.lineno, *owner, _text(index, reading), condition)
        elif role == "fill" and owner[0] != "kwarg":
            yield owner[1], Scalar(node.lineno, dotted(target) or "", reading.text(value))


def _owner(target: ast.expr) -> tuple[str, str] | None:
    """Owner and field that an assignment's target means."""
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
        return ("kwarg", str(target.slice.value)) if dotted(target.value) == "new_inputs" else None
    name = dotted(target) or ""
    head, _, field = name.rpartition(".")
    owner = _OWNERS.get(head.rpartition(".")[2])
    return (owner, field) if owner else None


def _called(
    call: ast.Call, locals_: dict[str, ast.expr], condition: str, reading: Reading
) -> Iterator[tuple[str, Fill]]:
    if not isinstance(call.func, ast.Attribute) or not call.func.attr.endswith("_"):
        return
    into = _buffer(call.func.value)
    if into is None:
        return
    key, index = into
    method = call.func.attr
    if method in _PADS:
        dimension = dimension_of(index, locals_) if index is not None else OTHER
        yield key, Fill(call.lineno, "pad", _PADS[method], _text(index, reading), dimension, condition)
    elif call.args:
        fill = _fill(call.lineno, call.args[0], index, locals_, condition, reading)
        yield key, Fill(fill.line, "pad", *_rest(fill)) if method == "fill_" else fill


def _rest(fill: Fill) -> tuple[str, str, str, str]:
    return fill.text, fill.index, fill.dimension, fill.condition


def _fill(
    line: int,
    value: ast.expr,
    index: ast.expr | None,
    locals_: dict[str, ast.expr],
    condition: str,
    reading: Reading,
) -> Fill:
    bare = value.operand if isinstance(value, ast.UnaryOp) else value
    kind = "pad" if isinstance(bare, ast.Constant) else "copy"
    dimension = dimension_of(index, locals_) if index is not None else OTHER
    return Fill(line, kind, reading.text(value), _text(index, reading), dimension, condition)


def _text(node: ast.expr | None, reading: Reading) -> str:
    return reading.text(node) if node is not None else ""


def _meta_calls(body: list[ast.stmt], scope: str) -> Iterator[MetaCall]:
    for node in top_level(body):
        if isinstance(node, ast.ClassDef):
            yield from _meta_calls(node.body, f"{scope}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and dotted(call.func) == "CudaGraphMeta":
                    yield MetaCall(scope + node.name, call.lineno, tuple(k.arg for k in call.keywords if k.arg))
