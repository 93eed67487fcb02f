"""What somebody who adds a graph buffer must know beside the files."""

from __future__ import annotations

from generator.plan.builder import PlanBuilder
from generator.spec.vendor import VENDORS

from .graph_request import GraphRequest
from .graph_shape import Shape
from .graph_sight import GraphSight

_CLASSES = {"attn_metadata": "DlinferAttentionMetadata", "moe_metadata": "MoeMetadata", "step_context": "StepContext"}


def note_shape(builder: PlanBuilder, shape: Shape) -> None:
    """Say what was changed of the request, or decided for it."""
    for said in shape.said:
        builder.note("note", said)
    cumulative = any(d.extra for d in shape.dims) and shape.fill != "last" and not shape.constant
    if cumulative:
        builder.note(
            "warning",
            f"the padding of cumulative lengths is {shape.fill}: whoever reads it sees sequences of negative length",
            next="give --fill last to repeat the last entry there",
        )


def note_owner(builder: PlanBuilder, request: GraphRequest, vendor: str, shape: Shape, sight: GraphSight) -> None:
    """Say what the owner lacks yet, and which command adds it."""
    owner, step = shape.owner, sight.step(vendor)
    where = f"lmdeploy/{step.path}:{step.line}" if step else None
    if owner == "kwarg":
        _note_kwarg(builder, vendor, sight)
        return
    declared = sight.owner_field(owner)
    more = " --metadata moe" if owner == "moe_metadata" else ""
    next = f'scaffold context-field {sight.name} --vendor {vendor} --type Tensor --value "…"{more}'
    if owner == "moe_metadata" and step and step.moe is None and "moe_metadata" not in step.sets:
        text = f"{vendor} sets no moe_metadata today, so the buffer of `{sight.name}` is not used until it does"
        builder.note("warning", text, where=where, next="build the MoE metadata in update_step_context first")
        return
    if declared is None:
        builder.note("note", f"`{_CLASSES[owner]}` has no field `{sight.name}` yet", where=where, next=next)
        return
    if declared.is_sequence and not shape.constant:
        text = f"`{declared.cls}.{sight.name}` is a sequence of tensors: the buffer serves its first one only"
        builder.note("warning", text, where=f"lmdeploy/{declared.path}:{declared.line}", next="add the others by hand")
    filled = _filled(owner, vendor, sight)
    if not filled:
        text = f"`{_CLASSES[owner]}.{sight.name}` is declared, but {vendor} does not fill it"
        builder.note("note", text, where=where, next=next)


def note_parity(builder: PlanBuilder, request: GraphRequest, sight: GraphSight) -> None:
    """Say which vendors lack the field, and how it gets there."""
    lacking = [v for v in VENDORS if v in sight.files and v not in request.vendors and sight.buffer(v) is None]
    commands = [f"scaffold graph-buffer {sight.name} --vendor {v} --like {request.vendors[0]}" for v in lacking]
    commands += ["scaffold status", f"scaffold undo {sight.name}"]
    builder.note("note", f"next commands: {'; '.join(commands)}")


def _note_kwarg(builder: PlanBuilder, vendor: str, sight: GraphSight) -> None:
    if sight.mixin and sight.name in sight.mixin.buffers:
        return
    if sight.context_name not in sight.owner_fields("step_context"):
        builder.note(
            "note",
            f"no model of lmdeploy takes `{sight.name}` from the step context, and StepContext has no such field yet",
            next=f"return it from the model's prepare_inputs_for_generation; what the vendor computes is added with "
            f'scaffold context-field {sight.name} --vendor {vendor} --type Tensor --value "…"',
        )


def _filled(owner: str, vendor: str, sight: GraphSight) -> bool:
    step = sight.step(vendor)
    if step is None or owner == "step_context":
        return True
    call = step.attn if owner == "attn_metadata" else step.moe
    if call is None:
        return False
    positional = list(sight.owner_fields(owner))[: len(call.args)]
    return sight.name in call.keywords or sight.name in positional
