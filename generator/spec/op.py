"""The declaration of an op, from which every layer is derived."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import SpecError
from .names import check_op_name
from .param import Param
from .types import parse_returns, print_returns

_TEXT = re.compile(
    r"(?P<name>[^(]+)\((?P<params>.*)\) -> (?P<returns>[^{]+?)(?: like \{(?P<shape>[^}]*)\})?", re.DOTALL
)


@dataclass(frozen=True)
class OpSpec:
    """One op; `OpSpec.parse(str(spec)) == spec`.

    Attributes:
        name: its name at layers 2, 3 and 4 and its key in the vendor registry.
        params: in the order of layers 2, 3 and 4.
        returns: the types of the returned values; empty for None.
        shape_from: for each returned tensor the parameter whose shape and dtype it has; empty where the shape needs a
            function of its own (`impl_abstract_func`).
    """

    name: str
    params: tuple[Param, ...]
    returns: tuple[str, ...] = ("Tensor",)
    shape_from: tuple[str, ...] = ()

    def __post_init__(self):
        check_op_name(self.name)
        self._check_params()
        self._check_shape()

    @classmethod
    def parse(cls, text: str) -> OpSpec:
        """Read `name(x: Tensor, epsilon: float) -> Tensor like {x}`.

        Raises:
            SpecError: not of that form, or an inconsistent declaration.
        """
        match = _TEXT.fullmatch(text.strip())
        if not match:
            raise SpecError(f"`{text}` declares no op", next="write name(x: Tensor, …) -> Tensor like {x}")
        params = tuple(Param.parse(p) for p in split_params(match["params"]))
        shape = tuple(s.strip() for s in (match["shape"] or "").split(",") if s.strip())
        return cls(match["name"].strip(), params, parse_returns(match["returns"]), shape)

    def __str__(self) -> str:
        like = f" like {{{', '.join(self.shape_from)}}}" if self.shape_from else ""
        return f"{self.name}({', '.join(map(str, self.params))}) -> {self.returns_text}{like}"

    @property
    def returns_text(self) -> str:
        """The return annotation in dlinfer's spelling."""
        return print_returns(self.returns)

    @property
    def is_schema(self) -> bool:
        """True if every parameter has a schema type, so that layer 3 can be a custom op."""
        return all(p.type.is_schema for p in self.params)

    @property
    def tensors(self) -> tuple[Param, ...]:
        """The parameters that are tensors, optional ones included."""
        return tuple(p for p in self.params if p.type.is_tensor)

    @property
    def defaults(self) -> dict[str, str]:
        """Parameter name to Python source of its default."""
        return {p.name: p.default for p in self.params if p.default is not None}

    def _check_params(self) -> None:
        seen: set[str] = set()
        defaulted = None
        for param in self.params:
            if param.name in seen:
                raise SpecError(f"`{self.name}` has two parameters named `{param.name}`")
            if param.name == self.name:
                raise SpecError(f"a parameter of `{self.name}` cannot have the op's own name")
            seen.add(param.name)
            if param.default is not None:
                defaulted = param.name
            elif defaulted:
                raise SpecError(
                    f"`{param.name}` has no default but follows `{defaulted}`, which has one",
                    next=f"give `{param.name}` a default too, or move it before `{defaulted}`",
                )
        if not self.params:
            raise SpecError(f"`{self.name}` has no parameters", next='give at least one, such as --param "x: Tensor"')

    def _check_shape(self) -> None:
        tensors = {p.name for p in self.params if p.type.is_tensor}
        for name in self.shape_from:
            if name not in tensors:
                raise SpecError(
                    f"`{self.name}` has no tensor parameter `{name}` to take a shape from",
                    next=f"its tensors are {', '.join(sorted(tensors)) or 'none'}",
                )
        if self.shape_from and len(self.shape_from) != len(self.returns):
            raise SpecError(
                f"`{self.name}` returns {len(self.returns)} value(s), but {len(self.shape_from)} shape source(s) "
                "are given",
                next="name one parameter for each returned tensor, in order",
            )


def split_params(text: str) -> list[str]:
    """Split a parameter list at the commas that stand outside brackets and strings."""
    parts, depth, quote, start = [], 0, "", 0
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts
