"""A graph buffer that a vendor's file has already, wholly or in part."""

from __future__ import annotations

from generator.errors import ScaffoldError
from generator.survey.graph_records import BATCH, TOKEN, GraphBuffer

from .graph_shape import Shape
from .graph_sight import GraphSight

PLACES = ("make", "fill", "update")


def wanted_places(shape: Shape) -> tuple[str, ...]:
    """The methods that a buffer needs, by its owner: attention metadata is one object for graph and model."""
    if shape.owner == "attn_metadata":
        return PLACES[:2]
    return ("make", "update") if shape.owner == "step_context" and shape.constant else PLACES


def places_there(buffer: GraphBuffer | None) -> dict[str, int]:
    """The methods that handle a buffer already, with the lines."""
    if buffer is None:
        return {}
    rows = {"make": buffer.makes, "fill": (*buffer.fills, *buffer.hands), "update": buffer.updates}
    return {role: parts[0].line for role, parts in rows.items() if parts}


def refuse_broken(name: str, vendor: str, shape: Shape, sight: GraphSight) -> None:
    """Refuse to build on a buffer that is wrong as it stands.

    Raises:
        ScaffoldError: it is uninitialised, or filled by something else than it is sized by.
    """
    buffer = sight.buffer(vendor)
    path = f"dlinfer/{sight.file(vendor).path}"
    for make in buffer.makes if buffer else ():
        if make.value == "empty":
            raise ScaffoldError(
                f"`{name}` is made with torch.empty: a graph reads the padding, whatever the memory held",
                where=f"{path}:{make.line}",
                next="fill it where it is made, for example with torch.zeros",
            )
        for fill in buffer.fills:
            if fill.kind == "copy" and {fill.dimension, make.dimension} == {BATCH, TOKEN}:
                raise ScaffoldError(
                    f"`{name}` is made by {make.dimension} (line {make.line}) and filled by {fill.dimension}",
                    where=f"{path}:{fill.line}",
                    next="use one of them in both places",
                )
    if buffer and buffer.owner and buffer.owner != shape.owner:
        what = f"`{name}` is a buffer already, of {buffer.owner}"
        raise ScaffoldError(what, where=f"{path}:{buffer.line}", next="choose another name")
