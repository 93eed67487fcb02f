"""G002: a graph buffer counts the same thing when it is made and when it is filled."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.graph_records import OTHER
from generator.survey.layers import Layers

from .finding import Finding, Place
from .graph_case import PATH, PLAIN_HAND, graph_file
from .rule import Case, Rule, register


@register
class Dimension(Rule):
    """A buffer that is made for `max_batches` entries and filled up to `num_tokens` works as long as every sequence has
    one token. With vision models or speculative decoding the slice runs over its end, or half of it stays stale.

    What the size of the allocation and the index of the write count, sequences or tokens, is told by the names in them,
    through locals that are bound once. Only where both can be told and differ is it an error.
    """

    id = "G002"
    title = "a graph buffer is filled along the dimension that it is made for"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/framework/lmdeploy_ext/cudagraph/",)
    VALID = (
        Case("both by sequence", {PATH: graph_file()}),
        Case("the index does not say", {PATH: graph_file(fill=f'input_buffers["a"][:x.size(0)] = x\n{PLAIN_HAND}')}),
    )
    INVALID = (
        Case(
            "made by sequence, filled by token",
            {PATH: graph_file(fill=f'input_buffers["a"][:num_tokens] = x\n{PLAIN_HAND}')},
            (f"error {PATH.partition(':')[2]}:14",),
            ("max_batches", "num_tokens"),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for vendor, file in picture.graphs.vendors.items():
            for buffer in file.buffers.values():
                made = {make.dimension for make in buffer.makes} - {OTHER}
                for fill in buffer.fills:
                    if len(made) == 1 and fill.dimension != OTHER and fill.dimension not in made:
                        make = buffer.makes[0]
                        size = ", ".join(make.size)
                        message = f"`{buffer.name}` of {vendor} is made by {made.pop()} ({size})"
                        message += f" and filled by {fill.dimension} ([{fill.index}])"
                        next = "slice it by what it is made for, or make it as large as what is written"
                        place = Place("dlinfer", file.path, fill.line)
                        other = Place("dlinfer", file.path, make.line)
                        yield self.finding(place, buffer.name, message, next, other=other, vendors=(vendor,))
                        break
