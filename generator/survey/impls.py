"""Layer 1 and what it derives from: the Impl and Builder classes of lmdeploy's backends."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from generator.workspace.checkout import Checkout

from .calls import Call, calls_in
from .dispatch import BACKENDS
from .imports import Import, imports_in, resolve
from .reading import Layer, Reading, read_all
from .signature import Function, Signature, signature_of
from .syntax import classes, decorator_names, dotted, functions, is_stub, methods

_KERNELS = "lmdeploy.pytorch.kernels."


@dataclass(frozen=True)
class Method:
    """One method of a class.

    Attributes:
        name: of the method.
        line: of its `def`.
        signature: as written, `self` included.
        abstract: True under `abstractmethod`, or if it only raises NotImplementedError.
        static: True under `staticmethod`.
        reads: attributes of `self` that it reads.
        names: plain names that it mentions, which tells the classes that it builds.
    """

    name: str
    line: int
    signature: Signature
    abstract: bool
    static: bool
    reads: tuple[str, ...]
    names: frozenset[str]


@dataclass(frozen=True)
class BackendClass:
    """One class under `backends/`.

    Attributes:
        name: of the class.
        path: relative to the lmdeploy checkout.
        line: of its `class`.
        bases: dotted names as written, subscripts dropped.
        methods: by name.
        attributes: attributes of `self` that `__init__` sets.
        kernel_calls: calls of functions of `lmdeploy.pytorch.kernels`, also through `self.x` or a function of the same
            file; `callee` is the kernel's own name.
    """

    name: str
    path: str
    line: int
    bases: tuple[str, ...]
    methods: dict[str, Method]
    attributes: tuple[str, ...]
    kernel_calls: tuple[Call, ...]

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that it calls, each once."""
        return tuple(dict.fromkeys(call.callee for call in self.kernel_calls))


def read_backend_classes(checkout: Checkout, sub: str, *needles: bytes) -> Layer[BackendClass]:
    """Read the classes of `backends/<sub>` by name; `""` is `backends/` itself without its subfolders.

    Args:
        checkout: of lmdeploy.
        sub: `""`, `dlinfer`, `default` or `cuda`.
        needles: only files that hold all of these are parsed.
    """
    layer: Layer[BackendClass] = Layer()
    for reading in read_all(checkout, f"{BACKENDS}/{sub}".rstrip("/"), *needles, deep=bool(sub)):
        for cls in classes_in(reading):
            layer.setdefault(cls.name, cls)
        layer.unreadable += reading.unreadable
    return layer


def classes_in(reading: Reading) -> list[BackendClass]:
    """The classes of one file."""
    imports = imports_in([reading.tree], reading)
    helpers = {f.name: f for f in functions(reading.tree)}
    return [_class(node, reading, imports, helpers) for node in classes(reading.tree)]


def method_of(function: Function, reading: Reading) -> Method:
    """The record of one method."""
    decorators = [name.rpartition(".")[2] for name in decorator_names(function)]
    nodes = list(ast.walk(function))
    loads = [n for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load) and _on_self(n)]
    loads.sort(key=lambda n: (n.lineno, n.col_offset))
    return Method(
        name=function.name,
        line=function.lineno,
        signature=signature_of(function, reading.text),
        abstract="abstractmethod" in decorators or is_stub(function),
        static="staticmethod" in decorators,
        reads=tuple(dict.fromkeys(n.attr for n in loads)),
        names=frozenset(n.id for n in nodes if isinstance(n, ast.Name)),
    )


def base_names(cls: ast.ClassDef) -> tuple[str, ...]:
    """The dotted names of a class's bases, without subscripts: `Impl[Meta]` gives `Impl`."""
    bare = [b.value if isinstance(b, ast.Subscript) else b for b in cls.bases]
    return tuple(name for name in map(dotted, bare) if name)


def _class(
    node: ast.ClassDef, reading: Reading, imports: dict[str, Import], helpers: dict[str, Function]
) -> BackendClass:
    own = methods(node)
    held = _held(own)
    kernel_calls = [c for f in own for c in _kernel_calls(f, reading, imports, held, helpers, set())]
    init = [n for f in own if f.name == "__init__" for n in ast.walk(f)]
    stored = [n.attr for n in init if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and _on_self(n)]
    return BackendClass(
        name=node.name,
        path=reading.path,
        line=node.lineno,
        bases=base_names(node),
        methods={f.name: method_of(f, reading) for f in own},
        attributes=tuple(dict.fromkeys(stored)),
        kernel_calls=tuple(kernel_calls),
    )


def _on_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _held(own: list[Function]) -> dict[str, str]:
    """`self.x` to `y` for every `self.x = y` in a class."""
    pairs = [(t, n.value) for f in own for n in ast.walk(f) if isinstance(n, ast.Assign) for t in n.targets]
    return {f"self.{t.attr}": name for t, v in pairs if isinstance(t, ast.Attribute) and (name := dotted(v))}


def _kernel_calls(
    function: Function,
    reading: Reading,
    imports: dict[str, Import],
    held: dict[str, str],
    helpers: dict[str, Function],
    seen: set[str],
) -> list[Call]:
    found = []
    for _, call in calls_in(function, reading):
        callee = held.get(call.callee, call.callee)
        target = resolve(callee, imports)
        if target.startswith(_KERNELS):
            found.append(Call(target.rpartition(".")[2], call.args, call.keywords, call.line))
        elif callee in helpers and callee not in seen:
            seen.add(callee)
            found += _kernel_calls(helpers[callee], reading, imports, {}, helpers, seen)
    return found
