"""C001: metadata fields that are read and never built."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.field_reads import ReadField, read_fields
from generator.survey.layers import Layers

from .finding import ERROR, WARNING, Finding, Place
from .rule import Case, Rule, register

_META = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/attention.py"
_BASE = "lmdeploy:lmdeploy/pytorch/backends/attention.py"
_MODEL = "lmdeploy:lmdeploy/pytorch/models/m.py"
_CUDA = "lmdeploy:lmdeploy/pytorch/backends/cuda/attention/default.py"
_CAMB = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/camb/op_backend.py"
_CLASS = "class DlinferAttentionMetadata:\n    a: int = 1\n    b: Tensor | None = None\n"
_BUILD = "class B:\n    def update_step_context(cls, c):\n        m = attn_meta_cls(a=1)\n"


def _model(text: str) -> str:
    return f"def forward(self, attn_metadata):\n    return {text}\n"


@register
class Fields(Rule):
    """Models, `nn` modules and Impl classes read fields of the step's metadata. On a dlinfer device that object is
    `DlinferAttentionMetadata`, and a field that neither it nor its base class declares raises AttributeError: an
    error, or a warning where another backend's metadata declares it (the path is that backend's alone until somebody
    takes it).

    A field that is declared with None and that a vendor never passes stays None there: a warning where the field is
    used without a test (an attribute, an index or a method of it). Reads by `getattr` with a default are let pass.
    """

    id = "C001"
    title = "every metadata field that is read is declared, and built where it is needed"
    needs = ("lmdeploy",)
    reads = ("lmdeploy:lmdeploy/pytorch/",)
    VALID = (
        Case("declared and built", {_META: _CLASS, _CAMB: _BUILD, _MODEL: _model("attn_metadata.a")}),
        Case("a default is given", {_META: _CLASS, _MODEL: _model("getattr(attn_metadata, 'z', None)")}),
        Case("a method", {_META: _CLASS + "    def f(self):\n        pass\n", _MODEL: _model("attn_metadata.f()")}),
        Case(
            "set before it is read",
            {_META: _CLASS, _MODEL: "def f(attn_metadata):\n    attn_metadata.z = 1\n    g(attn_metadata.z)\n"},
        ),
        Case("only tested", {_META: _CLASS, _CAMB: _BUILD, _MODEL: _model("attn_metadata.b is not None")}),
    )
    INVALID = (
        Case(
            "declared nowhere",
            {_META: _CLASS, _MODEL: _model("attn_metadata.z")},
            ("error lmdeploy/pytorch/models/m.py:2",),
        ),
        Case(
            "declared by another backend",
            {_META: _CLASS, _CUDA: "class M:\n    z: int = 1\n", _MODEL: _model("attn_metadata.z")},
            ("warning lmdeploy/pytorch/models/m.py:2",),
        ),
        Case(
            "never passed",
            {_META: _CLASS, _CAMB: _BUILD, _MODEL: _model("attn_metadata.b.device")},
            ("warning lmdeploy/pytorch/models/m.py:2",),
            ("camb",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        if picture.lmdeploy is None:
            return
        for one in read_fields(picture):
            if not one.declared:
                yield self._undeclared(one)
            elif one.never_passed:
                yield self._never_passed(one)

    def _undeclared(self, one: ReadField) -> Finding:
        message = f"`{one.object}.{one.field}` is declared nowhere for dlinfer's devices: AttributeError"
        next = f"scaffold context-field {one.field} --vendor ascend, or guard the read with getattr"
        more = {"severity": ERROR}
        if one.elsewhere:
            repo, path, line = one.elsewhere
            message += f"; {path} has it for another backend"
            more = {"severity": WARNING, "other": Place(repo, path, line)}
        return self.finding(Place("lmdeploy", one.path, one.line), one.field, message, next, **more)

    def _never_passed(self, one: ReadField) -> Finding:
        vendors = ", ".join(one.never_passed)
        message = f"`{one.object}.{one.field}` is used here, and stays None on {vendors}, which never pass it"
        next = f"scaffold context-field {one.field} --vendor {one.never_passed[0]}"
        other = Place("lmdeploy", *one.declared)
        more = {"severity": WARNING, "other": other, "vendors": one.never_passed}
        return self.finding(Place("lmdeploy", one.path, one.line), one.field, message, next, **more)
