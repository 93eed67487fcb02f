"""One picture of all layers of lmdeploy and dlinfer: every file is read and parsed at most once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from generator.spec.vendor import VENDORS
from generator.workspace.checkout import Workspace

from .bind import with_defaults
from .chain import builders_of, impls_of, op_types_of, wrappers_of
from .dispatch import Branch, OpTypeMember, read_dispatcher, read_op_types
from .impls import BackendClass, read_backend_classes
from .nn_layer import NnItem, read_nn
from .ops_layer import Op3, read_ops
from .reading import Layer, Unreadable
from .shelf import Shelf
from .signature import Signature
from .vendor_layer import Op4, read_vendor_ops
from .wrapper_layer import Exports, Wrapper, read_exports, read_wrappers

# What is looked at in each checkout.
SCOPE = {"lmdeploy": "lmdeploy/pytorch", "dlinfer": "dlinfer"}


@dataclass(frozen=True, eq=False)
class Layers:
    """The layers of a workspace; each is read when it is first asked for.

    Attributes:
        shelves: the checkouts, by repository; those that are missing are not in it, and have nothing.
    """

    shelves: Mapping[str, Shelf]

    @classmethod
    def of(cls, workspace: Workspace, overlay: Mapping[str, Mapping[str, bytes | None]] | None = None) -> Layers:
        """Look at a workspace; `overlay` has bytes that go before those on disk, by repository and path."""
        more = overlay or {}
        return cls({r: Shelf.of(c, more.get(r)) for r, c in workspace.checkouts.items() if r in SCOPE})

    @property
    def files_read(self) -> int:
        """How many files were opened."""
        return sum(shelf.files_read for shelf in self.shelves.values())

    @cached_property
    def ops(self) -> Layer[Op3]:
        """Layer 3 by name."""
        return read_ops(self.dlinfer) if self.dlinfer else Layer()

    @cached_property
    def vendors(self) -> dict[str, Layer[Op4]]:
        """Layer 4: vendor to its ops by name; only the vendors that dlinfer has."""
        if not self.dlinfer:
            return {}
        there = [v for v in VENDORS.values() if self.dlinfer.list(v.folder)]
        return {v.name: read_vendor_ops(self.dlinfer, v) for v in there}

    @cached_property
    def wrappers(self) -> Layer[Wrapper]:
        """Layer 2 by name."""
        return read_wrappers(self.lmdeploy) if self.lmdeploy else Layer()

    @cached_property
    def exports(self) -> Exports:
        """What `kernels/dlinfer` offers."""
        return read_exports(self.lmdeploy) if self.lmdeploy else Exports({}, None)

    @cached_property
    def impls(self) -> Layer[BackendClass]:
        """Layer 1 by class name."""
        return read_backend_classes(self.lmdeploy, "dlinfer") if self.lmdeploy else Layer()

    @cached_property
    def default_impls(self) -> Layer[BackendClass]:
        """The classes of the default backend."""
        return read_backend_classes(self.lmdeploy, "default") if self.lmdeploy else Layer()

    @cached_property
    def abstract(self) -> Layer[BackendClass]:
        """The classes that the backends derive from."""
        return read_backend_classes(self.lmdeploy, "") if self.lmdeploy else Layer()

    @cached_property
    def dispatchers(self) -> dict[str, Layer[Branch]]:
        """Backend (`dlinfer`, `default`, `cuda`) to its branches by `OpType` member."""
        backends = ("dlinfer", "default", "cuda") if self.lmdeploy else ()
        return {b: read_dispatcher(self.lmdeploy, b) for b in backends}

    @cached_property
    def op_types(self) -> Layer[OpTypeMember]:
        """The members of `OpType`."""
        return read_op_types(self.lmdeploy) if self.lmdeploy else Layer()

    @cached_property
    def nn(self) -> Layer[NnItem]:
        """Classes and functions of `nn/`."""
        return read_nn(self.lmdeploy) if self.lmdeploy else Layer()

    @cached_property
    def reached(self) -> dict[str, tuple[str, ...]]:
        """Op to the members of `OpType` through which a dlinfer backend reaches it; none for an op nobody reaches."""
        found = {}
        for op in {call.callee for w in self.wrappers.values() for call in w.op_calls} | self.ops.keys():
            wrappers = wrappers_of(op, self.wrappers)
            builders = builders_of(impls_of({w.name for w in wrappers.values()}, self.impls), self.impls)
            found[op] = op_types_of(builders, self.dispatchers.get("dlinfer", {}))
        return found

    def signature(self, op: Op3) -> Signature:
        """The signature of an op as a caller sees it: with the defaults that its decorator gives."""
        return with_defaults(op.signature, op.default_value)

    @property
    def lmdeploy(self) -> Shelf | None:
        """The lmdeploy checkout, if it is there."""
        return self.shelves.get("lmdeploy")

    @property
    def dlinfer(self) -> Shelf | None:
        """The dlinfer checkout, if it is there."""
        return self.shelves.get("dlinfer")

    @cached_property
    def unreadable(self) -> tuple[Unreadable, ...]:
        """Every file in scope that cannot be read or parsed; parses all of them."""
        readings = [r for repo, shelf in self.shelves.items() for p in shelf.list(SCOPE[repo]) if (r := shelf.open(p))]
        return tuple(u for reading in readings for u in reading.unreadable)
