"""For which vendors a patch of dlinfer's `lmdeploy_ext` is applied."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache

from generator.spec.vendor import VENDORS

from .reading import Reading
from .syntax import dotted


def vendors_of(reading: Reading, function: str | None) -> tuple[str, ...]:
    """The vendors for which a function of a file is called, by the `if` on the vendor's name around the call.

    A file that is called like a vendor (`device/camb.py`, `quants/ascend_awq.py`) is that vendor's. Empty where nothing
    says a vendor: then it is all of them.
    """
    stem = reading.path.rpartition("/")[2].removesuffix(".py").partition("_")[0]
    if stem in VENDORS:
        return (stem,)
    named = [vendor for call, vendors in _calls_of(reading.tree) if call == function for vendor in vendors]
    return tuple(v for v in VENDORS if v in named)


@lru_cache(16)
def _calls_of(tree: ast.Module) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """As `_calls`, once for all patches of a file."""
    return tuple(_calls(tree))


def _calls(tree: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The functions called in statements, each with the vendors that the conditions around it name."""
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while waiting:
        node, vendors = waiting.pop()
        if isinstance(node, ast.Call) and (name := dotted(node.func)):
            yield name, vendors
        if isinstance(node, ast.If):
            inner = _named(node.test) or vendors
            waiting += [(child, inner) for child in node.body] + [(child, vendors) for child in node.orelse]
        else:
            waiting += [(child, vendors) for child in ast.iter_child_nodes(node)]


def _named(test: ast.expr) -> tuple[str, ...]:
    constants = [n.value for n in ast.walk(test) if isinstance(n, ast.Constant)]
    return tuple(v for v in VENDORS if v in constants)
