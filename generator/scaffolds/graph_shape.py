"""What a graph buffer is to be, once and for all vendors: owner, size, dtype, padding, condition."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from generator.errors import ScaffoldError
from generator.survey.expression import called, free_names, parse_expression, spelled
from generator.survey.graph_records import OTHER, TOKEN, GraphBuffer
from generator.survey.syntax import dotted

from .graph_request import GraphRequest, check_dtype
from .graph_sight import GraphSight
from .graph_size import Dim, dimension, parse_size

# Lengths that add up: one entry more than there are sequences.
_CUMULATIVE = ("cu_seq", "cu_q", "cu_k", "q_start_loc", "cumsum")
_IN_MAKE = ("torch", "graph_meta", "max_batches", "max_tokens", "num_blocks", "device")


@dataclass(frozen=True)
class Shape:
    """A graph buffer as it will be written.

    Attributes:
        owner: one of `graph_request.OWNERS`.
        dims: its dimensions.
        dtype: of torch.
        fill: source of the value of the padding; `last` repeats the last entry; or an expression that makes a buffer
            whose content never changes.
        constant: True for such a buffer.
        when: source of a condition over `graph_meta`, or "".
        said: what was changed or decided, for the reader.
    """

    owner: str
    dims: list[Dim]
    dtype: str
    fill: str
    constant: bool
    when: str
    said: list[str] = field(default_factory=list)


def decide(request: GraphRequest, sight: GraphSight) -> Shape:
    """Decide what the buffer is to be.

    Raises:
        ScaffoldError: a value that makes no graph buffer, or a vendor to port from that does not have it.
    """
    said: list[str] = []
    given = _ported(request, sight, said) if request.like else vars(request)
    dims = parse_size(given["size"], set(sight.meta_fields))
    dims = _cumulative(request.name, dims, said)
    dtype = check_dtype(given["dtype"])
    fill, constant = _fill(given["fill"], dtype, said)
    return Shape(given["owner"], dims, dtype, fill, constant, _when(given["when"], sight), said)


def _ported(request: GraphRequest, sight: GraphSight, said: list[str]) -> dict[str, str | None]:
    """What the other vendor's buffer is; what was given goes before it."""
    like = request.like or ""
    buffer = sight.buffer(like)
    path = sight.file(like).path
    if buffer is None or not buffer.makes:
        has = ", ".join(sight.files[like].buffers)
        raise ScaffoldError(f"{like} has no buffer `{request.name}`", where=f"dlinfer/{path}", next=f"it has {has}")
    make = buffer.makes[0]
    if not make.size or make.dtype is None:
        where = f"dlinfer/{path}:{make.line}"
        raise ScaffoldError(f"the size or dtype of `{request.name}` cannot be told", where=where, next="give --size")
    own = {
        "owner": buffer.owner,
        "size": _in_reach(make.size, sight),
        "dtype": make.dtype,
        "fill": _ported_fill(buffer, said, f"dlinfer/{path}"),
        "when": make.condition or None,
    }
    if make.on_host:
        said.append(f"{like} keeps `{request.name}` on the host (line {make.line}); here it is made on the device")
    return {key: getattr(request, key) or value for key, value in own.items()}


def _in_reach(size: tuple[str, ...], sight: GraphSight) -> str:
    return ", ".join(size) + ("," if len(size) == 1 else "")


def _ported_fill(buffer: GraphBuffer, said: list[str], path: str) -> str | None:
    make = buffer.makes[0]
    if make.value == "empty":
        said.append(f"{path}:{make.line} leaves `{buffer.name}` uninitialised (torch.empty); here it is filled")
        return None
    if make.value is None or make.value in ("random", "arange"):
        return make.text
    pads = [f for f in buffer.fills if f.kind == "pad" and f.text != "random"]
    if pads and pads[0].text != make.value:
        said.append(
            f"{path} makes `{buffer.name}` with {make.value} (line {make.line}) and pads it with {pads[0].text} "
            f"(line {pads[0].line}); here both are {make.value}: change it with --fill"
        )
    return make.value


def _cumulative(name: str, dims: list[Dim], said: list[str]) -> list[Dim]:
    """Cumulative lengths have one entry more than there are sequences."""
    if not any(part in name for part in _CUMULATIVE) or len(dims) != 1 or dims[0].text != "max_batches":
        return dims
    said.append(f"`{name}` are cumulative lengths: the buffer has max_batches + 1 entries")
    return [Dim("max_batches + 1", dims[0].kind, 1)]


