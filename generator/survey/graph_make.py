"""One allocation of a graph buffer: its size, dtype and initial value, as far as its text says."""

from __future__ import annotations

import ast
from collections.abc import Callable

from .graph_records import OTHER, Make
from .reading import Reading
from .syntax import dotted

_FACTORIES = ("zeros", "ones", "full", "arange", "empty", "rand", "randint", "randn", "tensor", "new_zeros", "new_ones")
_VALUES = {"zeros": "0", "ones": "1", "new_zeros": "0", "new_ones": "1", "empty": "empty", "arange": "arange"}

Dimension = Callable[[ast.AST, dict[str, ast.expr]], str]


def read_make(
    node: ast.Assign | ast.AnnAssign,
    locals_: dict[str, ast.expr],
    condition: str,
    reading: Reading,
    dimension_of: Dimension,
) -> Make:
    """Read `input_buffers["x"] = <allocation>`; a local that is bound once stands for its value."""
    value = node.value
    if isinstance(value, ast.Name):
        value = locals_.get(value.id, value)
    call = _factory(value)
    text = reading.text(value)
    if call is None:
        return Make(node.lineno, text, "", (), OTHER, None, None, False, condition)
    kind = call.func.attr.removesuffix("_like")
    sizes = _sizes(call, kind, locals_)
    keywords = _keywords(call, locals_)
    dims = [d for size in sizes if (d := dimension_of(size, locals_)) != OTHER]
    return Make(
        line=node.lineno,
        text=text,
        factory=dotted(call.func) or kind,
        size=_size_texts(call, sizes, kind, reading),
        dimension=dims[0] if dims else OTHER,
        dtype=_dtype(keywords.get("dtype")),
        value=_value(value, call, kind, reading),
        on_host="device" not in keywords and not kind.startswith("new_"),
        condition=condition,
    )


def _factory(value: ast.expr) -> ast.Call | None:
    """The call that allocates, wherever it stands in the expression: `-torch.ones(…)`, `torch.triu(torch.ones(…))`."""
    calls = [n for n in ast.walk(value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    return next((c for c in calls if c.func.attr.removesuffix("_like") in _FACTORIES), None)


def _keywords(call: ast.Call, locals_: dict[str, ast.expr]) -> dict[str, ast.expr]:
    """The keyword arguments, those of an unpacked local `dict(…)` included."""
    found: dict[str, ast.expr] = {}
    for keyword in call.keywords:
        value = keyword.value
        if keyword.arg is not None:
            found[keyword.arg] = value
            continue
        inner = locals_.get(value.id) if isinstance(value, ast.Name) else value
        if isinstance(inner, ast.Call) and dotted(inner.func) == "dict":
            found |= {k.arg: k.value for k in inner.keywords if k.arg}
    return found


def _sizes(call: ast.Call, kind: str, locals_: dict[str, ast.expr]) -> list[ast.expr]:
    keyword = next((k.value for k in call.keywords if k.arg == "size"), None)
    if keyword is not None:
        return list(keyword.elts) if isinstance(keyword, ast.Tuple | ast.List) else [keyword]
    args = call.args
    if kind == "arange":
        return [args[1] if len(args) > 1 else args[0]] if args else []
    if kind == "randint":
        args = [a for a in args if isinstance(a, ast.Tuple | ast.List)]
    elif kind == "full":
        args = args[:1]
    only = args[0] if len(args) == 1 else None
    only = locals_.get(only.id, only) if isinstance(only, ast.Name) else only
    return list(only.elts) if isinstance(only, ast.Tuple | ast.List) else list(args)


def _size_texts(call: ast.Call, sizes: list[ast.expr], kind: str, reading: Reading) -> tuple[str, ...]:
    texts = tuple(map(reading.text, sizes))
    counts_from_one = kind == "arange" and len(call.args) > 1 and reading.text(call.args[0]) == "1"
    return tuple(text.removesuffix(" + 1") for text in texts) if counts_from_one else texts


def _dtype(node: ast.expr | None) -> str | None:
    return (dotted(node) or "").removeprefix("torch.") or None if node is not None else None


def _value(value: ast.expr, call: ast.Call, kind: str, reading: Reading) -> str | None:
    if kind == "full":
        fill = next((k.value for k in call.keywords if k.arg == "fill_value"), None)
        fill = call.args[1] if fill is None and len(call.args) > 1 else fill
        return reading.text(fill) if fill is not None else None
    if kind.startswith("rand"):
        return "random"
    base = _VALUES.get(kind)
    if value is call:
        return base
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) and value.operand is call and base:
        return f"-{base}" if base != "0" else base
    return None
