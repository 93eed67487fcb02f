"""What a graph file says of its buffers: records only."""

from __future__ import annotations

from dataclasses import dataclass, field

BATCH, TOKEN, OTHER = "batch", "token", "other"


@dataclass(frozen=True)
class Make:
    """One allocation of a buffer.

    Attributes:
        line: 1-based.
        text: source of the allocation.
        factory: the torch function that allocates, such as `torch.zeros`; empty where it is another expression.
        size: source of each dimension; empty where it is not known.
        dimension: `batch`, `token` or `other`: what the first dimension that varies counts.
        dtype: `int32`, or None.
        value: source of the initial value, `random`, `arange`, `empty` where it is not initialised, or None.
        on_host: True if the allocation names no device.
        condition: source of the `if` around it, or "".
    """

    line: int
    text: str
    factory: str
    size: tuple[str, ...]
    dimension: str
    dtype: str | None
    value: str | None
    on_host: bool
    condition: str = ""


@dataclass(frozen=True)
class Fill:
    """One write into a buffer.

    Attributes:
        line: 1-based.
        kind: `pad` for a constant, `copy` for runtime values.
        text: source of what is written; `0` for `zero_`, `random` for `random_`.
        index: source of the index, without brackets, or "".
        dimension: what the index counts: `batch`, `token` or `other`.
        condition: source of the `if` around it, or "".
    """

    line: int
    kind: str
    text: str
    index: str
    dimension: str
    condition: str = ""


@dataclass(frozen=True)
class Hand:
    """One place that hands a buffer to the model.

    Attributes:
        line: 1-based.
        owner: `attn_metadata`, `moe_metadata`, `step_context` or `kwarg`.
        field: what the buffer is called there.
        index: source of the index, without brackets; "" for the whole buffer.
        condition: source of the `if` around it, or "".
    """

    line: int
    owner: str
    field: str
    index: str = ""
    condition: str = ""


@dataclass(frozen=True)
class Scalar:
    """A Python value that is set on a metadata object while a graph is filled.

    Attributes:
        line: 1-based.
        target: dotted, such as `attn_metadata.max_kv_seq_len`.
        text: source of the value.
    """

    line: int
    target: str
    text: str


@dataclass(frozen=True)
class GraphFunction:
    """One of the three methods of the mixin.

    Attributes:
        scope: dotted name in its file.
        line: of its `def`.
        params: names, in order.
        bound: the names that it binds: parameters and locals.
        openings: source of the first line of each statement of its body, in order.
    """

    scope: str
    line: int
    params: tuple[str, ...]
    bound: frozenset[str]
    openings: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphBuffer:
    """One buffer over the three methods.

    Attributes:
        name: its key in `input_buffers`.
        makes: allocations; more than one where branches differ.
        fills: writes, in order.
        hands: where `fill_buffers_cudagraph` hands it on.
        updates: where `update_context_cudagraph` does.
    """

    name: str
    makes: tuple[Make, ...] = ()
    fills: tuple[Fill, ...] = ()
    hands: tuple[Hand, ...] = ()
    updates: tuple[Hand, ...] = ()

    @property
    def owner(self) -> str | None:
        """Whose field it is: the metadata it is handed to, else the forward arguments, else the step context."""
        owners = [h.owner for h in (*self.hands, *self.updates)]
        order = ("moe_metadata", "attn_metadata", "kwarg", "step_context")
        return next((o for o in order if o in owners), None)

    @property
    def line(self) -> int:
        """Where it is first seen."""
        return min(p.line for p in (*self.makes, *self.fills, *self.hands, *self.updates))

    @property
    def condition(self) -> str:
        """The condition of its allocation, or ""."""
        return self.makes[0].condition if len(self.makes) == 1 else ""


@dataclass(frozen=True)
class MetaCall:
    """A call of `CudaGraphMeta`, which decides what `graph_meta` says.

    Attributes:
        scope: dotted name of the function it stands in.
        line: 1-based.
        keywords: names of its keyword arguments.
    """

    scope: str
    line: int
    keywords: tuple[str, ...]


@dataclass(frozen=True)
class GraphFile:
    """One `<vendor>_cudagraph.py`, or lmdeploy's own mixin.

    Attributes:
        repo: a key of `REPOS`.
        path: relative to the checkout.
        functions: `make`, `fill` and `update`, those that were found.
        buffers: by name, in the order of their first line.
        scalars: Python values that the fill sets.
        imports: local name to absolute dotted target.
        meta_calls: calls of `CudaGraphMeta`.
    """

    repo: str
    path: str
    functions: dict[str, GraphFunction] = field(default_factory=dict)
    buffers: dict[str, GraphBuffer] = field(default_factory=dict)
    scalars: tuple[Scalar, ...] = ()
    imports: dict[str, str] = field(default_factory=dict)
    meta_calls: tuple[MetaCall, ...] = ()

    @property
    def batch_slice(self) -> str:
        """The local that block_offsets is sliced by when it is handed on, or "" where whole buffers are."""
        offsets = self.buffers.get("block_offsets")
        index = next((h.index for h in offsets.hands if h.owner == "attn_metadata"), "") if offsets else ""
        return index.strip(" :")
