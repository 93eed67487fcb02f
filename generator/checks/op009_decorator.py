"""OP009: a vendor's function that is not registered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from generator.spec.vendor import VENDORS
from generator.survey.layers import Layers
from generator.survey.signature import Param
from generator.survey.strings import strings_with_code
from generator.survey.syntax import functions

from .finding import Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_SIMPLE = re.compile(r"(?:(?:Optional|Sequence|List)\[)*(?:Tensor|int|float|bool|str|dtype)\]*|\w+_scale_type")
_OP = 'def f(x):\n    return vendor_ops_registry["f"](x)\n'
_DONE = "@register_ops(vendor_ops_registry)\ndef f(x):\n    pass\n"


@register
class Decorator(Rule):
    """A vendor's function is registered by the decorator above it. One that is called like an op and has none, because
    it was forgotten or because a string literal swallowed it, does not exist on the device.

    An op of layer 3 whose `register_custom_op` stands in a string literal right above it has lost its defaults and its
    graph mode. It is reported if all its parameters are of types that the decorator can take: upstream keeps the
    decorator of ops with other types in a string on purpose.

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
        Case(
            "an op's decorator, kept in a string for its types",
            {
                _OPS: "'''\n@register_custom_op(\"dlinfer::f\", [\"x\"])\n'''\n" + _OP.replace("x)", "x: Meta)", 1),
                _CAMB: _DONE,
            },
        ),
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
            "an op's decorator",
            {
                _OPS: "'''\n@register_custom_op(\"dlinfer::f\", [\"x\"])\n'''\n" + _OP.replace("x)", "x: Tensor)", 1),
                _CAMB: _DONE,
            },
            ("error dlinfer/ops/llm.py:4",),
        ),
        Case(
            "the whole function is inside a string",
            {_OPS: _OP, _CAMB: f'import torch\n\n"""\n{_DONE}"""\n'},
            ("error dlinfer/vendor/camb/camb_ops.py:3",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        yield from self._ops(picture)
        for vendor, registered in picture.vendors.items():
            missing = [name for name, op in picture.ops.items() if op.forwards and name not in registered]
            for path in picture.dlinfer.list(VENDORS[vendor].folder) if missing else ():
                reading = picture.dlinfer.open(path)
                if reading and b"register_ops" in reading.data or path == VENDORS[vendor].ops_file:
                    yield from self._in(reading.tree, path, vendor, set(missing))

    def _ops(self, picture: Layers) -> Iterator[Finding]:
        for op in picture.ops.values():
            if op.form != "plain" or not op.forwards or not all(_is_simple(p) for p in op.signature.params):
                continue
            for _, end, _ in strings_with_code(picture.dlinfer.open(op.path).tree, f"::{op.name}"):
                if op.line - 2 <= end < op.line:
                    message = f"the decorator of the op `{op.name}` is inside a string literal: its defaults are lost"
                    next = "take the quotes away"
                    yield self.finding(Place("dlinfer", op.path, op.line), op.name, message, next, op=op.name)

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


def _is_simple(param: Param) -> bool:
    """True for a parameter of a type that a custom op's schema has."""
    return param.default is None and _SIMPLE.fullmatch((param.annotation or "").replace("torch.", "")) is not None
