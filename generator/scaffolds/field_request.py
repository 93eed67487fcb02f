"""What somebody asks of `scaffold context-field`, checked as far as it can be without a checkout."""

from __future__ import annotations

from dataclasses import dataclass

from generator.errors import ScaffoldError
from generator.spec.names import check_identifier
from generator.spec.vendor import vendor_named

METADATA = ("attn", "moe", "step")


@dataclass(frozen=True)
class FieldRequest:
    """A request for a field of a step's metadata.

    Attributes:
        name: of the field.
        vendors: at least one, known.
        type: source of the annotation, with ` = default` or without.
        value: source of the expression that computes it in `update_step_context`.
        metadata: `attn`, `moe`, or `step` for the step context itself.
        kv_block_shape: also override the shapes of the KV cache's blocks.
    """

    name: str
    vendors: tuple[str, ...]
    type: str
    value: str
    metadata: str = "attn"
    kv_block_shape: bool = False

    def __post_init__(self):
        check_identifier(self.name, "a field")
        for vendor in self.vendors:
            vendor_named(vendor)
        if len(set(self.vendors)) != len(self.vendors):
            raise ScaffoldError("a vendor is given twice", next="name each vendor once")
        if self.metadata not in METADATA:
            raise ScaffoldError(f"unknown metadata `{self.metadata}`", next=f"give one of {', '.join(METADATA)}")
