"""What somebody asks of `scaffold op`, checked as far as it can be without a checkout."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import Any

from generator.errors import ScaffoldError
from generator.spec.names import check_identifier, check_op_name
from generator.spec.vendor import vendor_named

LAYERS = (0, 1, 2, 3, 4)
_FILE_KEYS = {"name", "params", "returns", "shape_from", "op_type", "module", "helper_module", "native", "body"}


@dataclass(frozen=True)
class OpRequest:
    """A request for an op.

    Attributes:
        name: of the op.
        vendors: at least one, known.
        params: declarations as typed, or None to infer them.
        returns: a return annotation as typed, or None.
        shape_from: parameter names, or None.
        like: the op whose signature is taken, or None.
        op_type: the OpType, or None for the one that the checkout or the name says.
        module: stem of the modules of Impl and Builder, or None.
        layers: those that may be written.
        helper_module: vendor module that holds the logic, or None.
        native: a native call, dotted name or schema, or None.
        document: text and name of the document that shows the native prototype, or None.
        body: `stub`, `compose` or `torch`, or None.
        graph_fields: fields whose graph buffers go into the same plan, as `op_graph` reads them.
    """

    name: str
    vendors: tuple[str, ...]
    params: tuple[str, ...] | None = None
    returns: str | None = None
    shape_from: tuple[str, ...] | None = None
    like: str | None = None
    op_type: str | None = None
    module: str | None = None
    layers: tuple[int, ...] = LAYERS
    helper_module: str | None = None
    native: str | None = None
    document: tuple[str, str] | None = None
    body: str | None = None
    graph_fields: tuple[str, ...] = ()

    def __post_init__(self):
        check_op_name(self.name)
        for vendor in self.vendors:
            vendor_named(vendor)
        if len(set(self.vendors)) != len(self.vendors):
            raise ScaffoldError("a vendor is given twice", next="name each vendor once")
        for value, of in ((self.op_type, "an OpType"), (self.module, "a module"), (self.helper_module, "a module")):
            if value is not None:
                check_identifier(value, of)
        if self.like is not None:
            check_op_name(self.like)
        self._check_choices()

    def _check_choices(self) -> None:
        if self.like and self.params:
            raise ScaffoldError("--like and --param both set the signature", next="give one of them")
        if self.native and self.document:
            raise ScaffoldError("--native and --native-doc both name the native call", next="give one of them")
        if self.body and (self.native or self.document):
            raise ScaffoldError("--body and a native call both say what layer 4 does", next="give one of them")

    @classmethod
    def from_file(cls, text: str, where: str, given: dict[str, Any]) -> OpRequest:
        """Read a declaration file (TOML); what was given on the command line wins.

        The keys are `name`, `params` (a list), `returns`, `shape_from` (a list), `op_type`, `module`, `helper_module`,
        `native` and `body`.

        Raises:
            ScaffoldError: no TOML, an unknown key, a value of the wrong type.
        """
        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ScaffoldError(f"the declaration is no TOML: {error}", where=where) from None
        for key, value in data.items():
            _check_key(key, value, where)
        lists = {k: tuple(v) if isinstance(v, list) else v for k, v in data.items()}
        merged = lists | {k: v for k, v in given.items() if v is not None}
        if "name" not in merged:
            raise ScaffoldError("no op is named", where=where, next='add name = "…" or give the name as an argument')
        return cls(**merged)


def parse_layers(text: str) -> tuple[int, ...]:
    """Read `1,2,3`.

    Raises:
        ScaffoldError: something else than layers 0 to 4.
    """
    try:
        layers = tuple(sorted({int(part) for part in text.split(",")}))
    except ValueError:
        layers = ()
    if not layers or not set(layers) <= set(LAYERS):
        raise ScaffoldError(f"`{text}` names no layers", next="give numbers from 0 to 4, such as --layers 3,4")
    return layers


def _check_key(key: str, value: Any, where: str) -> None:
    if key not in _FILE_KEYS:
        raise ScaffoldError(f"unknown key `{key}`", where=where, next=f"the keys are {', '.join(sorted(_FILE_KEYS))}")
    is_list = key in ("params", "shape_from")
    good = isinstance(value, list) and all(isinstance(v, str) for v in value) if is_list else isinstance(value, str)
    if not good:
        raise ScaffoldError(f"`{key}` must be {'a list of strings' if is_list else 'a string'}", where=where)
