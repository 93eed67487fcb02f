"""What somebody who patches lmdeploy must know beside the files."""

from __future__ import annotations

from generator.plan.builder import PlanBuilder

from .patch_request import PatchRequest
from .patch_sight import PatchSight

_SHOWN = 5


def note_stack(builder: PlanBuilder, vendor: str, sight: PatchSight) -> None:
    """Say what the patch is stacked on."""
    patch = sight.patched(vendor) if sight.request.stack else None
    if patch:
        builder.note(
            "warning",
            f"{patch.written} is patched on {vendor} already; the new patch calls whatever is there when it is applied",
            where=f"dlinfer/{patch.path}:{patch.line}",
            next="check that it is applied after that one, and that its signature still is lmdeploy's",
        )


def note_copies(builder: PlanBuilder, sight: PatchSight) -> None:
    """Name the modules that the patch does not reach."""
    if not sight.copies:
        return
    name = sight.target.names[0]
    places = "; ".join(f"{c.path}:{c.line}" for c in sight.copies)
    first = sight.copies[0]
    builder.note(
        "warning",
        f"`{name}` was copied by `from … import` in {places}: modules that are imported before the patch keep "
        "lmdeploy's own",
        where=f"lmdeploy/{first.path}:{first.line}",
        next=f"patch it there too, for example: scaffold {sight.request.kind} {first.module}.{first.name} --vendor "
        + " --vendor ".join(sight.request.vendors),
    )


def note_calls(builder: PlanBuilder, sight: PatchSight) -> None:
    """Say how many calls of lmdeploy's own the signature was bound to."""
    broken = sight.unbound(sight.target.signature)
    for own, problem in broken[:_SHOWN]:
        where = f"lmdeploy/{own.path}:{own.call.line}"
        builder.note("warning", f"a call of lmdeploy does not bind: {problem}", where=where)
    good = len(sight.calls) - len(broken)
    where = f"lmdeploy/{sight.target.path}:{sight.target.line}"
    text = f"the patch binds against {good} call{'' if good == 1 else 's'} that lmdeploy's own code makes"
    none = "lmdeploy's own code makes no call that names the target"
    builder.note("note", text if sight.calls else none, where=where)


def note_next(builder: PlanBuilder, request: PatchRequest) -> None:
    """Say which commands come next."""
    builder.note("note", f"next commands: scaffold check --vendor {request.vendors[0]}; scaffold undo {request.target}")
