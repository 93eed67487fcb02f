"""Layer 3: the ops that dlinfer offers."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from generator.workspace.checkout import Checkout

from .calls import Call, calls_in
from .reading import Layer, Reading, read_all
from .signature import Function, Signature, signature_of
from .syntax import all_names, dotted, functions

_REGISTRY = "vendor_ops_registry"
# Parameters of dlinfer's `register_custom_op`, in order (dlinfer/graph/custom_op.py).
_PARAMS = ("qualname", "shape_param_keys", "default_value", "impl_abstract_func")


@dataclass(frozen=True)
class Op3:
    """One op at layer 3.

    Attributes:
        name: of the function.
        path: relative to the dlinfer checkout.
        line: of its `def`.
        signature: as written; defaults of a custom op are in `default_value`.
        form: `one` (one decorator), `two` (with `register_custom_op_default_value`, before October 2024) or `plain`.
        qualname: `dlinfer::<name>` as the decorator says it, or None.
        shape_keys: parameters whose shapes the results have.
        default_value: parameter to source of its default.
        abstract: name of the abstract function, or None.
        abstract_signature: of that function, if the file defines it.
        docstring: as `ast.get_docstring` cleans it, or None.
        in_all: False if the file has an `__all__` without it.
        forwards: the calls into the vendor registry; `callee` is the key.
    """

    name: str
    path: str
    line: int
    signature: Signature
    form: str = "plain"
    qualname: str | None = None
    shape_keys: tuple[str, ...] = ()
    default_value: dict[str, str] = field(default_factory=dict)
    abstract: str | None = None
    abstract_signature: Signature | None = None
    docstring: str | None = None
    in_all: bool = True
    forwards: tuple[Call, ...] = ()


def read_ops(checkout: Checkout, only: str | None = None) -> Layer[Op3]:
    """Read the ops of a dlinfer checkout, by name, in source order; one of them alone is read faster."""
    layer: Layer[Op3] = Layer()
    for reading in read_all(checkout, f"{checkout.package.name}/ops", _REGISTRY.encode()):
        layer.update((op.name, op) for op in ops_in(reading, only))
        layer.unreadable += reading.unreadable
    return layer


def ops_in(reading: Reading, only: str | None = None) -> list[Op3]:
    """The ops of one file: registered as custom ops, forwarding to the registry, or in `__all__`."""
    exported = all_names(reading.tree)
    defined = {f.name: f for f in functions(reading.tree)}
    ops = []
    for function in defined.values():
        if only not in (None, function.name):
            continue
        forwards = _forwards(function, reading)
        marks = {name: call for call in function.decorator_list if (name := _mark(call))}
        if forwards or "register_custom_op" in marks or function.name in (exported or ()):
            in_all = exported is None or function.name in exported
            ops.append(_op(function, reading, marks, defined, in_all, forwards))
    return ops


def _op(
    function: Function,
    reading: Reading,
    marks: dict[str, ast.Call],
    defined: dict[str, Function],
    in_all: bool,
    forwards: tuple[Call, ...],
) -> Op3:
    given = _arguments(marks["register_custom_op"]) if "register_custom_op" in marks else {}
    second = marks.get("register_custom_op_default_value")
    defaults = second.args[0] if second and second.args else given.get("default_value")
    abstract = dotted(given["impl_abstract_func"]) if "impl_abstract_func" in given else None
    return Op3(
        name=function.name,
        path=reading.path,
        line=function.lineno,
        signature=signature_of(function, reading.text),
        form="two" if second else "one" if given else "plain",
        qualname=next(iter(_strings(given.get("qualname"))), None),
        shape_keys=_strings(given.get("shape_param_keys")),
        default_value=_texts(defaults, reading),
        abstract=abstract,
        abstract_signature=signature_of(defined[abstract], reading.text) if abstract in defined else None,
        docstring=ast.get_docstring(function),
        in_all=in_all,
        forwards=forwards,
    )


def _mark(decorator: ast.expr) -> str | None:
    """The last part of the name of a called decorator."""
    name = dotted(decorator.func) if isinstance(decorator, ast.Call) else None
    return name.rpartition(".")[2] if name else None


def _arguments(call: ast.Call) -> dict[str, ast.expr]:
    given = dict(zip(_PARAMS, call.args, strict=False))
    return given | {k.arg: k.value for k in call.keywords if k.arg}


def _strings(node: ast.expr | None) -> tuple[str, ...]:
    items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    return tuple(i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str))


def _texts(node: ast.expr | None, reading: Reading) -> dict[str, str]:
    if not isinstance(node, ast.Dict):
        return {}
    pairs = zip(node.keys, node.values, strict=True)
    return {k.value: reading.text(v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)}


def _forwards(function: Function, reading: Reading) -> tuple[Call, ...]:
    found = []
    for func, call in calls_in(function, reading):
        if isinstance(func, ast.Subscript) and (dotted(func.value) or "").rpartition(".")[2] == _REGISTRY:
            key = func.slice.value if isinstance(func.slice, ast.Constant) else reading.text(func.slice)
            found.append(Call(str(key), call.args, call.keywords, call.line))
    return tuple(found)
