"""G001: make, fill and update of a graph buffer agree."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.graph_records import GraphBuffer, GraphFile
from generator.survey.layers import Layers

from .finding import ERROR, WARNING, Finding, Place
from .graph_case import PATH, PLAIN_FILL, PLAIN_HAND, PLAIN_MAKE, graph_file
from .rule import Case, Rule, register

# What a buffer is made of says whether its contents are right for every step.
_CONSTANT = ("arange", None)


@register
class Triad(Rule):
    """A captured graph reads fixed addresses. Each tensor that changes from step to step therefore has a buffer that is
    made once, filled before every replay, and handed to the model in the place of the runtime tensor.

    Reported: a buffer that is filled or handed on and made nowhere (KeyError); one that is filled and handed to
    nobody, so that the graph keeps the tensor of the capture. As warnings: one that is handed on and never filled
    although it is made of zeros or ones (an `arange` or a mask is right as it is made), a buffer that nobody fills or
    hands on, and one that the step context does not get although the step context, or another vendor's update, has a
    field of its name. A buffer that the fill makes itself when it first needs it (`inputs_embeds`) counts as made.
    """

    id = "G001"
    title = "make, fill and update of a graph buffer agree"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/", "lmdeploy:lmdeploy/pytorch/models/utils/cudagraph.py")
    VALID = (
        Case("all three", {PATH: graph_file()}),
        Case(
            "made when first needed",
            {
                PATH: graph_file(
                    fill=f'if "a" not in input_buffers:\n    {PLAIN_MAKE}\n{PLAIN_FILL}\n{PLAIN_HAND}', make="pass"
                )
            },
        ),
        Case(
            "a constant",
            {
                PATH: graph_file(
                    make='input_buffers["a"] = torch.arange(max_batches, device=device)', fill=PLAIN_HAND, update="pass"
                )
            },
        ),
    )
    INVALID = (
        Case("made nowhere", {PATH: graph_file(make="pass")}, (f"error {PATH.partition(':')[2]}:14",)),
        Case(
            "handed to nobody",
            {PATH: graph_file(fill=PLAIN_FILL, update="pass")},
            (f"error {PATH.partition(':')[2]}:5",),
        ),
        Case("never filled", {PATH: graph_file(fill=PLAIN_HAND)}, (f"warning {PATH.partition(':')[2]}:5",)),
        Case("never used", {PATH: graph_file(fill="pass", update="pass")}, (f"warning {PATH.partition(':')[2]}:5",)),
        Case(
            "the step context keeps the old tensor",
            {
                PATH: graph_file(update="pass"),
                PATH.replace("camb_", "maca_"): graph_file(),
            },
            (f"warning {PATH.partition(':')[2]}:5",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        graphs = picture.graphs
        wanted = graphs.updated | graphs.context
        for vendor, file in graphs.vendors.items():
            for buffer in file.buffers.values():
                said = _said(buffer, wanted if "update" in file.functions else frozenset())
                if said:
                    yield self._finding(vendor, file, buffer, *said)

    def _finding(
        self, vendor: str, file: GraphFile, buffer: GraphBuffer, severity: str, said: str, next: str
    ) -> Finding:
        place = Place("dlinfer", file.path, buffer.line)
        message = f"the buffer `{buffer.name}` of {vendor} {said}"
        return self.finding(place, buffer.name, message, next, severity=severity, vendors=(vendor,))


def _said(buffer: GraphBuffer, wanted: frozenset[str]) -> tuple[str, str, str] | None:
    name = buffer.name
    copied = any(fill.kind == "copy" for fill in buffer.fills)
    handed = bool(buffer.hands or buffer.updates)
    if not buffer.makes:
        used = buffer.fills or buffer.hands or buffer.updates
        return (ERROR, "is made nowhere: KeyError", "make it in make_buffers_cudagraph") if used else None
    if not copied and not handed:
        return WARNING, "is made and never used", "fill it and hand it on, or remove it"
    if copied and not buffer.hands:
        said = "is filled and handed to nobody: the graph keeps the tensor of its capture"
        return ERROR, said, f'hand input_buffers["{name}"] on in fill_buffers_cudagraph'
    if not copied and not any(make.value in _CONSTANT for make in buffer.makes):
        return WARNING, "is handed on and never filled: it stays as it was made", "fill it in fill_buffers_cudagraph"
    fields = {hand.field for hand in buffer.hands if hand.owner == "attn_metadata"}
    if copied and fields and not buffer.updates and name in wanted:
        said = "is not given to the step context, which keeps the runtime tensor"
        return WARNING, said, f'add `context.{name} = input_buffers["{name}"]` to update_context_cudagraph'
    return None
