"""What the checkouts have of a graph buffer: the vendors' graph files, and the fields of its owner."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from generator.errors import ScaffoldError
from generator.spec.vendor import VENDORS
from generator.survey.graph_buffers import LMDEPLOY_MIXIN, graph_path, read_graph_file
from generator.survey.graph_records import BATCH, TOKEN, GraphBuffer, GraphFile
from generator.survey.metadata import (
    MetaField,
    attention_fields,
    context_name,
    graph_meta_fields,
    moe_fields,
    step_context_fields,
)
from generator.survey.step_update import StepUpdate, read_step_update
from generator.workspace.checkout import Workspace

_ROLES = {"make": "make_buffers_cudagraph", "fill": "fill_buffers_cudagraph", "update": "update_context_cudagraph"}


@dataclass(frozen=True)
class Evidence:
    """A graph file that has a field already: where it is made, and what its size counts."""

    where: str
    dimension: str
    size: str


@dataclass(frozen=True)
class GraphSight:
    """One field in one workspace.

    Attributes:
        workspace: with lmdeploy and dlinfer.
        name: of the field.
    """

    workspace: Workspace
    name: str

    @cached_property
    def files(self) -> dict[str, GraphFile]:
        """The graph files of the vendors that have one."""
        found = {v: read_graph_file(self.workspace["dlinfer"], graph_path(v)) for v in VENDORS}
        return {v: f for v, f in found.items() if f is not None}

    @cached_property
    def mixin(self) -> GraphFile | None:
        """lmdeploy's own mixin, which the vendors' replace."""
        return read_graph_file(self.workspace["lmdeploy"], LMDEPLOY_MIXIN)

    def file(self, vendor: str) -> GraphFile:
        """The graph file of a vendor.

        Raises:
            ScaffoldError: there is none, or one of the three methods is missing.
        """
        path = graph_path(vendor)
        if vendor not in self.files:
            next = "check out a newer dlinfer: since 2025-01-10 for maca, 2025-01-14 for camb, 2025-10-24 for ascend"
            raise ScaffoldError(f"dlinfer has no graph file of {vendor}", where=f"dlinfer/{path}", next=next)
        found = self.files[vendor]
        for role, name in _ROLES.items():
            if role not in found.functions:
                raise ScaffoldError(
                    f"no function `…{name}` is found", where=f"dlinfer/{path}", next="it may have been renamed upstream"
                )
        return found

    def buffer(self, vendor: str) -> GraphBuffer | None:
        """The buffer as a vendor's file has it, or None."""
        file = self.files.get(vendor)
        return file.buffers.get(self.name) if file else None

    @cached_property
    def meta_fields(self) -> dict[str, MetaField]:
        """The fields of CudaGraphMeta."""
        return graph_meta_fields(self.workspace["lmdeploy"])

    def owner_field(self, owner: str) -> MetaField | None:
        """The field as its owner declares it, or None; a forward argument is declared nowhere."""
        return self.owner_fields(owner).get(self.name)

    def evidence(self, but: str) -> list[Evidence]:
        """The files, other than a vendor's own, that make the buffer by batch or by token."""
        files = [(f"{f.repo}/{f.path}", f) for v, f in self.files.items() if v != but]
        files += [(f"{self.mixin.repo}/{self.mixin.path}", self.mixin)] if self.mixin else []
        makes = [(path, make) for path, f in files if self.name in f.buffers for make in f.buffers[self.name].makes]
        return [
            Evidence(f"{path}:{make.line}", make.dimension, ", ".join(make.size))
            for path, make in makes
            if make.dimension in (BATCH, TOKEN)
        ]

    @cached_property
    def context_name(self) -> str:
        """What StepContext calls a forward argument: as a graph file or a model says it, else the same."""
        files = [*self.files.values(), *([self.mixin] if self.mixin else [])]
        updates = [h for f in files if self.name in f.buffers for h in f.buffers[self.name].updates]
        named = next((h.field for h in updates if h.owner == "step_context"), None)
        return named or context_name(self.workspace["lmdeploy"], self.name) or self.name

    def step(self, vendor: str) -> StepUpdate | None:
        """The vendor's `update_step_context`."""
        return read_step_update(self.workspace["lmdeploy"], vendor)

    def owner_fields(self, owner: str) -> dict[str, MetaField]:
        """The fields that an owner's class declares, in order; none for a forward argument."""
        if owner == "attn_metadata":
            return attention_fields(self.workspace["lmdeploy"])
        if owner == "moe_metadata":
            return moe_fields(self.workspace["dlinfer"])
        return step_context_fields(self.workspace["lmdeploy"]) if owner == "step_context" else {}
