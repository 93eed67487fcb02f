"""G008: layer-4 code that waits for the device while a graph is captured."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.sync_points import SyncPoint, read_sync_points

from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_GRAPH = {
    "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/camb_cudagraph.py": (
        "def make_buffers_cudagraph(self, graph_meta):\n    pass\n"
    )
}
_F = "@register_ops(vendor_ops_registry)\ndef {}(x):\n    {}\n"
_ABOVE = {
    "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/f.py": "import dlinfer.ops as o\n\n\ndef f(x):\n"
    "    o.paged_prefill_attention(x)\n    return o.f(x)\n",
    "lmdeploy:lmdeploy/pytorch/backends/dlinfer/f.py": "from lmdeploy.pytorch.kernels.dlinfer.f import f\n\n\n"
    "class FImpl:\n    def forward(self, x):\n        return f(x)\n\n\n"
    "class FBuilder:\n    @staticmethod\n    def build():\n        return FImpl()\n",
    "lmdeploy:lmdeploy/pytorch/backends/dlinfer/op_backend.py": "class B:\n    @classmethod\n"
    "    def get_layer_impl_builder(cls, t):\n        if t == OpType.F:\n            from .f import FBuilder\n"
    "            return FBuilder\n",
    _OPS: 'def f(x):\n    return vendor_ops_registry["f"](x)\n\n\n'
    'def paged_prefill_attention(x):\n    return vendor_ops_registry["paged_prefill_attention"](x)\n',
}


@register
class HostSync(Rule):
    """While a graph is captured the host must not wait for the device: `.item()`, `.cpu()`, `.tolist()`, `.numpy()`
    and branches on the value of a tensor raise there, or freeze what they read. In eager mode they only cost time, so
    nobody sees them before graph mode is on.

    Looked at is what decoding reaches: the registered ops that a dispatcher reaches, but those for prefill alone, and
    what they call in the vendor's own package, in vendors that have a graph file. Code under a test of `capturing` is
    left alone.
    """

    id = "G008"
    title = "layer-4 code that decoding reaches does not wait for the device"
    severity = WARNING
    reads = ("dlinfer:dlinfer/vendor/", "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/")
    VALID = (
        Case("no wait", {**_GRAPH, **_ABOVE, _CAMB: _F.format("f", "return x.sum()")}),
        Case("prefill", {**_GRAPH, **_ABOVE, _CAMB: _F.format("paged_prefill_attention", "return x.item()")}),
        Case("no graphs", {**_ABOVE, _CAMB: _F.format("f", "return x.item()")}),
        Case(
            "not while capturing", {**_GRAPH, **_ABOVE, _CAMB: _F.format("f", "if not R.capturing:\n        x.item()")}
        ),
    )
    INVALID = (
        Case(
            "item",
            {**_GRAPH, **_ABOVE, _CAMB: _F.format("f", "return x.item()")},
            ("warning dlinfer/vendor/camb/camb_ops.py:3",),
        ),
        Case(
            "a branch on a tensor's value",
            {**_GRAPH, **_ABOVE, _CAMB: _F.format("f", "if (x > 0).any():\n        pass")},
            ("warning dlinfer/vendor/camb/camb_ops.py:3",),
        ),
        Case(
            "through a helper of another file",
            {
                **_GRAPH,
                **_ABOVE,
                _CAMB: "from .h import h\n\n\n" + _F.format("f", "return h(x)"),
                _CAMB.replace("camb_ops", "h"): "def h(x):\n    return x.cpu()\n",
            },
            ("warning dlinfer/vendor/camb/h.py:2",),
            ("`f`",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for vendor in picture.graphs.vendors:
            for one in read_sync_points(picture, vendor):
                yield self._finding(vendor, one)

    def _finding(self, vendor: str, one: SyncPoint) -> Finding:
        message = f"`{one.text}` waits for the device, and decoding reaches it through `{one.op}` of {vendor}"
        next = "keep the value on the device, compute it before the step, or leave it out while capturing"
        place = Place("dlinfer", one.path, one.line)
        return self.finding(place, one.text, message, next, vendors=(vendor,), op=one.op)
