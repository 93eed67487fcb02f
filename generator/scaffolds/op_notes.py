"""What somebody who adds an op must know beside the files: who would call it, and what stands in its way."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from generator.plan.builder import PlanBuilder
from generator.spec.vendor import VENDORS
from generator.survey.picture import OpPicture
from generator.survey.shadows import Mention, find_callers, find_shadows

from .op_body import Body
from .op_request import OpRequest
from .op_sight import OpSight
from .op_signature import Declared
from .scene import Scene

_KINDS = {"definition": "the existing", "patch": "the patch of"}


def note_names(builder: PlanBuilder, request: OpRequest, sight: OpSight) -> None:
    """Ask whether a new name that is nearly an existing one was meant."""
    if not sight.picture.op:
        _note_near(builder, request.name, sight.known_ops, "op")
    if request.op_type and sight.op_type not in sight.op_types:
        _note_near(builder, request.op_type, list(sight.op_types), "OpType")


def _note_near(builder: PlanBuilder, name: str, known: list[str], what: str) -> None:
    near = get_close_matches(name, known, n=1, cutoff=0.9)
    if near:
        builder.note("warning", f"the {what} `{name}` is new: did you mean `{near[0]}`?")


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


def note_body(builder: PlanBuilder, name: str, vendor: str, body: Body) -> None:
    """Say that a body is a stub, and why."""
    if body.kind != "stub":
        return
    record = VENDORS[vendor]
    why = body.refused or "no native call is known"
    builder.note(
        "warning",
        f"{name} on {record.title} is a stub that raises NotImplementedError: {why}",
        where=f"dlinfer/{record.ops_file}",
        next=f"find its native call in {record.document} and give it with --native or --native-doc; "
        "or try --body compose or --body torch",
    )


def note_other_vendors(builder: PlanBuilder, request: OpRequest, sight: OpSight) -> None:
    """Say which vendors share the new dispatcher branch without registering the op: their first call fails."""
    has = {*sight.picture.vendors, *request.vendors}
    left = [v for v, record in VENDORS.items() if v not in has and builder.tree.exists("dlinfer", record.ops_file)]
    if left:
        found = sight.type_picture
        before = "; until now they used the default implementation" if found and "default" in found.backends else ""
        builder.note(
            "warning",
            f"{' and '.join(left)} share the branch of OpType.{sight.op_type} and do not register {request.name}: "
            f"KeyError at the first call{before}",
            next=f"scaffold op {request.name} {' '.join(f'--vendor {v}' for v in left)}",
        )


def note_stubs(builder: PlanBuilder, answers: Mapping[str, Any]) -> None:
    """Say what else is a stub: a default implementation without a formula, a method or a shape that nobody states."""
    from generator.render.views.op import OpView

    op = OpView(answers)
    if 0 in answers["layers"] and not op.has_reference:
        builder.note("warning", f"Default{op.op_type}Impl is a stub: no formula in plain torch is known for {op.name}")
    existing = answers["abstract"] if 1 in answers["layers"] else {}
    for method in existing.get("methods", ()):
        if method["args"] is None:
            text = f"Dlinfer{op.op_type}Impl.{method['name']} is a stub: its parameters do not name those of {op.name}"
            builder.note("warning", text)
    if 3 in answers["layers"] and op.needs_abstract and op.spec.returns and not op.family.bind(op.spec.params):
        text = f"the shape of the result of {op.name} is not stated: its abstract function is a stub"
        builder.note("warning", text, next="give --shape-from, or write the function")


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


def note_next(builder: PlanBuilder, request: OpRequest, applied: set[str]) -> None:
    """Say which commands come next; `applied` are the vendors that have the op."""
    others = [v for v in VENDORS if v not in applied | set(request.vendors)]
    commands = [f"scaffold op {request.name} --vendor {v}" for v in others]
    commands += ["scaffold status", f"scaffold undo {request.name}"]
    builder.note("note", f"next commands: {'; '.join(commands)}")


def _where(mention: Mention) -> str:
    return f"{mention.repo}/{mention.path}:{mention.line}"
