"""The graph files of all vendors, and lmdeploy's own mixin, side by side."""

from __future__ import annotations

import re
from dataclasses import dataclass

from generator.spec.vendor import VENDORS

from .graph_buffers import LMDEPLOY_MIXIN, graph_path, read_graph_file
from .graph_records import GraphBuffer, GraphFile
from .metadata import step_context_fields
from .shelf import Shelf

_FLAG = re.compile(r"graph_meta\.(\w+)")


@dataclass(frozen=True)
class Graphs:
    """What there is.

    Attributes:
        vendors: vendor to its graph file, those that have one with a `make`.
        mixin: lmdeploy's own, or None.
        context: names of the fields of `StepContext`.
    """

    vendors: dict[str, GraphFile]
    mixin: GraphFile | None
    context: frozenset[str]

    def flags(self, buffer: GraphBuffer) -> tuple[str, ...]:
        """The fields of `graph_meta` that the condition of a buffer's allocation reads."""
        return tuple(dict.fromkeys(_FLAG.findall(buffer.condition)))

    @property
    def updated(self) -> frozenset[str]:
        """The buffers that some file hands to the step context."""
        files = [*self.vendors.values(), *([self.mixin] if self.mixin else [])]
        return frozenset(b.name for f in files for b in f.buffers.values() if b.updates)


def read_graphs(dlinfer: Shelf | None, lmdeploy: Shelf | None) -> Graphs:
    """Read the graph files; a checkout that is missing has none."""
    found = {v: read_graph_file(dlinfer, graph_path(v)) for v in VENDORS} if dlinfer else {}
    vendors = {v: file for v, file in found.items() if file and "make" in file.functions}
    mixin = read_graph_file(lmdeploy, LMDEPLOY_MIXIN) if lmdeploy else None
    fields = frozenset(step_context_fields(lmdeploy)) if lmdeploy else frozenset()
    return Graphs(vendors, mixin, fields)
