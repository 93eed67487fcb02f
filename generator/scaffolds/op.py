"""A new op across all layers of lmdeploy and dlinfer, or the layers it still lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator import __version__
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan

from .build import NewFile, Rendering, plan_renderings
from .op_answers import OpAnswers
from .op_notes import note_body, note_names, note_neighbours, note_next, note_other_vendors, note_signature, note_stubs
from .op_request import OpRequest
from .op_sight import OpSight
from .op_signature import Declared, declare
from .op_taken import refuse_taken
from .scene import Scene

if TYPE_CHECKING:
    from .graph_buffer import GraphPart

_LAYER_OF_FOLDER = (
    ("lmdeploy/pytorch/kernels/dlinfer/", "2", "kernel wrapper"),
    ("lmdeploy/pytorch/backends/dlinfer/", "1", "Impl and Builder"),
    ("lmdeploy/pytorch/backends/default/", "0", "default Impl and Builder"),
    ("lmdeploy/pytorch/backends/", "0", "abstract Impl and Builder"),
    ("lmdeploy/pytorch/nn/", "0", "nn module"),
    ("dlinfer/vendor/", "4", "helper module"),
)


def plan_op(request: OpRequest, scene: Scene) -> Plan:
    """Plan an op.

    Raises:
        ScaffoldError, SpecError, SourceError: bad input, a missing anchor, a name that is taken; nothing is written.
    """
    sight = OpSight(scene.workspace, request.name, request.op_type)
    refuse_taken(request, sight)
    declared = declare(request, sight)
    answers = OpAnswers(request, declared, sight, scene)
    ids = {vendor: f"op-{request.name}-{vendor}" for vendor in request.vendors}
    command = f"op {request.name} " + " ".join(f"--vendor {v}" for v in request.vendors)
    applied = [Applied(id, "op", request.name, (v,), __version__, command) for v, id in ids.items()]
    parts = _graph_parts(request, scene)
    applied += [one for part in parts for one in part.applied]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    for place in answers.already_there:
        builder.there(place.repo, place.path, place.line, layer=str(place.layer), name=place.name)
    renderings = [
        Rendering(id, repo, answers.of(vendor, repo)) for vendor, id in ids.items() for repo in ("lmdeploy", "dlinfer")
    ]
    plan_renderings(builder, scene.renderer, renderings, describe)
    for part in parts:
        part.add(builder)
    _note(builder, request, declared, answers, sight, scene)
    return builder.build(command=command, spec=str(declared.spec), id=next(iter(ids.values())))


def _graph_parts(request: OpRequest, scene: Scene) -> list[GraphPart]:
    """The graph buffers to add; what they need is imported only if there are any."""
    if not request.graph_fields:
        return []
    from .op_graph import graph_parts

    return graph_parts(request.graph_fields, request.vendors, scene)


def _note(
    builder: PlanBuilder, request: OpRequest, declared: Declared, answers: OpAnswers, sight: OpSight, scene: Scene
) -> None:
    note_names(builder, request, sight)
    note_signature(builder, declared)
    for vendor in request.vendors:
        body = answers.body(vendor)
        if body:
            note_body(builder, request.name, vendor, body)
    first = request.vendors[0]
    if not answers.applied_before:
        note_stubs(builder, answers.of(first, "lmdeploy") | {"profile": {}})
    if 1 in answers.layers(first):
        note_other_vendors(builder, request, sight)
    if 0 in answers.layers(first):
        note_neighbours(builder, request.name, sight.op_type, sight.picture, scene)
    note_next(builder, request, set(answers.applied_before))


def describe(path: str) -> NewFile:
    """What a new file of an op is."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    for folder, layer, what in _LAYER_OF_FOLDER:
        if path.startswith(folder):
            return NewFile(layer, stem, what)
    return NewFile(None, stem, "")
