"""A patch of quantised layers, unless a checkpoint fits what is patched already."""

from __future__ import annotations

from pathlib import Path

from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan
from generator.survey.awq_layout import assumed_layout

from .patch import plan_patch
from .patch_request import LEGACY, PatchRequest
from .quant_layout import Comparison, compare
from .scene import Scene

_KV = (
    "note",
    f"the checkpoint scales its KV cache (`{{key}}`), which no patch serves: {LEGACY} is legacy and stays as it is",
    "lmdeploy/lmdeploy/pytorch/backends/dlinfer/ascend/op_backend.py",
    "such a model needs metadata fields for its scales (scaffold context-field), filled from the loaded weights, and "
    "fill_kv_cache and paged attention that take them instead of quant_meta",
)


def plan_quant_patch(request: PatchRequest, checkpoint: Path | None, scene: Scene) -> Plan:
    """Plan a patch of a quantised layer.

    Args:
        checkpoint: a folder with safetensors files to compare with what the patched layers assume, or None.

    Raises:
        ScaffoldError, SpecError, SourceError: as `plan_patch`; or the checkpoint cannot be compared.
    """
    if checkpoint is None:
        return plan_patch(request, scene)
    found = _compare(request, checkpoint, scene)
    notes = _notes(request, found)
    if not found.differences:
        return _nothing(request, scene, notes)
    try:
        return plan_patch(request, scene, notes)
    except ScaffoldError as error:
        more = f"; it does not fit the checkpoint: {'; '.join(found.differences)}"
        if found.kv_scales:
            more += f"; its KV cache is scaled too (`{found.kv_scales}`), and the legacy {LEGACY} does not read that"
        raise ScaffoldError(error.what + more, where=error.where, next=error.next) from None


def _compare(request: PatchRequest, checkpoint: Path, scene: Scene) -> Comparison:
    vendor = request.vendors[0]
    assumed = assumed_layout(scene.workspace["dlinfer"], vendor)
    if not assumed:
        raise ScaffoldError(
            f"{vendor} patches no `create_weights`, so there is nothing to compare the checkpoint with",
            where="dlinfer/dlinfer/framework/lmdeploy_ext/quants",
            next="leave out --checkpoint",
        )
    return compare(checkpoint, assumed)


def _notes(request: PatchRequest, found: Comparison) -> tuple:
    rows = [("warning", text, None, "change the patched layer accordingly") for text in found.differences]
    if not found.differences:
        text = f"quantised layers with the layout that the patched classes assume: {found.layers} of {found.layers}; "
        text += "no patch is needed"
        rows.append(("note", text, None, None))
    if found.kv_scales:
        level, text, where, next = _KV
        rows.append((level, text.format(key=found.kv_scales), where, next))
    return tuple(rows)


def _nothing(request: PatchRequest, scene: Scene, notes: tuple) -> Plan:
    """A plan without steps: the checkpoint needs none."""
    vendor = request.vendors[0]
    id = f"{request.kind}-{request.target}-{vendor}"
    command = f"{request.kind} {request.target} --vendor {vendor}"
    builder = PlanBuilder(scene.tree, scene.ledger, [Applied(id, request.kind, request.target, (vendor,))])
    for level, text, where, next in notes:
        builder.note(level, text, where=where, next=next)
    return builder.build(command=command, id=id)
