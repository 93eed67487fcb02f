"""G006: what lmdeploy's graph methods handle, and a vendor's replacement does not."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.graph_records import GraphBuffer, GraphFile
from generator.survey.layers import Layers

from .finding import NOTE, WARNING, Finding, Place
from .graph_case import MIXIN, PATH, graph_file
from .rule import Case, Rule, register

_HAND = 'if graph_meta.use_x:\n    input_buffers["x"][:n] = kwargs["x"]\n    new_inputs["x"] = input_buffers["x"]'
_MAKE = 'if graph_meta.use_x:\n    input_buffers["x"] = torch.zeros(3, max_tokens, dtype=torch.int64, device=device)'
_LMDEPLOY = "class CudaGraphMixin:\n" + "".join(
    f"    {line}\n" for line in graph_file(make=_MAKE, fill=_HAND, update="pass").splitlines()
)


@register
class Parity(Rule):
    """A vendor's graph methods replace lmdeploy's whole. What lmdeploy adds to its own later, a buffer for an argument
    of the model's forward that depends on a flag (`use_mrope`, `is_ssm`), a vendor that does not follow lacks: the
    runtime tensor is passed through, and the graph keeps the one of its capture. The output is wrong, and nothing says
    so.

    As notes, a table of the buffers that other vendors have.
    """

    id = "G006"
    title = "a vendor's graph methods have the buffers that lmdeploy's have"
    severity = WARNING
    reads = ("dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/", "lmdeploy:lmdeploy/pytorch/models/utils/cudagraph.py")
    VALID = (
        Case("the same", {PATH: graph_file(make=_MAKE, fill=_HAND, update="pass"), MIXIN: _LMDEPLOY}),
        Case("no graph file", {MIXIN: _LMDEPLOY}),
    )
    INVALID = (
        Case(
            "an argument of forward",
            {PATH: graph_file(), MIXIN: _LMDEPLOY},
            (f"warning {PATH.partition(':')[2]}:1",),
            ("use_x",),
        ),
        Case(
            "another vendor has it",
            {
                PATH: graph_file(make="pass", fill="pass", update="pass"),
                PATH.replace("camb_", "maca_"): graph_file(),
            },
            (f"note {PATH.partition(':')[2]}:1",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        graphs = picture.graphs
        wanted = graphs.mixin.buffers.values() if graphs.mixin else ()
        arguments = [b for b in wanted if b.owner == "kwarg" and graphs.flags(b)]
        for vendor, file in graphs.vendors.items():
            lacking = {b.name for b in arguments if b.name not in file.buffers}
            for buffer in arguments:
                if buffer.name in lacking:
                    yield self._argument(vendor, file, buffer, graphs.flags(buffer))
            others = {
                name: [v for v, f in graphs.vendors.items() if name in f.buffers and v != vendor]
                for f in graphs.vendors.values()
                for name, b in f.buffers.items()
                if b.makes
            }
            missing = {name: has for name, has in others.items() if name not in file.buffers and name not in lacking}
            if missing:
                yield self._table(vendor, file, missing)

    def _argument(self, vendor: str, file: GraphFile, buffer: GraphBuffer, flags: tuple[str, ...]) -> Finding:
        message = f"{vendor} has no graph buffer `{buffer.name}`, which lmdeploy makes if graph_meta.{flags[0]}"
        message += ": the graph keeps the tensor of its capture, and the output is silently wrong"
        next = f"scaffold graph-buffer {buffer.name} --vendor {vendor} --owner kwarg"
        place = Place("dlinfer", file.path, file.functions["make"].line)
        other = Place("lmdeploy", MIXIN.partition(":")[2], buffer.line)
        return self.finding(place, buffer.name, message, next, other=other, vendors=(vendor,))

    def _table(self, vendor: str, file: GraphFile, missing: dict[str, list[str]]) -> Finding:
        said = ", ".join(f"`{name}` ({', '.join(has)})" for name, has in sorted(missing.items()))
        place = Place("dlinfer", file.path, file.functions["make"].line)
        message = f"other vendors have graph buffers that {vendor} does not have: {said}"
        next = "nothing, if the vendor's kernels do not need them"
        return self.finding(place, vendor, message, next, severity=NOTE, vendors=(vendor,))
