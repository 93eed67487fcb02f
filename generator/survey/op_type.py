"""One `OpType` of lmdeploy: member, abstract classes, what each backend has for it, and who in `nn/` asks for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from generator.spec.names import plain
from generator.workspace.checkout import Checkout

from .dispatch import BACKENDS, Branch, OpTypeMember
from .impls import BackendClass, classes_in
from .nn_layer import NnItem, read_nn
from .reading import Unreadable, read, read_all


@dataclass(frozen=True)
class BackendSide:
    """What one backend has for an `OpType`: its branch, the Builder behind it, the Impl classes that this builds."""

    branch: Branch
    builder: BackendClass | None = None
    impls: tuple[BackendClass, ...] = ()


@dataclass(frozen=True)
class OpTypePicture:
    """What exists of one `OpType`.

    Attributes:
        name: of the member, whether it exists or not.
        member: of the enum, or None.
        abstract_impl: the abstract Impl class in `backends/`, or None.
        abstract_builder: likewise.
        backends: `dlinfer`, `default` and `cuda`, those that have a branch.
        nn: what in `nn/` asks for it.
    """

    name: str
    member: OpTypeMember | None
    abstract_impl: BackendClass | None
    abstract_builder: BackendClass | None
    backends: dict[str, BackendSide]
    nn: tuple[NnItem, ...]


def read_op_type(
    checkout: Checkout,
    name: str,
    member: OpTypeMember | None,
    branches: Mapping[str, Branch],
    unreadable: list[Unreadable],
) -> OpTypePicture:
    """Read what exists of an `OpType` in an lmdeploy checkout.

    Args:
        checkout: of lmdeploy.
        name: of the member.
        member: what `read_op_types` says of it.
        branches: backend to its branch for it.
        unreadable: files that cannot be read are added here.
    """
    sides = {backend: _side(checkout, branch) for backend, branch in branches.items()}
    impls = [c for side in sides.values() for c in side.impls]
    builders = [side.builder for side in sides.values() if side.builder]
    abstract = _abstract(checkout, name, [*impls, *builders], unreadable)
    nn = read_nn(checkout, f"OpType.{name}".encode())
    unreadable += nn.unreadable
    return OpTypePicture(
        name=name,
        member=member,
        abstract_impl=_parent(abstract, impls, f"{name}Impl"),
        abstract_builder=_parent(abstract, builders, f"{name}Builder"),
        backends=sides,
        nn=tuple(item for item in nn.values() if name in item.op_types),
    )


def _side(checkout: Checkout, branch: Branch) -> BackendSide:
    reading = read(checkout, branch.file) if branch.file else None
    if reading is None:
        return BackendSide(branch)
    here = {c.name: c for c in classes_in(reading)}
    builder = here.get(branch.builder or "")
    mentioned = builder.methods["build"].names if builder and "build" in builder.methods else frozenset()
    return BackendSide(branch, builder, tuple(c for c in here.values() if c.name in mentioned))


def _abstract(
    checkout: Checkout, name: str, heirs: list[BackendClass], unreadable: list[Unreadable]
) -> dict[str, BackendClass]:
    """Classes of `backends/*.py` that the heirs derive from, or that are called like the `OpType`."""
    wanted = {base.rpartition(".")[2] for c in heirs for base in c.bases} | {f"{name}Impl", f"{name}Builder"}
    found = {}
    for reading in read_all(checkout, BACKENDS, deep=False):
        if reading.failure or any(f"class {w}".encode() in reading.data for w in wanted):
            found |= {c.name: c for c in classes_in(reading) if c.name in wanted}
            unreadable += reading.unreadable
    return found


def _parent(abstract: Mapping[str, BackendClass], heirs: Iterable[BackendClass], name: str) -> BackendClass | None:
    """The abstract class that an heir derives from, else the one of that name."""
    bases = [base.rpartition(".")[2] for c in heirs for base in c.bases]
    known = [abstract[base] for base in bases if base in abstract]
    return known[0] if known else next((c for c in abstract.values() if plain(c.name) == plain(name)), None)
