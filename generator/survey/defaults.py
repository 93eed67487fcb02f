"""Defaults that say something else than they look like."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .reading import Reading
from .signature import signature_of

_TYPES = frozenset("bool int float str list dict tuple set bytes complex object".split())
_WRITTEN = re.compile(rb"=\s*(?:" + "|".join(sorted(_TYPES)).encode() + rb")\s*[,)]")


@dataclass(frozen=True)
class TypeDefault:
    """A parameter whose default is a type: function, parameter, annotation, default, line of the `def`."""

    function: str
    param: str
    annotation: str
    default: str
    line: int


def type_defaults(reading: Reading) -> Iterator[TypeDefault]:
    """The parameters of a file whose default is a builtin type, although their annotation is no type of types."""
    for node in ast.walk(reading.tree) if _WRITTEN.search(reading.data) else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            defaults = (*node.args.defaults, *filter(None, node.args.kw_defaults))
            if not any(isinstance(d, ast.Name) and d.id in _TYPES for d in defaults):
                continue
            for param in signature_of(node, reading.text).params:
                if param.default in _TYPES and param.annotation and "type" not in param.annotation.lower():
                    yield TypeDefault(node.name, param.name, param.annotation, param.default, node.lineno)
