"""Layer 2: lmdeploy's kernel wrappers around dlinfer's ops."""

from __future__ import annotations

from dataclasses import dataclass

from generator.workspace.checkout import Checkout

from .calls import Call, calls_in
from .imports import Import, imports_in, resolve
from .reading import Layer, Reading, read, read_all
from .signature import Function, Signature, signature_of
from .syntax import all_line, all_names, functions

FOLDER = "lmdeploy/pytorch/kernels/dlinfer"
MODULE = FOLDER.replace("/", ".")


@dataclass(frozen=True)
class Wrapper:
    """One function of `kernels/dlinfer`.

    Attributes:
        name: of the function.
        path: relative to the lmdeploy checkout.
        line: of its `def`.
        signature: as written.
        op_calls: the calls of ops that it makes itself; `callee` is the name of the op.
        wrapper_calls: names of other wrappers that it calls.
        exported: True if the package's `__init__.py` imports it.
        in_all: True if it is in the package's `__all__`, or exported and there is none.
    """

    name: str
    path: str
    line: int
    signature: Signature
    op_calls: tuple[Call, ...]
    wrapper_calls: tuple[str, ...]
    exported: bool
    in_all: bool


@dataclass(frozen=True)
class Exports:
    """What the package `kernels/dlinfer` offers.

    Attributes:
        imports: every name that its `__init__.py` imports, wrappers and others (metadata classes, default kernels).
        all_names: names in its `__all__` with their lines, or None.
        all_line: where its `__all__` begins.
    """

    imports: dict[str, Import]
    all_names: dict[str, int] | None
    all_line: int = 1

    def exports(self, wrapper: str, module: str) -> bool:
        """True if the function `wrapper` of `module` can be imported from the package, by its own name."""
        found = self.imports.get(wrapper)
        return found is not None and found.target == f"{module}.{wrapper}" or f"{module}.*" in self.imports


def read_exports(checkout: Checkout) -> Exports:
    """Read what `kernels/dlinfer/__init__.py` of an lmdeploy checkout imports and lists."""
    reading = read(checkout, f"{FOLDER}/__init__.py")
    if reading is None:
        return Exports({}, None)
    return Exports(imports_in([reading.tree], reading), all_names(reading.tree), all_line(reading.tree) or 1)


def read_wrappers(checkout: Checkout) -> Layer[Wrapper]:
    """Read the wrappers of an lmdeploy checkout by name.

    Where two files define a function of one name, the exported one has the name; the other is under `stem.name`.
    """
    layer: Layer[Wrapper] = Layer()
    exports = read_exports(checkout)
    for reading in read_all(checkout, FOLDER):
        for wrapper in wrappers_in(reading, exports):
            _add(layer, wrapper)
        layer.unreadable += reading.unreadable
    return layer


def wrappers_in(reading: Reading, exports: Exports) -> list[Wrapper]:
    """The functions of one file of the layer."""
    imports = imports_in([reading.tree], reading)
    defined = {f.name for f in functions(reading.tree)}
    return [_wrapper(f, reading, imports, defined, exports) for f in functions(reading.tree)]


def _wrapper(
    function: Function, reading: Reading, imports: dict[str, Import], defined: set[str], exports: Exports
) -> Wrapper:
    ops, wrappers = [], []
    for _, call in calls_in(function, reading):
        target = resolve(call.callee, imports)
        module, _, name = target.rpartition(".")
        if module in ("dlinfer.ops", "dlinfer.ops.llm"):
            ops.append(Call(name, call.args, call.keywords, call.line))
        elif module.startswith(MODULE):
            wrappers.append(name)
        elif call.callee in defined:
            wrappers.append(call.callee)
    exported = exports.exports(function.name, reading.module)
    return Wrapper(
        name=function.name,
        path=reading.path,
        line=function.lineno,
        signature=signature_of(function, reading.text),
        op_calls=tuple(ops),
        wrapper_calls=tuple(dict.fromkeys(wrappers)),
        exported=exported,
        in_all=exported and (exports.all_names is None or function.name in exports.all_names),
    )


def _add(layer: Layer[Wrapper], wrapper: Wrapper) -> None:
    held = layer.get(wrapper.name)
    if held is None:
        layer[wrapper.name] = wrapper
        return
    winner, other = (wrapper, held) if wrapper.exported and not held.exported else (held, wrapper)
    layer[winner.name] = winner
    layer[f"{other.path.rpartition('/')[2].removesuffix('.py')}.{other.name}"] = other
