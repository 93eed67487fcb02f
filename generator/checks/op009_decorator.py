"""OP009: a vendor's function that is not registered."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from generator.spec.vendor import VENDORS
from generator.survey.layers import Layers
from generator.survey.strings import strings_with_code
from generator.survey.syntax import functions

from .finding import Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_OP = 'def f(x):\n    return vendor_ops_registry["f"](x)\n'
_DONE = "@register_ops(vendor_ops_registry)\ndef f(x):\n    pass\n"


@register
class Decorator(Rule):
    """A vendor's function is registered by the decorator above it. One that is called like an op and has none, because
    it was forgotten or because a string literal swallowed it, does not exist on the device.

    Text in string literals is never taken for code: an old copy of a function that is kept in one, beside the live
    function, is not reported.
    """

    id = "OP009"
    title = "a vendor's function that is called like an op is registered"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/", "dlinfer:dlinfer/vendor/")
    VALID = (
        Case("registered", {_OPS: _OP, _CAMB: _DONE}),
        Case("an old copy in a string beside it", {_OPS: _OP, _CAMB: f'"""\n{_DONE}"""\n{_DONE}'}),
        Case("a helper of another name", {_OPS: _OP, _CAMB: _DONE + "def g(x):\n    pass\n"}),
    )
    INVALID = (
        Case("forgotten", {_OPS: _OP, _CAMB: "def f(x):\n    pass\n"}, ("error dlinfer/vendor/camb/camb_ops.py:1",)),
        Case(
            "the decorator is inside a string",
            {_OPS: _OP, _CAMB: "'''\n@register_ops(vendor_ops_registry)\n'''\ndef f(x):\n    pass\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:4",),
            ("string literal",),
        ),
        Case(
            "the whole function is inside a string",
            {_OPS: _OP, _CAMB: f'import torch\n\n"""\n{_DONE}"""\n'},
            ("error dlinfer/vendor/camb/camb_ops.py:3",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for vendor, registered in picture.vendors.items():
            missing = [name for name, op in picture.ops.items() if op.forwards and name not in registered]
            for path in picture.dlinfer.list(VENDORS[vendor].folder) if missing else ():
                reading = picture.dlinfer.open(path)
                if reading and b"register_ops" in reading.data or path == VENDORS[vendor].ops_file:
                    yield from self._in(reading.tree, path, vendor, set(missing))

    def _in(self, tree: ast.Module, path: str, vendor: str, missing: set[str]) -> Iterator[Finding]:
        ghosts = strings_with_code(tree, "register_ops")
        for function in functions(tree):
            if function.name in missing:
                missing.discard(function.name)
                above = [line for line, end, _ in ghosts if end == function.lineno - 1]
                why = "its decorator is inside a string literal" if above else "it has no `register_ops`"
                yield self._finding(path, function.lineno, function.name, vendor, why)
        for line, _, names in ghosts:
            for name in missing & names:
                yield self._finding(path, line, name, vendor, "it stands inside a string literal")

    def _finding(self, path: str, line: int, name: str, vendor: str, why: str) -> Finding:
        message = f"`{name}` of {vendor} is not registered: {why}"
        next = "put `@register_ops(vendor_ops_registry)` right above the function"
        return self.finding(Place("dlinfer", path, line), name, message, next, vendors=(vendor,), op=name)
