"""Layer 4: what a vendor registers."""

from __future__ import annotations

from dataclasses import dataclass

from generator.spec.vendor import Vendor
from generator.workspace.checkout import Checkout

from .calls import Call, calls_in
from .imports import imports_in, resolve
from .reading import Layer, Reading, read_all
from .signature import Signature, signature_of
from .syntax import all_names, decorator_names, functions, is_stub


@dataclass(frozen=True)
class Op4:
    """One function that a vendor registered.

    Attributes:
        name: of the function, which is its key in the registry.
        vendor: name of the vendor.
        path: relative to the dlinfer checkout.
        line: of its `def`.
        signature: as written.
        in_all: False if the file has an `__all__` without it.
        calls: every call in its body.
        native_calls: those of `calls` that reach the vendor's own library.
        is_stub: True if it only raises NotImplementedError.
    """

    name: str
    vendor: str
    path: str
    line: int
    signature: Signature
    in_all: bool
    calls: tuple[Call, ...]
    native_calls: tuple[Call, ...]
    is_stub: bool


def read_vendor_ops(checkout: Checkout, vendor: Vendor, only: str | None = None) -> Layer[Op4]:
    """Read what a vendor of a dlinfer checkout registers, by name; its ops file goes before its other files.

    One op alone is read faster: of the vendor's other files those that do not name it are not parsed.
    """
    layer: Layer[Op4] = Layer()
    readings = read_all(checkout, vendor.folder, b"register_ops")
    for reading in sorted(readings, key=lambda r: r.path != vendor.ops_file):
        if only and reading.path != vendor.ops_file and not reading.failure and only.encode() not in reading.data:
            continue
        for op in vendor_ops_in(reading, vendor, only):
            layer.setdefault(op.name, op)
        layer.unreadable += reading.unreadable
    return layer


def vendor_ops_in(reading: Reading, vendor: Vendor, only: str | None = None) -> list[Op4]:
    """The functions of one file that stand under `register_ops`."""
    exported = all_names(reading.tree)
    imports = imports_in([reading.tree], reading)
    ops = []
    for function in functions(reading.tree):
        if only not in (None, function.name):
            continue
        if not any(name.rpartition(".")[2] == "register_ops" for name in decorator_names(function)):
            continue
        calls = [call for _, call in calls_in(function, reading)]
        native = [c for c in calls if _is_native(c.callee, resolve(c.callee, imports), vendor)]
        ops.append(
            Op4(
                name=function.name,
                vendor=vendor.name,
                path=reading.path,
                line=function.lineno,
                signature=signature_of(function, reading.text),
                in_all=exported is None or function.name in exported,
                calls=tuple(calls),
                native_calls=tuple(native),
                is_stub=is_stub(function),
            )
        )
    return ops


def _is_native(written: str, meant: str, vendor: Vendor) -> bool:
    return any(name.startswith(f"{root}.") for root in vendor.native_roots for name in (written, meant))
