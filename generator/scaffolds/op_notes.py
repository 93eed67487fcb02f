"""What somebody who adds an op must know beside the files: who would call it, and what stands in its way."""

from __future__ import annotations

from generator.plan.builder import PlanBuilder
from generator.spec.vendor import VENDORS
from generator.survey.picture import OpPicture
from generator.survey.shadows import Mention, find_callers, find_shadows

from .op_request import OpRequest
from .op_signature import Declared
from .scene import Scene

_KINDS = {"definition": "the existing", "patch": "the patch of"}


def note_signature(builder: PlanBuilder, declared: Declared) -> None:
    """Say where the signature is from and how to change it."""
    if declared.inferred:
        builder.note(
            "note",
            f"signature inferred from {declared.source}: {declared.spec}",
            where=declared.where,
            next='change it with --param "name: Type", --returns, --shape-from, --like or --spec',
        )
    for guess in declared.guesses:
        builder.note("warning", guess, where=declared.where, next="check it, or give the signature with --param")


def note_body(builder: PlanBuilder, name: str, vendor: str, body: str) -> None:
    """Say that a body is a stub."""
    if body != "stub":
        return
    record = VENDORS[vendor]
    builder.note(
        "warning",
        f"{name} on {record.title} is a stub that raises NotImplementedError: no native call is known",
        where=f"dlinfer/{record.ops_file}",
        next=f"find it in {record.document}, then give it with --native or --native-doc; or use --body compose or torch",
    )


def note_neighbours(builder: PlanBuilder, name: str, op_type: str, picture: OpPicture, scene: Scene) -> None:
    """List what shadows the op, and who would have to call its `nn` module; none of it is edited."""
    shadows = [m for m in find_shadows(scene.workspace, name, picture) if m.kind != "import"]
    for shadow in shadows:
        about = f", {shadow.note}" if shadow.note else ""
        builder.note("note", f"{_KINDS[shadow.kind]} {shadow.name} shadows {name}{about}", where=_where(shadow))
    for caller in find_callers(scene.workspace, {s.name for s in shadows}):
        if caller.repo == "lmdeploy":
            text = f"calls {caller.name}: it would have to build nn.{op_type} to use the new op"
            builder.note("note", text, where=_where(caller))


def note_next(builder: PlanBuilder, request: OpRequest) -> None:
    """Say which commands come next."""
    others = [v for v in VENDORS if v not in request.vendors]
    commands = [f"scaffold op {request.name} --vendor {v}" for v in others]
    commands += ["scaffold status", f"scaffold undo {request.name}"]
    builder.note("note", f"next commands: {'; '.join(commands)}")


def _where(mention: Mention) -> str:
    return f"{mention.repo}/{mention.path}:{mention.line}"
