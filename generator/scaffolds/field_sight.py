"""What the checkouts have of a field of a step's metadata: who declares it, fills it and reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from generator.errors import ScaffoldError
from generator.survey.bindings import module_names
from generator.survey.metadata import (
    ATTENTION,
    ATTENTION_CLASS,
    BACKENDS,
    MOE_CLASS,
    MOE_TYPES,
    FieldRead,
    MetaField,
    attention_fields,
    field_reads,
    field_stores,
    moe_fields,
    step_context_fields,
)
from generator.survey.step_update import StepUpdate, backend_path, read_step_update
from generator.workspace.checkout import Workspace

_IMPLS = f"{BACKENDS}/dlinfer"
_PATCHES = "dlinfer/framework/lmdeploy_ext/device"


@dataclass(frozen=True)
class Home:
    """The class that declares the fields of a metadata object.

    Attributes:
        repo, path, cls: where it is.
    """

    repo: str
    path: str
    cls: str


HOMES = {
    "attn": Home("lmdeploy", ATTENTION, ATTENTION_CLASS),
    "moe": Home("dlinfer", MOE_TYPES, MOE_CLASS),
    "step": Home("lmdeploy", "lmdeploy/pytorch/model_inputs.py", "StepContext"),
}


@dataclass(frozen=True)
class FieldSight:
    """The fields of one metadata object in one workspace.

    Attributes:
        workspace: with lmdeploy and dlinfer.
        metadata: `attn`, `moe` or `step`.
    """

    workspace: Workspace
    metadata: str

    @property
    def home(self) -> Home:
        """The class that declares them."""
        return HOMES[self.metadata]

    @cached_property
    def fields(self) -> dict[str, MetaField]:
        """All declared fields, by name, in order."""
        if self.metadata == "moe":
            return moe_fields(self.workspace["dlinfer"])
        read = attention_fields if self.metadata == "attn" else step_context_fields
        return read(self.workspace["lmdeploy"])

    @cached_property
    def home_names(self) -> set[str]:
        """The names that the declaring file binds."""
        return module_names(self.workspace[self.home.repo], self.home.path)

    def step(self, vendor: str) -> StepUpdate:
        """The vendor's `update_step_context`.

        Raises:
            ScaffoldError: the vendor has none, or builds no such metadata there.
        """
        path = backend_path(vendor)
        found = read_step_update(self.workspace["lmdeploy"], vendor)
        if found is None:
            raise ScaffoldError(
                f"{vendor} has no `update_step_context`", where=f"lmdeploy/{path}", next="check out a newer lmdeploy"
            )
        if self.metadata == "moe" and found.moe is None and not self.reads_moe(vendor):
            raise ScaffoldError(
                f"{vendor} sets no MoE metadata: update_step_context builds none, and no op of {vendor} reads one",
                where=f"lmdeploy/{path}:{found.line}",
                next=f"let the ops of {vendor} take moe_metadata first, as those of ascend do",
            )
        if self.metadata == "attn" and found.attn is None:
            where = f"lmdeploy/{path}:{found.line}"
            raise ScaffoldError(f"no call that builds the attention metadata is found for {vendor}", where=where)
        return found

    def reads_moe(self, vendor: str) -> bool:
        """True if the vendor's ops read fields of the MoE metadata, so that building it makes sense."""
        return bool(field_reads(self.workspace["dlinfer"], "moe_metadata", f"dlinfer/vendor/{vendor}"))

    def offers_moe_class(self) -> bool:
        """True if lmdeploy's dlinfer backend has the class under its own name."""
        return "DlinferMoeMetadata" in module_names(self.workspace["lmdeploy"], f"{_IMPLS}/moe.py")

    def filled(self, vendor: str) -> set[str]:
        """The fields that the vendor fills, positional arguments and later assignments included."""
        step = read_step_update(self.workspace["lmdeploy"], vendor)
        if step is None or self.metadata == "step":
            return set(step.sets) if step else set()
        call = step.constructor(self.metadata)
        if call is None:
            return set()
        stored = field_stores(self.workspace["lmdeploy"], f"{self.metadata}_metadata", _IMPLS)
        return {*call.keywords, *list(self.fields)[: len(call.args)], *stored}

    def offered(self, vendor: str) -> dict[str, FieldRead]:
        """The fields that an Impl or a patch reads and the vendor does not fill, with the first such place."""
        if self.metadata == "step":
            return {}
        obj = f"{self.metadata}_metadata"
        reads = field_reads(self.workspace["lmdeploy"], obj, _IMPLS)
        folders = (f"dlinfer/vendor/{vendor}", *([_PATCHES] if vendor == "ascend" else []))
        reads += field_reads(self.workspace["dlinfer"], obj, *folders)
        filled = self.filled(vendor)
        return {r.field: r for r in reversed(reads) if r.field not in filled}
