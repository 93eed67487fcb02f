"""OP002: what a dispatcher can reach, every vendor has."""

from __future__ import annotations

from collections.abc import Iterator

from generator.spec.vendor import VENDORS
from generator.survey.layers import Layers
from generator.survey.ops_layer import Op3

from .finding import ERROR, NOTE, WARNING, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_ASCEND = "dlinfer:dlinfer/vendor/ascend/torch_npu_ops.py"
_MACA = "dlinfer:dlinfer/vendor/maca/maca_ops.py"
_F = "@register_ops(vendor_ops_registry)\ndef f(x):\n    {}\n"
_OP = 'def f(x):\n    return vendor_ops_registry["f"](x)\n'
_ABOVE = {
    "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/f.py": "import dlinfer.ops as o\n\n\ndef f(x):\n    return o.f(x)\n",
    "lmdeploy:lmdeploy/pytorch/backends/dlinfer/f.py": "from lmdeploy.pytorch.kernels.dlinfer.f import f\n\n\n"
    "class FImpl:\n    def forward(self, x):\n        return f(x)\n\n\n"
    "class FBuilder:\n    @staticmethod\n    def build():\n        return FImpl()\n",
    "lmdeploy:lmdeploy/pytorch/backends/dlinfer/op_backend.py": "class B:\n    @classmethod\n"
    "    def get_layer_impl_builder(cls, t):\n        if t == OpType.F:\n            from .f import FBuilder\n"
    "            return FBuilder\n",
}


@register
class Missing(Rule):
    """The dispatcher of lmdeploy is shared by all vendors: it returns the dlinfer builder whether the vendor has the op
    or not, and the first call raises KeyError on the device.

    An op is reached if a branch of the dispatcher leads to it: builder, Impl, kernel wrapper, op. A vendor that lacks
    such an op is an error; one that registers a stub for it, a warning. Where no branch leads (ops of
    `transformers_ext`, ops that only a retired graph path used) both are notes.
    """

    id = "OP002"
    title = "every op that a dispatcher reaches is registered by every vendor"
    reads = (
        "dlinfer:dlinfer/ops/",
        "dlinfer:dlinfer/vendor/",
        "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/",
        "lmdeploy:lmdeploy/pytorch/backends/dlinfer/",
    )
    VALID = (Case("both vendors", {_OPS: _OP, _ASCEND: _F.format("pass"), _MACA: _F.format("pass"), **_ABOVE}),)
    INVALID = (
        Case(
            "reached and missing",
            {_OPS: _OP, _ASCEND: _F.format("pass"), _MACA: "__all__ = []\n", **_ABOVE},
            ("error dlinfer/vendor/maca/maca_ops.py:1",),
            ("OpType.F", "KeyError"),
        ),
        Case(
            "a stub that is reached",
            {_OPS: _OP, _ASCEND: _F.format("raise NotImplementedError"), **_ABOVE},
            ("warning dlinfer/vendor/ascend/torch_npu_ops.py:2",),
        ),
        Case(
            "nobody reaches it",
            {_OPS: _OP, _ASCEND: _F.format("raise NotImplementedError"), _MACA: "import torch\n"},
            ("note dlinfer/vendor/ascend/torch_npu_ops.py:2", "note dlinfer/vendor/maca/maca_ops.py:1"),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for op in picture.ops.values():
            if not op.forwards:
                continue
            op_types = picture.reached.get(op.name, ())
            for vendor, ops in picture.vendors.items():
                if op.name not in ops:
                    yield self._missing(op, vendor, op_types)
                elif ops[op.name].is_stub:
                    yield self._stub(op, ops[op.name].path, ops[op.name].line, vendor, op_types)

    def _missing(self, op: Op3, vendor: str, op_types: tuple[str, ...]) -> Finding:
        path = VENDORS[vendor].ops_file
        message = f"{vendor} does not register `{op.name}`"
        if op_types:
            message += f", and {_types(op_types)} reaches it: KeyError('{op.name}') at the first call"
        else:
            message += "; no dispatcher reaches it"
        next = f"scaffold op {op.name} --vendor {vendor}"
        severity = ERROR if op_types else NOTE
        return self._finding(op, Place("dlinfer", path), message, next, vendor, severity)

    def _stub(self, op: Op3, path: str, line: int, vendor: str, op_types: tuple[str, ...]) -> Finding:
        message = f"`{op.name}` of {vendor} only raises NotImplementedError"
        message += f", and {_types(op_types)} reaches it" if op_types else "; no dispatcher reaches it"
        next = f"write its body in {path}, or undo it and give its native call with --native"
        return self._finding(op, Place("dlinfer", path, line), message, next, vendor, WARNING if op_types else NOTE)

    def _finding(self, op: Op3, place: Place, message: str, next: str, vendor: str, severity: str) -> Finding:
        other = Place("dlinfer", op.path, op.line)
        more = {"other": other, "there": f"{op.name}{op.signature}", "vendors": (vendor,), "op": op.name}
        return self.finding(place, op.name, message, next, severity=severity, **more)


def _types(op_types: tuple[str, ...]) -> str:
    return ", ".join(f"OpType.{name}" for name in op_types)
