"""What is there of one op, as a scaffold asks for it: the survey's picture, and the places of each layer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from generator.spec.names import pascal, plain
from generator.spec.vendor import VENDORS
from generator.survey.dispatch import OpTypeMember, dispatcher_path, read_op_types
from generator.survey.names import op_names_of
from generator.survey.op_type import OpTypePicture
from generator.survey.picture import OpPicture, survey_op
from generator.survey.vendor_layer import Op4, read_vendor_ops
from generator.workspace.checkout import Workspace

_BASE = "lmdeploy/pytorch/backends/base.py"


@dataclass(frozen=True)
class Place:
    """Where a layer of an op stands.

    Attributes:
        layer: 0 to 4.
        repo, path, line: the place.
        name: what stands there.
    """

    layer: int
    repo: str
    path: str
    line: int
    name: str


@dataclass(frozen=True)
class OpSight:
    """One op in one workspace.

    Attributes:
        workspace: with lmdeploy and dlinfer.
        name: of the op.
        asked_type: the OpType that was asked for, or None.
    """

    workspace: Workspace
    name: str
    asked_type: str | None = None

    def of(self, name: str) -> OpSight:
        """The sight of another op in the same workspace."""
        return OpSight(self.workspace, name)

    @cached_property
    def picture(self) -> OpPicture:
        """The op over all layers."""
        return survey_op(self.workspace, self.name, self._member(self.asked_type) if self.asked_type else None)

    @cached_property
    def op_type(self) -> str:
        """The OpType: what was asked for, what leads to the op, or the op's name in Pascal case."""
        if self.asked_type:
            return self._member(self.asked_type)
        return next(iter(self.picture.op_types), None) or self._member(pascal(self.name))

    @property
    def type_picture(self) -> OpTypePicture | None:
        """What there is of the OpType, or None where lmdeploy does not have it."""
        found = self.picture.op_types.get(self.op_type)
        return found if found and found.member else None

    @cached_property
    def op_types(self) -> dict[str, OpTypeMember]:
        """All members of OpType, in order."""
        return read_op_types(self.workspace["lmdeploy"])

    @cached_property
    def known_ops(self) -> list[str]:
        """The ops of layer 3."""
        return op_names_of(self.workspace["dlinfer"])

    def vendor_ops(self, vendor: str) -> dict[str, Op4]:
        """Everything that a vendor registers."""
        return read_vendor_ops(self.workspace["dlinfer"], VENDORS[vendor])

    def places(self, layer: int, vendor: str) -> list[Place]:
        """Where a layer of the op stands; empty if it is missing."""
        if layer == 0:
            members = [p.member for p in self.picture.op_types.values() if p.member]
            return [Place(0, "lmdeploy", _BASE, m.line, f"OpType.{m.name}") for m in members]
        if layer == 1:
            sides = [p.backends["dlinfer"].branch for p in self.picture.op_types.values() if "dlinfer" in p.backends]
            path = dispatcher_path("dlinfer")
            return [Place(1, "lmdeploy", path, b.line, b.builder or b.op_type) for b in sides]
        if layer == 2:
            return [Place(2, "lmdeploy", w.path, w.line, w.name) for w in self.picture.wrappers]
        found = self.picture.op if layer == 3 else self.picture.vendors.get(vendor)
        return [Place(layer, "dlinfer", found.path, found.line, found.name)] if found else []

    def _member(self, wanted: str) -> str:
        """A member that differs only in case and underscores is the one that is meant."""
        return next((t for t in self.op_types if plain(t) == plain(wanted)), wanted)
