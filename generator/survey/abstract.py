"""The abstract functions of layer 3, and what they make on the default device."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from .reading import Reading
from .shelf import Shelf
from .signature import Function, Signature, signature_of
from .syntax import dotted, functions

_FACTORIES = {f"torch.{name}" for name in "empty zeros ones full rand randn arange tensor".split()}


@dataclass(frozen=True)
class AbstractUse:
    """One function that may be an abstract function.

    Attributes:
        line: of its `def`.
        signature: as written.
        on_default_device: line and source of each allocation that names no device.
    """

    line: int
    signature: Signature
    on_default_device: tuple[tuple[int, str], ...]


def read_abstract(dlinfer: Shelf) -> dict[tuple[str, str], AbstractUse]:
    """The functions of `dlinfer/ops`, by path and name."""
    readings = [r for p in dlinfer.list(f"{dlinfer.package.name}/ops") if (r := dlinfer.open(p))]
    return {(r.path, f.name): _use(f, r) for r in readings for f in functions(r.tree)}


def _use(function: Function, reading: Reading) -> AbstractUse:
    calls = [n for n in ast.walk(function) if isinstance(n, ast.Call) and dotted(n.func) in _FACTORIES]
    bare = [(n.lineno, reading.text(n)) for n in calls if all(k.arg not in ("device", None) for k in n.keywords)]
    return AbstractUse(function.lineno, signature_of(function, reading.text), tuple(bare))
