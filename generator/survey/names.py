"""The names that a shell completes, read as fast as they can be."""

from __future__ import annotations

from generator.workspace.checkout import Checkout

from .dispatch import read_op_types
from .reading import read_all
from .syntax import all_names


def op_names_of(checkout: Checkout) -> list[str]:
    """The ops that a dlinfer checkout offers: what the files of layer 3 export."""
    readings = read_all(checkout, f"{checkout.package.name}/ops", b"vendor_ops_registry")
    return [name for reading in readings for name in all_names(reading.tree) or ()]


def op_types_of(checkout: Checkout) -> list[str]:
    """The members of OpType of an lmdeploy checkout."""
    return list(read_op_types(checkout))
