"""What somebody asks of `scaffold graph-buffer`, checked as far as it can be without a checkout."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

from generator.errors import ScaffoldError
from generator.spec.names import check_identifier
from generator.spec.vendor import vendor_named

OWNERS = ("attn_metadata", "step_context", "moe_metadata", "kwarg")
# Names of torch dtypes: https://docs.pytorch.org/docs/stable/tensor_attributes.html
DTYPES = (
    "int32 int64 int16 int8 uint8 bool float16 bfloat16 float32 float64 float8_e4m3fn float8_e5m2 half long short"
).split()
_PYTHON = ("int", "float", "str", "complex")


@dataclass(frozen=True)
class GraphRequest:
    """A request for a graph buffer.

    Attributes:
        name: the field, and the buffer's key.
        vendors: at least one, known.
        owner: `attn_metadata`, `step_context`, `moe_metadata` or `kwarg`, or None where `like` says it.
        size: source of the size, or None.
        dtype: of torch, with or without `torch.`, or None.
        fill: source of the value of the padding, or None.
        when: a flag of CudaGraphMeta or an expression over `graph_meta`, or None for always.
        like: the vendor whose buffer is ported, or None.
    """

    name: str
    vendors: tuple[str, ...]
    owner: str | None = None
    size: str | None = None
    dtype: str | None = None
    fill: str | None = None
    when: str | None = None
    like: str | None = None

    def __post_init__(self):
        check_identifier(self.name, "a graph buffer")
        for vendor in (*self.vendors, *([self.like] if self.like else [])):
            vendor_named(vendor)
        if len(set(self.vendors)) != len(self.vendors):
            raise ScaffoldError("a vendor is given twice", next="name each vendor once")
        if self.like in self.vendors:
            raise ScaffoldError(f"--like {self.like} is the vendor itself", next="give another vendor with --like")
        if self.owner is not None and self.owner not in OWNERS:
            raise ScaffoldError(f"unknown owner `{self.owner}`", next=f"the owners are {', '.join(OWNERS)}")
        if self.like is None:
            for value, flag in ((self.owner, "--owner"), (self.size, "--size"), (self.dtype, "--dtype")):
                if value is None:
                    next = f"give {flag}, or port the field with --like VENDOR"
                    raise ScaffoldError(f"{flag} is not given", next=next)


def check_dtype(text: str) -> str:
    """Return the name of a torch dtype without `torch.`.

    Raises:
        ScaffoldError: it is none, or a Python type.
    """
    name = text.removeprefix("torch.")
    if name in _PYTHON:
        raise ScaffoldError(
            f"`{text}` is a Python scalar: a captured graph keeps the value that it had at capture",
            next="give a tensor's dtype, such as int32, or set the field to a constant that kernels take as unknown",
        )
    if name not in DTYPES:
        near = get_close_matches(name, DTYPES, 1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise ScaffoldError(f"torch has no dtype `{text}`", next=f"{hint}the dtypes are {', '.join(DTYPES)}")
    return name
