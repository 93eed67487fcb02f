"""OP015: a name that is registered twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from generator.spec.vendor import VENDORS
from generator.survey.layers import Layers
from generator.survey.reading import read_all
from generator.survey.vendor_layer import Op4, vendor_ops_in

from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_F = "@register_ops(vendor_ops_registry)\ndef f(x):\n    pass\n"


@register
class Twice(Rule):
    """The registry of a vendor is a dict: of two functions that are registered under one name the later one wins, and
    the other is dead code that somebody keeps repairing. Two ops under one `dlinfer::` name stop the import, where
    graphs are on.
    """

    id = "OP015"
    title = "nothing is registered twice"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/", "dlinfer:dlinfer/vendor/")
    VALID = (Case("once", {_CAMB: _F}), Case("once for each vendor", {_CAMB: _F, _CAMB.replace("camb", "maca"): _F}))
    INVALID = (
        Case("in one file", {_CAMB: _F + _F}, ("warning dlinfer/vendor/camb/camb_ops.py:5",)),
        Case(
            "one qualified name",
            {
                _OPS: '@register_custom_op("dlinfer::f", ["x"])\ndef f(x):\n    vendor_ops_registry["f"](x)\n\n\n'
                '@register_custom_op("dlinfer::f", ["x"])\ndef g(x):\n    vendor_ops_registry["g"](x)\n'
            },
            ("error dlinfer/ops/llm.py:7",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for vendor in picture.vendors:
            seen: dict[str, Op4] = {}
            for reading in read_all(picture.dlinfer, VENDORS[vendor].folder, b"register_ops"):
                for op in vendor_ops_in(reading, VENDORS[vendor]):
                    if op.name in seen:
                        yield self._again(op, seen[op.name])
                    seen[op.name] = op
        named = Counter(op.qualname for op in picture.ops.values() if op.qualname)
        first: set[str] = set()
        for op in picture.ops.values():
            if op.qualname in first and named[op.qualname] > 1:
                message = f"a second op is called `{op.qualname}`: torch refuses it"
                place = Place("dlinfer", op.path, op.line)
                yield self.finding(place, op.name, message, f'write "dlinfer::{op.name}"', op=op.name)
            first.add(op.qualname or "")

    def _again(self, op: Op4, before: Op4) -> Finding:
        message = f"{op.vendor} registers `{op.name}` twice; the last one that is imported wins"
        other = Place("dlinfer", before.path, before.line)
        more = {"severity": WARNING, "other": other, "vendors": (op.vendor,), "op": op.name}
        return self.finding(Place("dlinfer", op.path, op.line), op.name, message, "remove one of both", **more)
