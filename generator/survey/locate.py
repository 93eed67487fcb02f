"""Find the file that defines a name, through packages that only pass it on."""

from __future__ import annotations

from generator.workspace.checkout import Checkout

from .imports import imports_in
from .reading import Reading, read
from .syntax import classes, functions

_HOPS = 5


def module_file(checkout: Checkout, module: str) -> Reading | None:
    """The file of an absolute dotted module in a checkout: `a/b.py` or `a/b/__init__.py`; None if there is none."""
    path = module.replace(".", "/")
    return read(checkout, f"{path}.py") or read(checkout, f"{path}/__init__.py")


def locate(checkout: Checkout, module: str, name: str) -> str | None:
    """The path of the file that defines a class or function `name` which `module` offers, or None."""
    for _ in range(_HOPS):
        reading = module_file(checkout, module)
        if reading is None:
            return None
        if any(n.name == name for n in (*classes(reading.tree), *functions(reading.tree))):
            return reading.path
        passed_on = imports_in([reading.tree], reading).get(name)
        if passed_on is None or passed_on.name is None:
            return None
        module, name = passed_on.module, passed_on.name
    return None
