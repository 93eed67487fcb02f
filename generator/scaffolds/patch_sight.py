"""What the checkouts have around a patch: the target in lmdeploy, dlinfer's patches, and how they are loaded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from generator.errors import ScaffoldError
from generator.survey.bind import bind
from generator.survey.patches import DEVICE, QUANTS, DeviceInit, Patch, read_init, read_patches
from generator.survey.shelf import Shelf
from generator.survey.signature import Signature
from generator.survey.symbols import Symbols
from generator.survey.target_calls import OwnCall, own_calls
from generator.survey.targets import Importer, Target, find_target, importers, lmdeploy_symbols
from generator.workspace.checkout import Workspace

from .patch_request import PatchRequest

FOLDERS = {"device-patch": DEVICE, "quant-patch": QUANTS}


@dataclass(frozen=True)
class PatchSight:
    """One target in one workspace.

    Attributes:
        workspace: with lmdeploy and dlinfer.
        request: what was asked for.
    """

    workspace: Workspace
    request: PatchRequest

    @cached_property
    def shelf(self) -> Shelf:
        """The lmdeploy checkout, each file read once."""
        return Shelf.of(self.workspace["lmdeploy"])

    @cached_property
    def symbols(self) -> Symbols:
        """What dotted names mean in lmdeploy."""
        return lmdeploy_symbols(self.shelf)

    @cached_property
    def target(self) -> Target:
        """What is to be replaced."""
        return find_target(self.symbols, self.shelf, self.request.target)

    @property
    def folder(self) -> str:
        """Where patches of this kind are in dlinfer."""
        return FOLDERS[self.request.kind]

    @cached_property
    def init(self) -> DeviceInit:
        """How they are loaded.

        Raises:
            ScaffoldError: dlinfer has no such folder.
        """
        found = read_init(self.workspace["dlinfer"], self.folder)
        if found is None:
            raise ScaffoldError(
                f"dlinfer has no {self.folder}/__init__.py",
                where=f"dlinfer/{self.folder}",
                next="device patches came with dlinfer on 2025-01-14: check out a newer commit",
            )
        return found

    @cached_property
    def patches(self) -> list[Patch]:
        """All patches of dlinfer that are loaded."""
        return list(read_patches(self.workspace["dlinfer"]).values())

    def patched(self, vendor: str) -> Patch | None:
        """The patch that replaces the target, or its whole class, on a vendor already."""
        return next((p for p in self.patches if p.applies_to(vendor) and self._hits(p)), None)

    @cached_property
    def copies(self) -> list[Importer]:
        """The modules that copied the name, so that the patch does not reach them."""
        return importers(self.symbols, self.shelf, self.target)

    @cached_property
    def calls(self) -> list[OwnCall]:
        """The calls that lmdeploy's own code makes of the target."""
        return own_calls(self.symbols, self.shelf, self.target)

    def unbound(self, signature: Signature | None) -> list[tuple[OwnCall, str]]:
        """The calls that a replacement with this signature rejects, with the reason."""
        if signature is None:
            return []
        found = []
        for own in self.calls:
            view = signature if self._sees_all(own) else Signature(signature.params[1:], signature.returns)
            problem = bind(own.call, view).problem
            if problem:
                found.append((own, problem))
        return found

    def _sees_all(self, own: OwnCall) -> bool:
        """True if a call passes every parameter itself: a function's or static method's, or a method of the class."""
        if self.target.kind == "class":
            return False
        return self.target.kind == "function" or self.target.binding == "staticmethod" or not own.bound

    def _hits(self, patch: Patch) -> bool:
        try:
            other = find_target(self.symbols, self.shelf, patch.target)
        except ScaffoldError:
            return False
        mine = self.target
        if other.kind == "method" and mine.kind == "method":
            same = other.cls is not None and mine.cls is not None and other.cls.node is mine.cls.node
            return same and other.names[1] == mine.names[1]
        if other.kind == "class" and mine.kind == "method":
            return mine.cls is not None and other.node is mine.cls.node
        return (other.module, other.names) == (mine.module, mine.names)
