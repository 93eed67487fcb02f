"""A buffer for one field in the graph files of vendors, or the places that it still lacks there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from generator import __version__
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan

from .build import NewFile, Rendering, plan_renderings
from .graph_answers import KIND, GraphAnswers
from .graph_notes import note_owner, note_parity, note_shape
from .graph_request import GraphRequest
from .graph_shape import Shape, decide
from .graph_sight import GraphSight
from .scene import Scene

LAYER = "C1"


@dataclass(frozen=True)
class GraphPart:
    """What a plan gets for one graph buffer, alone or beside something else.

    Attributes:
        request: what was asked for.
        scene: where.
    """

    request: GraphRequest
    scene: Scene

    @cached_property
    def ids(self) -> dict[str, str]:
        """Vendor to id."""
        return {vendor: f"{KIND}-{self.request.name}-{vendor}" for vendor in self.request.vendors}

    @property
    def command(self) -> str:
        """The command that adds the buffer alone."""
        return f"{KIND} {self.request.name} " + " ".join(f"--vendor {v}" for v in self.request.vendors)

    @property
    def applied(self) -> list[Applied]:
        """What is recorded as applied."""
        return [Applied(id, KIND, self.request.name, (v,), __version__, self.command) for v, id in self.ids.items()]

    @cached_property
    def sight(self) -> GraphSight:
        """What the checkouts have of the field."""
        return GraphSight(self.scene.workspace, self.request.name)

    @cached_property
    def shape(self) -> Shape:
        """What the buffer is to be."""
        return decide(self.request, self.sight)

    @property
    def spec(self) -> str:
        """The buffer in one line."""
        it = self.shape
        size = ", ".join(d.text for d in it.dims)
        when = f" if {it.when}" if it.when else ""
        return f"{self.request.name}: {it.owner} ({size}) {it.dtype} = {it.fill}{when}"

    def add(self, builder: PlanBuilder) -> None:
        """Add the steps and notes to a plan whose ids include those of this part.

        Raises:
            ScaffoldError, SourceError: a missing anchor, or a field that cannot be a graph buffer.
        """
        answers = GraphAnswers(self.request.name, self.shape, self.sight, self.scene)
        renderings = []
        for vendor, id in self.ids.items():
            given = answers.of(vendor)
            for role, line in answers.there(vendor).items():
                name = f"{role} {self.request.name}"
                builder.there("dlinfer", self.sight.file(vendor).path, line, layer=LAYER, name=name)
            if given["buffer"]["places"]:
                renderings.append(Rendering(id, "dlinfer", given))
        plan_renderings(builder, self.scene.renderer, renderings, describe)
        note_shape(builder, self.shape)
        for vendor in self.request.vendors:
            note_owner(builder, self.request, vendor, self.shape, self.sight)
        note_parity(builder, self.request, self.sight)


def plan_graph_buffer(request: GraphRequest, scene: Scene) -> Plan:
    """Plan a graph buffer.

    Raises:
        ScaffoldError, SpecError, SourceError: bad input, a missing anchor, a field that cannot be a graph buffer;
            nothing is written.
    """
    part = GraphPart(request, scene)
    builder = PlanBuilder(scene.tree, scene.ledger, part.applied, track=scene.track)
    part.add(builder)
    return builder.build(command=part.command, spec=part.spec, id=next(iter(part.ids.values())))


def describe(path: str) -> NewFile:
    """A graph buffer makes no new file."""
    return NewFile(LAYER, path, "")
