"""G005: a Python value that a captured graph freezes."""

from __future__ import annotations

from collections.abc import Iterator

from generator.spec.vendor import VENDORS
from generator.survey.layers import Layers
from generator.survey.metadata import attention_fields
from generator.survey.step_context import Passed, read_passed

from .finding import WARNING, Finding, Place
from .graph_case import PATH, graph_file
from .rule import Case, Rule, register

_META = {
    "lmdeploy:lmdeploy/pytorch/backends/dlinfer/attention.py": "@dataclass\nclass DlinferAttentionMetadata:\n"
    "    max_len: int = 1\n"
}
_BACKEND = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/camb/op_backend.py"


def _backend(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return (
        f"class CambOpsBackend:\n    def update_step_context(cls, step_context):\n"
        f"{body}        m = attn_meta_cls(max_len=max_len)\n"
    )


@register
class Scalar(Rule):
    """A captured graph keeps the Python values of its capture. A metadata field that is an int and is computed from
    the step (`torch.max(kv_seqlens).item()`) is right in the first replay only.

    Reported where a vendor with a graph file passes such a value for decoding too, and its fill does not put a constant
    in its place (`attn_metadata.max_kv_seq_len = -1`); and where the fill itself puts a value that it computes.
    """

    id = "G005"
    title = "no Python value of one step is captured"
    severity = WARNING
    reads = (
        "dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/",
        "lmdeploy:lmdeploy/pytorch/backends/dlinfer/",
    )
    VALID = (
        Case(
            "a constant in its place",
            {
                **_META,
                PATH: graph_file(fill="attn_metadata.max_len = -1", update="pass", make="pass"),
                _BACKEND: _backend("max_len = torch.max(x).item()"),
            },
        ),
        Case(
            "a constant when decoding",
            {
                **_META,
                PATH: graph_file(),
                _BACKEND: _backend(
                    "if step_context.is_decoding:", "    max_len = 1", "else:", "    max_len = torch.max(x).item()"
                ),
            },
        ),
    )
    INVALID = (
        Case(
            "computed from the step",
            {**_META, PATH: graph_file(), _BACKEND: _backend("max_len = torch.max(x).item()")},
            ("warning lmdeploy/pytorch/backends/dlinfer/camb/op_backend.py:3",),
        ),
        Case(
            "computed in the fill",
            {PATH: graph_file(fill="attn_metadata.max_len = x.max().item()", make="pass", update="pass")},
            (f"warning {PATH.partition(':')[2]}:14",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        fields = attention_fields(picture.lmdeploy) if picture.lmdeploy else {}
        for vendor, file in picture.graphs.vendors.items():
            settled = {scalar.target.rpartition(".")[2] for scalar in file.scalars}
            for scalar in file.scalars:
                if any(word in scalar.text for word in (".item(", ".max(", ".tolist(")):
                    place = Place("dlinfer", file.path, scalar.line)
                    yield self._finding(place, vendor, scalar.target.rpartition(".")[2], scalar.text, None)
            for passed in read_passed(picture.lmdeploy, VENDORS[vendor].name) if picture.lmdeploy else ():
                field = fields.get(passed.field)
                if field and field.is_python and passed.per_step and passed.field not in settled:
                    other = Place("dlinfer", file.path, file.functions["make"].line)
                    yield self._passed(passed, vendor, other)

    def _passed(self, passed: Passed, vendor: str, other: Place) -> Finding:
        place = Place("lmdeploy", passed.path, passed.per_step)
        return self._finding(place, vendor, passed.field, passed.text, other)

    def _finding(self, place: Place, vendor: str, field: str, text: str, other: Place | None) -> Finding:
        message = f"`{field}` is a Python value of one step ({text}), which a graph of {vendor} freezes at its capture"
        next = f"set attn_metadata.{field} to a constant in fill_buffers_cudagraph that the kernel takes for unknown"
        return self.finding(place, field, message, next, other=other, vendors=(vendor,))
