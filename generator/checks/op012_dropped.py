"""OP012: a parameter that is accepted and dropped."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.ops_layer import Op3
from generator.survey.uses import unused_params
from generator.survey.vendor_layer import Op4

from .finding import ERROR, NOTE, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
# Values that change the result wherever they are given: to drop one is to compute something else.
_DECISIVE = ("bias", "residual", "weight", "gate", "scale", "offset", "zeros", "epsilon", "eps")


def _vendor(params: str, body: str) -> str:
    return f"@register_ops(vendor_ops_registry)\ndef f({params}):\n    {body}\n"


def _op(params: str, args: str) -> str:
    return f'def f({params}):\n    return vendor_ops_registry["f"]({args})\n'


@register
class Dropped(Rule):
    """A vendor's function takes a parameter and never reads it: what the caller passed has no effect, and nothing says
    so. Wrong output of an AWQ model was such a `bias`.

    An unread parameter that decides the result (bias, residual, weight, scale, …) is an error; any other is a note, as
    is one that layer 3 takes and does not forward: shared signatures hold more than each vendor needs. A name that is
    only asserted to be None counts as read.
    """

    id = "OP012"
    title = "what a vendor's function takes, it uses"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/", "dlinfer:dlinfer/vendor/")
    VALID = (
        Case("all used", {_OPS: _op("x, bias", "x, bias"), _CAMB: _vendor("x, bias", "return lib.f(x, bias=bias)")}),
        Case("a stub", {_OPS: _op("x, bias", "x, bias"), _CAMB: _vendor("x, bias", "raise NotImplementedError")}),
        Case("said to be unsupported", {_CAMB: _vendor("x, bias", "assert bias is None\n    return lib.f(x)")}),
    )
    INVALID = (
        Case(
            "a bias",
            {_OPS: _op("x, w, bias", "x, w, bias"), _CAMB: _vendor("x, w, bias", "return lib.f(x, w)")},
            ("error dlinfer/vendor/camb/camb_ops.py:2",),
            ("`bias`",),
        ),
        Case(
            "a hint",
            {_OPS: _op("x, dim", "x, dim"), _CAMB: _vendor("x, dim", "return lib.f(x)")},
            ("note dlinfer/vendor/camb/camb_ops.py:2",),
        ),
        Case("not forwarded", {_OPS: _op("x, size", "x")}, ("note dlinfer/ops/llm.py:2",), ("not forwarded",)),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for op in picture.ops.values():
            yield from self._not_forwarded(picture, op)
        for ops in picture.vendors.values():
            for op in ops.values():
                if not op.is_stub:
                    yield from self._unused(picture, op)

    def _not_forwarded(self, picture: Layers, op: Op3) -> Iterator[Finding]:
        if not op.forwards:
            return
        dropped = unused_params(picture.dlinfer, op.path, op.line)
        if dropped:
            names = ", ".join(f"`{name}`" for name in dropped)
            place = Place("dlinfer", op.path, op.forwards[0].line)
            message = f"{names} of the op {'is' if len(dropped) == 1 else 'are'} not forwarded to the vendor"
            next = "nothing, if no vendor needs it; else forward it and give it to every vendor"
            yield self.finding(place, op.name, message, next, severity=NOTE, op=op.name)

    def _unused(self, picture: Layers, op: Op4) -> Iterator[Finding]:
        unread = unused_params(picture.dlinfer, op.path, op.line)
        decisive = [name for name in unread if name in _DECISIVE]
        for names, severity in ((decisive, ERROR), ([n for n in unread if n not in decisive], NOTE)):
            if names:
                said = ", ".join(f"`{name}`" for name in names)
                message = (
                    f"`{op.name}` of {op.vendor} takes {said} and never reads {'it' if len(names) == 1 else 'them'}"
                )
                next = f"use it, or refuse it: `assert {names[0]} is None`"
                more = {"severity": severity, "vendors": (op.vendor,), "op": op.name}
                yield self.finding(Place("dlinfer", op.path, op.line), op.name, message, next, **more)
