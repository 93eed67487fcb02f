"""A field of a step's metadata: declared, computed by the vendor, passed on."""

from __future__ import annotations

from generator import __version__
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan

from .build import NewFile, Rendering, plan_renderings
from .field_answers import KIND, FieldAnswers
from .field_notes import note_captured, note_declared, note_next, note_offered, note_shapes
from .field_request import FieldRequest
from .field_sight import FieldSight
from .scene import Scene

LAYER = "B"


def plan_context_field(request: FieldRequest, scene: Scene) -> Plan:
    """Plan a context field.

    Raises:
        ScaffoldError, SpecError, SourceError: bad input, a missing anchor, a vendor without such metadata; nothing is
            written.
    """
    ids = {vendor: f"{KIND}-{request.name}-{vendor}" for vendor in request.vendors}
    command = f"{KIND} {request.name} " + " ".join(f"--vendor {v}" for v in request.vendors)
    applied = [Applied(id, KIND, request.name, (v,), __version__, command) for v, id in ids.items()]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    sight = FieldSight(scene.workspace, request.metadata)
    answers = FieldAnswers(request, sight, scene)
    renderings, ours = [], False
    for vendor, id in ids.items():
        for repo, path, line, name in answers.there(vendor):
            builder.there(repo, path, line, layer=LAYER, name=name)
        for repo in dict.fromkeys(("lmdeploy", sight.home.repo)):
            given = answers.of(vendor, repo)
            ours = ours or "field" in given["context_field"]["places"]
            renderings.append(Rendering(id, repo, given))
    plan_renderings(builder, scene.renderer, renderings, describe)
    note_declared(builder, request, sight, ours)
    note_captured(builder, request, renderings[0].answers["context_field"]["annotation"], sight)
    for vendor in request.vendors:
        note_offered(builder, request, vendor, sight)
        if request.kv_block_shape:
            note_shapes(builder, vendor, sight.step(vendor).path)
    note_next(builder, request)
    spec = f"{request.name}: {request.type} = {request.value}"
    return builder.build(command=command, spec=spec, id=next(iter(ids.values())))


def describe(path: str) -> NewFile:
    """A context field makes no new file."""
    return NewFile(LAYER, path, "")