def _fill(text: str | None, dtype: str, said: list[str]) -> tuple[str, bool]:
    if text is None:
        return ("False" if dtype == "bool" else "0"), False
    if text == "last":
        return text, False
    if text.strip() == "empty":
        raise _uninitialised(text)
    tree = parse_expression(text, "--fill")
    if any((dotted(c.func) or "").rpartition(".")[2].startswith(("empty", "new_empty")) for c in called(tree)):
        raise _uninitialised(text)
    bare = tree.operand if isinstance(tree, ast.UnaryOp) else tree
    if isinstance(bare, ast.Constant) and isinstance(bare.value, int | float):
        return _number(tree, bare.value, dtype), False
    unknown = [n for n in free_names(tree) if n not in _IN_MAKE]
    if unknown or not called(tree):
        raise ScaffoldError(
            f"`{text}` is no value for the padding",
            where="--fill",
            next=f"give a number, `last`, or an expression over {', '.join(_IN_MAKE)}",
        )
    said.append("the content is made once and never changes: no value of a step is copied into it")
    return spelled(tree), True


def _number(tree: ast.expr, value: float, dtype: str) -> str:
    if dtype == "bool":
        return str(bool(value))
    if isinstance(value, float) and not dtype.startswith(("float", "bfloat", "half", "double")):
        raise ScaffoldError(f"`{spelled(tree)}` is no {dtype}", where="--fill", next="give a whole number")
    if dtype == "uint8" and isinstance(tree, ast.UnaryOp):
        raise ScaffoldError(f"`{spelled(tree)}` is no {dtype}", where="--fill", next="give a number from 0 to 255")
    return str(int(value)) if isinstance(value, bool) else spelled(tree)


def _uninitialised(text: str) -> ScaffoldError:
    return ScaffoldError(
        f"`{text}` leaves the padding uninitialised: a graph reads it, and whatever the memory held changes the result",
        where="--fill",
        next="give the value that padding must have, such as 0 or -1",
    )


def _when(text: str | None, sight: GraphSight) -> str:
    """A condition over `graph_meta`: the only thing that all three methods know."""
    if not text:
        return ""
    tree = _Meta(set(sight.meta_fields)).visit(parse_expression(text, "--when"))
    known = ", ".join(n for n in sight.meta_fields if n.startswith(("is_", "use_")))
    for name in free_names(tree):
        if name not in ("graph_meta", "self"):
            raise ScaffoldError(
                f"`{name}` is not known in all three methods, so the buffer could be used where it was not made",
                where="--when",
                next=f"use the flags of CudaGraphMeta: {known}",
            )
    for node in ast.walk(tree):
        on_meta = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "graph_meta"
        if on_meta and node.attr not in sight.meta_fields:
            raise ScaffoldError(f"CudaGraphMeta has no flag `{node.attr}`", where="--when", next=f"it has {known}")
    return spelled(tree).replace("'", '"')


class _Meta(ast.NodeTransformer):
    """Writes a bare flag as `graph_meta.flag`."""

    def __init__(self, fields: set[str]):
        self.fields = fields

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.fields:
            return node
        return ast.copy_location(ast.Attribute(ast.Name("graph_meta", ast.Load()), node.id, ast.Load()), node)


def refuse_misfit(name: str, vendor: str, shape: Shape, sight: GraphSight) -> None:
    """Refuse a size that counts something else than what the field is filled by elsewhere.

    Raises:
        ScaffoldError: with the place that shows it.
    """
    ours, found = dimension(shape.dims), sight.evidence(but=vendor)
    if ours == OTHER or shape.constant or not found or any(e.dimension == ours for e in found):
        return
    theirs = found[0]
    by_token = theirs.dimension == TOKEN
    raise ScaffoldError(
        f"`{name}` is filled by {theirs.dimension} (its size there is {theirs.size}), not by {ours}"
        + (": with 4 sequences and 3 speculative tokens, 16 entries would go into 4" if by_token else ""),
        where=theirs.where,
        next=f"give a --size with {'max_tokens' if by_token else 'max_batches'}, or port it with --like",
    )
