"""The lists of vendors that decide which files of `lmdeploy_ext` are loaded."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .patches import ROOT
from .reading import Reading
from .shelf import Shelf
from .syntax import dotted

_MODULE = re.compile(rb"import_module\(\s*f[\"']\.\{\w+\}(\w*)[\"']")


@dataclass(frozen=True)
class VendorList:
    """One list.

    Attributes:
        name: the variable.
        path: relative to the dlinfer checkout.
        line: 1-based.
        listed: the names in it.
        suffix: what follows the vendor in the name of the file that is loaded.
        having: the vendors and other names that have such a file.
    """

    name: str
    path: str
    line: int
    listed: tuple[str, ...]
    suffix: str
    having: frozenset[str]

    def file(self, vendor: str) -> str:
        """The file that is loaded for a vendor."""
        return f"{vendor}{self.suffix}.py"


def read_vendor_lists(dlinfer: Shelf) -> Iterator[VendorList]:
    """The lists in the `__init__.py` files below `lmdeploy_ext` that import a module by the vendor's name."""
    for reading in dlinfer.having(ROOT, b"import_module"):
        match = _MODULE.search(reading.data)
        if match and reading.is_package:
            yield from _lists(reading, match[1].decode(), dlinfer)


def _lists(reading: Reading, suffix: str, dlinfer: Shelf) -> Iterator[VendorList]:
    folder = reading.path.rpartition("/")[0]
    names = [p.rpartition("/")[2].removesuffix(".py") for p in dlinfer.list(folder, deep=False)]
    having = frozenset(n.removesuffix(suffix) for n in names if n.endswith(suffix) and n != "__init__")
    for node in reading.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List | ast.Tuple):
            name = dotted(node.targets[0]) or ""
            values = [e.value for e in node.value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
            if name.endswith("vendor") and values:
                yield VendorList(name, reading.path, node.lineno, tuple(values), suffix, having)
