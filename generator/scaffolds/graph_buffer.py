"""A buffer for one field in the graph files of vendors, or the places that it still lacks there."""

from __future__ import annotations

from generator import __version__
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan

from .build import NewFile, Rendering, plan_renderings
from .graph_answers import KIND, GraphAnswers
from .graph_notes import note_owner, note_parity, note_shape
from .graph_request import GraphRequest
from .graph_shape import decide
from .graph_sight import GraphSight
from .scene import Scene

LAYER = "C1"


def plan_graph_buffer(request: GraphRequest, scene: Scene) -> Plan:
    """Plan a graph buffer.

    Raises:
        ScaffoldError, SpecError, SourceError: bad input, a missing anchor, a field that cannot be a graph buffer;
            nothing is written.
    """
    ids = {vendor: f"{KIND}-{request.name}-{vendor}" for vendor in request.vendors}
    command = f"{KIND} {request.name} " + " ".join(f"--vendor {v}" for v in request.vendors)
    applied = [Applied(id, KIND, request.name, (v,), __version__, command) for v, id in ids.items()]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    sight = GraphSight(scene.workspace, request.name)
    shape = decide(request, sight)
    answers = GraphAnswers(request.name, shape, sight, scene)
    renderings = []
    for vendor, id in ids.items():
        given = answers.of(vendor)
        for role, line in answers.there(vendor).items():
            builder.there("dlinfer", sight.file(vendor).path, line, layer=LAYER, name=f"{role} {request.name}")
        if given["buffer"]["places"]:
            renderings.append(Rendering(id, "dlinfer", given))
    plan_renderings(builder, scene.renderer, renderings, describe)
    note_shape(builder, shape)
    for vendor in request.vendors:
        note_owner(builder, request, vendor, shape, sight)
    note_parity(builder, request, sight)
    size = ", ".join(d.text for d in shape.dims)
    spec = f"{request.name}: {shape.owner} ({size}) {shape.dtype} = {shape.fill}" + (f" if {shape.when}" if shape.when else "")
    return builder.build(command=command, spec=spec, id=next(iter(ids.values())))


def describe(path: str) -> NewFile:
    """A graph buffer makes no new file."""
    return NewFile(LAYER, path, "")
