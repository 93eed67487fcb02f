"""G003: a graph buffer of uninitialised memory."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers

from .finding import Finding, Place
from .graph_case import PATH, PLAIN_MAKE, graph_file
from .rule import Case, Rule, register


@register
class Empty(Rule):
    """`torch.empty` leaves whatever was in memory. Where a step fills less than the whole buffer the rest reaches the
    model: token ids that no vocabulary has, positions of another request.
    """

    id = "G003"
    title = "no graph buffer is made by torch.empty"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/",)
    VALID = (Case("zeros", {PATH: graph_file()}),)
    INVALID = (
        Case(
            "empty",
            {PATH: graph_file(make=PLAIN_MAKE.replace("zeros", "empty"))},
            (f"error {PATH.partition(':')[2]}:5",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for vendor, file in picture.graphs.vendors.items():
            for buffer in file.buffers.values():
                for make in buffer.makes:
                    if make.value == "empty":
                        message = (
                            f"the buffer `{buffer.name}` of {vendor} is made by {make.factory}: its padding is garbage"
                        )
                        next = f"write torch.zeros, or -torch.ones where `{buffer.name}` holds indices"
                        place = Place("dlinfer", file.path, make.line)
                        yield self.finding(place, buffer.name, message, next, vendors=(vendor,))
