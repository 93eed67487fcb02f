"""The graph buffers that an op needs, in the same plan as the op: `--graph-field`."""

from __future__ import annotations

from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder

from .graph_buffer import GraphPart
from .graph_request import GraphRequest
from .graph_sight import GraphSight
from .scene import Scene

_KEYS = ("owner", "size", "dtype", "fill", "when", "like")
# What a field is taken for that no graph file has and of which only the name is given.
_INFERRED = {"owner": "attn_metadata", "size": "max_batches", "dtype": "int32"}


def graph_parts(fields: tuple[str, ...], vendors: tuple[str, ...], scene: Scene) -> list[GraphPart]:
    """The parts of a plan for the buffers of an op.

    Args:
        fields: as typed: `mrope_position_ids`, or `lens owner=attn_metadata size=max_batches dtype=int32`.

    Raises:
        ScaffoldError, SpecError: a field that cannot be read.
    """
    return [part for text in fields for part in _parts(text, vendors, scene)]


class InferredPart(GraphPart):
    """A buffer of which only the name was given."""

    def add(self, builder: PlanBuilder) -> None:
        """Add it, and say what it was taken for."""
        super().add(builder)
        known = " ".join(f"{key}={value}" for key, value in _INFERRED.items())
        text = f"no graph file has `{self.request.name}`: it is taken for {known}"
        builder.note("warning", text, next=f'say it: --graph-field "{self.request.name} {known}"')


def _parts(text: str, vendors: tuple[str, ...], scene: Scene) -> list[GraphPart]:
    name, given = _parsed(text)
    if given:
        return [GraphPart(GraphRequest(name, vendors, **given), scene)]
    sight = GraphSight(scene.workspace, name)
    have = [v for v in sight.files if sight.buffer(v)]
    lack = tuple(v for v in vendors if v not in have)
    if have:
        return [GraphPart(GraphRequest(name, lack, like=have[0]), scene)] if lack else []
    return [InferredPart(GraphRequest(name, vendors, **_INFERRED), scene)]


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    name, *pairs = text.split()
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or key not in _KEYS:
            raise ScaffoldError(
                f"`{pair}` says nothing of a graph field",
                where="--graph-field",
                next=f'give "NAME key=value …" without blanks in a value; the keys are {", ".join(_KEYS)}',
            )
        given[key] = value
    return name, given
