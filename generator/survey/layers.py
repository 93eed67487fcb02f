"""One picture of all layers of lmdeploy and dlinfer: every file is read and parsed at most once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from generator.spec.vendor import VENDORS
from generator.workspace.checkout import Workspace

from .backend_calls import BackendCall, read_backend_calls
from .backend_side import Side, read_sides
from .bind import with_defaults
from .chain import builders_of, impls_of, op_types_of, wrappers_of
from .dispatch import Branch, OpTypeMember, read_dispatcher, read_op_types
from .graphs import Graphs, read_graphs
from .impls import BackendClass, read_backend_classes
from .importers import is_imported
from .nn_layer import FOLDER as NN
from .ops_layer import Op3, read_ops
from .patched import Patched, adopted, read_patched, replaced
from .reading import Layer, Unreadable, faults
from .scope import Class, scope_of
from .shelf import Shelf
from .signature import Signature
from .sites import Site, sites_in
from .symbols import Module, Symbols
from .syntax import all_line
from .vendor_layer import Op4, read_vendor_ops
from .wrapper_layer import Exports, Wrapper, read_exports, read_wrappers

# What is looked at in each checkout.
SCOPE = {"lmdeploy": "lmdeploy/pytorch", "dlinfer": "dlinfer"}
_CUDA = ("lmdeploy/pytorch/kernels/cuda/", "lmdeploy/pytorch/backends/cuda/")
RETIRED = "dlinfer/graph/dicp/"
LAYER_1, LAYER_2 = "lmdeploy/pytorch/backends/dlinfer", "lmdeploy/pytorch/kernels/dlinfer"


@dataclass(frozen=True, eq=False)
class Layers:
    """The layers of a workspace; each is read when it is first asked for.

    Attributes:
        shelves: the checkouts, by repository; those that are missing are not in it, and have nothing.
    """

    shelves: Mapping[str, Shelf]
    _sites: dict[tuple[str, str], tuple[Site, ...]] = field(default_factory=dict)
    _imported: dict[tuple[str, str], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, workspace: Workspace, overlay: Mapping[str, Mapping[str, bytes | None]] | None = None) -> Layers:
        """Look at a workspace; `overlay` has bytes that go before those on disk, by repository and path."""
        more = overlay or {}
        known = {r: c for r, c in workspace.checkouts.items() if r in SCOPE}
        kept = {r: c for r, c in known.items() if isinstance(c, Shelf) and r not in more}
        return cls(kept | {r: Shelf.of(c, more.get(r)) for r, c in known.items() if r not in kept})

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
    def dispatchers(self) -> dict[str, Layer[Branch]]:
        """Backend (`dlinfer`, `default`, `cuda`) to its branches by `OpType` member."""
        backends = ("dlinfer", "default", "cuda") if self.lmdeploy else ()
        return {b: read_dispatcher(self.lmdeploy, b) for b in backends}

    @cached_property
    def op_types(self) -> Layer[OpTypeMember]:
        """The members of `OpType`."""
        return read_op_types(self.lmdeploy) if self.lmdeploy else Layer()

    @cached_property
    def reached(self) -> dict[str, tuple[str, ...]]:
        """Op to the members of `OpType` through which a dlinfer backend reaches it; none for an op nobody reaches."""
        found = {}
        for op in {call.callee for w in self.wrappers.values() for call in w.op_calls} | self.ops.keys():
            wrappers = wrappers_of(op, self.wrappers)
            builders = builders_of(impls_of({w.name for w in wrappers.values()}, self.impls), self.impls)
            found[op] = op_types_of(builders, self.dispatchers.get("dlinfer", {}))
        return found

    @cached_property
    def backend_calls(self) -> list[BackendCall]:
        """What the `nn` layer passes to a backend."""
        return read_backend_calls(self.lmdeploy, self.symbols, NN) if self.lmdeploy else []

    @cached_property
    def sides(self) -> dict[str, Side]:
        """`OpType` member to the Builder and Impl classes that a dlinfer device has for it."""
        return read_sides(self.dispatchers, self.symbols)

    @cached_property
    def graphs(self) -> Graphs:
        """The graph files of the vendors and of lmdeploy."""
        return read_graphs(self.dlinfer, self.lmdeploy)

    @cached_property
    def symbols(self) -> Symbols:
        """What dotted names mean."""
        return Symbols(self.shelves)

    @cached_property
    def patches(self) -> list[Patched]:
        """What dlinfer replaces in lmdeploy."""
        return read_patched(self.symbols, self.dlinfer) if self.dlinfer else []

    @cached_property
    def own_files(self) -> list[tuple[Shelf, str]]:
        """The files that are written for dlinfer's devices: dlinfer's, and layers 1 and 2 of lmdeploy.

        Without the compiler of the retired torch.compile path, which is no layer of any op.
        """
        places = [(self.dlinfer, "dlinfer"), (self.lmdeploy, LAYER_1), (self.lmdeploy, LAYER_2)]
        found = [(shelf, path) for shelf, folder in places if shelf for path in shelf.list(folder)]
        return [(shelf, path) for shelf, path in found if not path.startswith(RETIRED)]

    @cached_property
    def modules(self) -> list[Module]:
        """The same, as modules."""
        readings = [r for shelf, path in self.own_files if (r := shelf.open(path))]
        return [m for r in readings if (m := self.symbols.module(r.module))]

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """The calls of `own_files` whose callee is known."""
        return tuple(site for shelf, path in self.own_files for site in self.sites_of(shelf, path))

    def sites_of(self, shelf: Shelf, path: str) -> tuple[Site, ...]:
        """The calls of one file whose callee is known; patched methods and classes count as they are on the device."""
        key = (shelf.repo, path)
        if key not in self._sites:
            reading = shelf.open(path)
            module = self.symbols.module(reading.module) if reading else None
            scope = scope_of(self.symbols, module) if module else None
            taken = (self._adopted, self._replaced) if shelf is self.dlinfer else ({}, {})
            self._sites[key] = tuple(sites_in(scope, *taken)) if scope else ()
        return self._sites[key]

    def sites_named(self, shelf: Shelf, path: str, names: frozenset[str], lines: Sequence[int]) -> tuple[Site, ...]:
        """As `sites_of`, only the calls of `name(…)` or `x.name(…)` in functions around one of some lines."""
        reading = shelf.open(path)
        module = self.symbols.module(reading.module) if reading else None
        return tuple(sites_in(scope_of(self.symbols, module), names=names, lines=lines)) if module else ()

    def stand_in(self, patched: Patched) -> Class | None:
        """The class that replaces a class of lmdeploy."""
        return self._replaced.get(patched.target.node) if patched.target else None

    @cached_property
    def _adopted(self):
        return adopted(self.patches, self.symbols)

    @cached_property
    def _replaced(self):
        return replaced(self.patches, self.symbols)

    def exports_line(self, path: str) -> int:
        """The line of `__all__` in a file of dlinfer, else 1."""
        reading = self.dlinfer.open(path) if self.dlinfer else None
        return (all_line(reading.tree) if reading else None) or 1

    def is_imported(self, repo: str, path: str) -> bool:
        """True if a file of the scope imports the module of a path, or one of its folder's files imports it by name."""
        key = (repo, path)
        if key not in self._imported:
            self._imported[key] = is_imported(self.shelves, SCOPE, repo, path)
        return self._imported[key]

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
        """Every file in scope that cannot be read or parsed; parses all that were not, and keeps no tree of these.

        Kernels and backend of CUDA are not in it: no dlinfer device loads them.
        """
        places = [(shelf, p) for repo, shelf in self.shelves.items() for p in shelf.list(SCOPE[repo])]
        readings = [r for shelf, p in places if not p.startswith(_CUDA) and (r := shelf.open(p))]
        return tuple(u for reading in readings for u in faults(reading))

    def unreadable_in(self, files: Collection[tuple[str, str]]) -> tuple[Unreadable, ...]:
        """Those of some files, as (repo, path), that cannot be read or parsed."""
        places = [(self.shelves[repo], path) for repo, path in sorted(files) if repo in self.shelves]
        readings = [r for shelf, path in places if (r := shelf.open(path))]
        return tuple(u for reading in readings for u in reading.unreadable)
