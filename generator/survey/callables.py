"""The signature with which a callable is called, where its definition and decorators tell."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache

from .bind import with_defaults
from .classes import is_open, lineage, method
from .ops_layer import Op3, ops_in
from .reading import Reading
from .scope import Callee, Class
from .signature import KEYWORD_ONLY, Function, Param, Signature, signature_of
from .syntax import decorator_names, dotted

# Decorators that leave a function's parameters as they are, by the last part of their names.
_TRANSPARENT = {
    *("staticmethod", "classmethod", "abstractmethod", "override", "final", "contextmanager", "asynccontextmanager"),
    *("lru_cache", "cache", "record_function", "no_grad", "inference_mode", "register_ops", "wraps"),
    *("register_custom_op", "register_custom_op_default_value", "ensure_divisibility"),
}
_KEPT = "_signature"
_CUSTOM = ("register_custom_op", "register_custom_op_default_value")


def signature_for(callee: Callee) -> Signature | None:
    """The signature as its caller sees it, or None where a decorator may have changed it."""
    signature = _plain_signature(callee.node, callee.scope.module.reading)
    return Signature(signature.params[1:], signature.returns) if signature and callee.bound else signature


def _plain_signature(node: Function, reading: Reading) -> Signature | None:
    """The same without regard to `self`; kept on the node, since one function is called from many places."""
    if _KEPT not in node.__dict__:
        node.__dict__[_KEPT] = _read_signature(node, reading)
    return node.__dict__[_KEPT]


def _read_signature(node: Function, reading: Reading) -> Signature | None:
    names = [name.rpartition(".")[2] for name in decorator_names(node)]
    if len(names) < len(node.decorator_list) or set(names) - _TRANSPARENT:
        return None
    signature = signature_of(node, reading.text)
    if any(name in _CUSTOM for name in names):
        op = _ops(reading).get(node.name)
        signature = with_defaults(signature, op.default_value) if op else signature
    return signature


@lru_cache(4)
def _ops(reading: Reading) -> dict[str, Op3]:
    return {op.name: op for op in ops_in(reading)}


def constructor(cls: Class) -> tuple[Callee | None, Signature] | None:
    """What is run when a class is called, and how: its `__init__`, or the fields of a dataclass; None if unknown."""
    if method(cls, "__new__"):
        return None
    init = method(cls, "__init__")
    if init and (init.owner.node is cls.node or not is_open(cls)):
        found = signature_for(init)
        return (init, found) if found else None
    if init is None and _is_dataclass(cls) and not is_open(cls):
        return None, _fields(cls)
    if init is None and not cls.node.bases and not cls.node.decorator_list and not cls.node.keywords:
        return None, Signature()
    return None


def _is_dataclass(cls: Class) -> bool:
    return any(name.rpartition(".")[2] == "dataclass" for name in decorator_names(cls.node))


def _fields(cls: Class) -> Signature:
    """The signature of a dataclass's `__init__`; a field of a base that is declared again keeps its place."""
    params: dict[str, Param] = {}
    for one in reversed(lineage(cls)):
        text = one.scope.module.reading.text
        for node in one.node.body:
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if param := _field(node, text):
                    params[param.name] = param
    return Signature(tuple(sorted(params.values(), key=lambda p: p.kind == KEYWORD_ONLY)))


def _field(node: ast.AnnAssign, text: Callable[[ast.AST], str]) -> Param | None:
    annotation = text(node.annotation)
    if "ClassVar" in annotation:
        return None
    default = text(node.value) if node.value is not None else None
    if isinstance(node.value, ast.Call) and (dotted(node.value.func) or "").rpartition(".")[2] == "field":
        given = {k.arg: text(k.value) for k in node.value.keywords}
        if given.get("init") == "False":
            return None
        default = given.get("default") or given.get("default_factory")
    return Param(node.target.id, annotation, default)
