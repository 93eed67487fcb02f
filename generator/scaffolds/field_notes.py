"""What somebody who adds a context field must know beside the files."""

from __future__ import annotations

from generator.plan.builder import PlanBuilder
from generator.survey.metadata import MetaField

from .field_request import FieldRequest
from .field_sight import FieldSight


def note_declared(builder: PlanBuilder, request: FieldRequest, sight: FieldSight, ours: bool) -> None:
    """Say that the field is declared already, with the type that it has."""
    declared = sight.fields.get(request.name)
    if declared is not None and not ours:
        text = f"`{declared.cls}.{request.name}` is declared already, as {declared.annotation}: its type stays"
        builder.note("note", text, where=f"{sight.home.repo}/{declared.path}:{declared.line}")
    if declared is None and sight.metadata == "step":
        builder.note(
            "note",
            f"`StepContext` declares no field `{request.name}`: it becomes an attribute, as moe_metadata is one",
            where=f"lmdeploy/{sight.home.path}",
            next="read it with getattr and a default where it may be missing",
        )


def note_captured(builder: PlanBuilder, request: FieldRequest, annotation: str, sight: FieldSight) -> None:
    """Warn of a Python value that a captured graph would keep."""
    field = MetaField(request.name, annotation, None, sight.home.cls, sight.home.path, 0)
    if sight.metadata != "step" and field.is_python:
        builder.note(
            "warning",
            f"`{request.name}` is a Python {annotation}: a captured graph keeps the value that it had at capture",
            next="let kernels of a decode step not depend on it, or give it a Tensor and a graph buffer",
        )


def note_offered(builder: PlanBuilder, request: FieldRequest, vendor: str, sight: FieldSight) -> None:
    """Name the other fields that are read and not filled."""
    offered = {n: r for n, r in sight.offered(vendor).items() if n != request.name}
    if offered:
        places = "; ".join(f"{n} ({r.repo}/{r.path}:{r.line})" for n, r in sorted(offered.items()))
        builder.note("note", f"{vendor} fills none of these fields, which are read: {places}")


def note_shapes(builder: PlanBuilder, vendor: str, path: str) -> None:
    """Say what another block shape means."""
    builder.note(
        "warning",
        f"a block shape of its own changes the layout of the whole KV cache on {vendor}: fill_kv_cache, both paged "
        "attention ops and the transfer of blocks between engines must agree with it",
        where=f"lmdeploy/{path}",
        next="change the returned shape only together with the vendor's kernels",
    )


def note_next(builder: PlanBuilder, request: FieldRequest) -> None:
    """Say which commands come next."""
    owner = {"attn": "attn_metadata", "moe": "moe_metadata", "step": "step_context"}[request.metadata]
    vendors = " ".join(f"--vendor {v}" for v in request.vendors)
    buffer = f"scaffold graph-buffer {request.name} {vendors} --owner {owner} --size … --dtype …"
    builder.note("note", f"next commands: {buffer}; scaffold status; scaffold undo {request.name}")
