"""Everything that upstream has of one op, over all layers."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.spec.names import plain
from generator.spec.vendor import VENDORS
from generator.workspace.checkout import Checkout, Workspace

from .chain import builders_of, impls_of, op_types_of, wrappers_of
from .dispatch import read_dispatcher, read_op_types
from .impls import BackendClass, read_backend_classes
from .kernels import Kernel, read_kernels
from .op_type import OpTypePicture, read_op_type
from .ops_layer import Op3, read_ops
from .reading import Unreadable
from .vendor_layer import Op4, read_vendor_ops
from .wrapper_layer import Wrapper, read_wrappers

BACKENDS = ("dlinfer", "default", "cuda")


@dataclass(frozen=True)
class OpPicture:
    """What exists of one op.

    Attributes:
        name: of the op.
        op_types: members of `OpType` that lead to it, by name: those whose calls reach it from layer 1 down; where
            there are none, the one that is called like the op; or the one that was asked for.
        impls: Impl classes of layer 1 that reach the op.
        builders: the classes that build them.
        wrappers: layer 2, callers of the op first, then their callers.
        op: layer 3, or None.
        vendors: layer 4, vendor to its function.
        kernels: kernels of other backends that are called like the op.
        unreadable: files that had to be left out.
    """

    name: str
    op_types: dict[str, OpTypePicture] = field(default_factory=dict)
    impls: tuple[BackendClass, ...] = ()
    builders: tuple[BackendClass, ...] = ()
    wrappers: tuple[Wrapper, ...] = ()
    op: Op3 | None = None
    vendors: dict[str, Op4] = field(default_factory=dict)
    kernels: tuple[Kernel, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


def survey_op(workspace: Workspace, op_name: str, op_type: str | None = None) -> OpPicture:
    """Read what exists of an op in the lmdeploy and dlinfer checkouts of a workspace.

    Args:
        workspace: a repository that it lacks counts as having nothing.
        op_name: as at layer 3.
        op_type: the `OpType` member to look for; without it, the members that lead to the op.
    """
    unreadable: list[Unreadable] = []
    below = _in_dlinfer(workspace["dlinfer"], op_name, unreadable) if "dlinfer" in workspace else {}
    above = _in_lmdeploy(workspace["lmdeploy"], op_name, op_type, unreadable) if "lmdeploy" in workspace else {}
    return OpPicture(op_name, **below, **above, unreadable=tuple(dict.fromkeys(unreadable)))


def _in_dlinfer(checkout: Checkout, op: str, unreadable: list[Unreadable]) -> dict:
    ops = read_ops(checkout, op)
    unreadable += ops.unreadable
    vendors = {}
    for vendor in VENDORS.values():
        layer = read_vendor_ops(checkout, vendor, op)
        unreadable += layer.unreadable
        if op in layer:
            vendors[vendor.name] = layer[op]
    return {"op": ops.get(op), "vendors": vendors}


def _in_lmdeploy(checkout: Checkout, op: str, op_type: str | None, unreadable: list[Unreadable]) -> dict:
    all_wrappers = read_wrappers(checkout)
    classes = read_backend_classes(checkout, "dlinfer", b"kernels")
    kernels = read_kernels(checkout, op)
    wrappers = wrappers_of(op, all_wrappers)
    impls = impls_of({w.name for w in wrappers.values()}, classes)
    builders = builders_of(impls, classes)
    unreadable += [*all_wrappers.unreadable, *classes.unreadable, *kernels.unreadable]
    return {
        "op_types": _op_types(checkout, op, op_type, builders, unreadable),
        "impls": tuple(impls),
        "builders": tuple(builders),
        "wrappers": tuple(wrappers.values()),
        "kernels": tuple(kernels.values()),
    }


def _op_types(
    checkout: Checkout, op: str, asked: str | None, builders: list[BackendClass], unreadable: list[Unreadable]
) -> dict[str, OpTypePicture]:
    members = read_op_types(checkout)
    dispatchers = {backend: read_dispatcher(checkout, backend) for backend in BACKENDS}
    for layer in (members, *dispatchers.values()):
        unreadable += layer.unreadable
    names = (asked,) if asked else op_types_of(builders, dispatchers["dlinfer"])
    names = names or tuple(m for m in members if plain(m) == plain(op))
    found = {}
    for name in names:
        branches = {backend: d[name] for backend, d in dispatchers.items() if name in d}
        found[name] = read_op_type(checkout, name, members.get(name), branches, unreadable)
    return found
