"""A patch of a function, class or method of lmdeploy in dlinfer, loaded in the style of the checkout's era."""

from __future__ import annotations

from generator import __version__
from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan

from .build import NewFile, Rendering, plan_renderings
from .patch_answers import PatchAnswers
from .patch_notes import note_calls, note_copies, note_next, note_stack
from .patch_request import PatchRequest
from .patch_sight import PatchSight
from .scene import Scene

LAYERS = {"device-patch": "C2", "quant-patch": "C3"}


def plan_patch(request: PatchRequest, scene: Scene, notes: tuple = ()) -> Plan:
    """Plan a patch.

    Args:
        notes: what else is to be told, as `PlanBuilder.note` takes it.

    Raises:
        ScaffoldError, SpecError, SourceError: no such target, one that is patched already, a missing anchor; nothing
            is written.
    """
    sight = PatchSight(scene.workspace, request)
    answers = PatchAnswers(sight, scene)
    ids = {vendor: answers.id(vendor) for vendor in request.vendors}
    command = f"{request.kind} {request.target} " + " ".join(f"--vendor {v}" for v in request.vendors)
    applied = [Applied(id, request.kind, request.target, (v,), __version__, command) for v, id in ids.items()]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    for vendor in request.vendors:
        if answers.applied_before(vendor) is None:
            _refuse_patched(vendor, sight)
    renderings = [Rendering(id, "dlinfer", answers.of(vendor)) for vendor, id in ids.items()]
    plan_renderings(builder, scene.renderer, renderings, lambda path: describe(path, request.kind))
    for vendor in request.vendors:
        if answers.applied_before(vendor) is None:
            note_stack(builder, vendor, sight)
    note_copies(builder, sight)
    note_calls(builder, sight)
    for level, text, where, next in notes:
        builder.note(level, text, where=where, next=next)
    note_next(builder, request)
    spec = f"{sight.target.kind} {sight.target.dotted}{sight.target.signature or ''}"
    return builder.build(command=command, spec=spec, id=next_id(ids))


def next_id(ids: dict[str, str]) -> str:
    """The id that the plan is called by."""
    return next(iter(ids.values()))


def describe(path: str, kind: str) -> NewFile:
    """A vendor's module of patches."""
    return NewFile(LAYERS[kind], path.rpartition("/")[2].removesuffix(".py"), "module of patches")


def _refuse_patched(vendor: str, sight: PatchSight) -> None:
    patch = sight.patched(vendor)
    if patch is None or sight.request.stack:
        return
    whole = " as a whole" if patch.target != sight.target.dotted and patch.value_kind == "class" else ""
    raise ScaffoldError(
        f"{patch.written} is patched{whole} on {vendor} already, by {patch.value}",
        where=f"dlinfer/{patch.path}:{patch.line}",
        next="change it there, or give --stack to patch what that patch leaves",
    )
