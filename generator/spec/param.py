"""One parameter of an op; `parse` and `str` are inverses."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from .errors import SpecError
from .names import check_identifier
from .types import ParamType, parse_type

# Names that the generated functions use themselves.
_RESERVED = {"self", "cls", "torch", "ext_ops", "tmo", "vendor_ops_registry", "register_ops", "register_custom_op"}
_PARAM = re.compile(r"\s*(?P<name>[^:=\s]+)\s*(?::\s*(?P<type>[^=]+?))?\s*(?:=\s*(?P<default>.+?))?\s*", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_STRING = re.compile(r"""(['"])([A-Za-z0-9_ .:/+-]*)\1""")


@dataclass(frozen=True)
class Param:
    """A parameter: a name, a type and, if it has one, a default.

    Attributes:
        name: a Python identifier.
        type: in dlinfer's spelling.
        default: Python source of the default, or None. Only values that survive the `exec` of dlinfer's
            `register_custom_op` (it builds a signature as text, in an empty namespace): None, bool, int, float, str
            without quotes in it, and `tuple()`.
    """

    name: str
    type: ParamType
    default: str | None = None

    @classmethod
    def parse(cls, text: str, extra_types: tuple[str, ...] = ()) -> Param:
        """Read `name: Type` or `name: Type = default`.

        Raises:
            SpecError: not of that form, a name that cannot be one, an unknown type, a default that cannot be carried.
        """
        match = _PARAM.fullmatch(text)
        if not match or not match["type"]:
            raise SpecError(f"`{text}` is no parameter", next='write it as "name: Type" or "name: Type = default"')
        name = check_identifier(match["name"], "a parameter")
        if name in _RESERVED:
            raise SpecError(f"a parameter cannot be named `{name}`: the generated code uses that name itself")
        type_ = parse_type(match["type"], extra_types)
        if match["default"] == "None" and type_.is_schema and not type_.optional:
            type_ = ParamType(f"Optional[{type_}]")  # `residual: Tensor = None` is how lmdeploy writes an optional
        return cls(name, type_, _default(match["default"], name, type_))

    def __str__(self) -> str:
        return f"{self.name}: {self.type}" + (f" = {self.default}" if self.default is not None else "")


def _default(text: str | None, name: str, type_: ParamType) -> str | None:
    if text is None:
        return None
    value = _canonical(text.strip())
    if value is None:
        raise SpecError(
            f"the default `{text.strip()}` of `{name}` does not survive the exec of register_custom_op",
            next="use None, a bool, a finite number, a plain string or tuple(), or leave the default out",
        )
    if not _fits(value, type_):
        raise SpecError(f"the default `{value}` of `{name}` is no {type_}", next=f"give a {type_} or change the type")
    return value


def _canonical(text: str) -> str | None:
    if text in ("None", "True", "False"):
        return text
    if text in ("tuple()", "()"):
        return "tuple()"
    if _NUMBER.fullmatch(text):
        return text if math.isfinite(float(text)) else None
    match = _STRING.fullmatch(text)
    return f'"{match[2]}"' if match else None


def _fits(value: str, type_: ParamType) -> bool:
    text = type_.text.removeprefix("Optional[").removesuffix("]") if type_.optional else type_.text
    if value == "None":
        return type_.optional or not type_.is_schema
    if text == "bool":
        return value in ("True", "False")
    if text == "int":
        return re.fullmatch(r"[+-]?\d+", value) is not None
    if text == "float":
        return _NUMBER.fullmatch(value) is not None
    if text == "str":
        return value.startswith('"')
    return value == "tuple()" and text.startswith("Sequence[")
