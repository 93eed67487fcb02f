"""Types of op parameters: which of them torch's schema inference knows, and how each repository spells them.

The schema types are those that `torch.library.infer_schema` accepts (dlinfer's `register_custom_op` calls it through
`torch._custom_ops`); the others are names that dlinfer's own `utils/type_annotation.py` defines, and an op
that takes one of them stays a plain function at layer 3.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .errors import SpecError

_SCALARS = ("int", "float", "bool", "str")
_ATOMS = (*_SCALARS, "Tensor", "torch.dtype")
_SEQUENCE_ITEMS = ("int", "float", "bool", "Tensor", "Optional[Tensor]")
# Names of dlinfer/utils/type_annotation.py that are no schema type.
PLAIN_TYPES = ("MoeMetadata", "MoECommType", "Any", "Callable", "Dict", "List")
# Aliases of that file that the decorator accepts because they are `torch.Tensor`.
ALIASES = ("linear_w8a8_scale_type", "dynamic_quant_scale_type")

_SUBSCRIPT = re.compile(r"(Optional|Sequence|List|Tuple|list|tuple)\[(.*)\]")
_UNION_NONE = re.compile(r"(.+?)\s*\|\s*None|None\s*\|\s*(.+)")


@dataclass(frozen=True)
class ParamType:
    """One type, in dlinfer's spelling.

    Attributes:
        text: the annotation as dlinfer writes it, such as `Optional[Tensor]`.
    """

    text: str

    @property
    def is_tensor(self) -> bool:
        """True for a tensor, optional or not."""
        return self.text in ("Tensor", "Optional[Tensor]", *ALIASES)

    @property
    def is_schema(self) -> bool:
        """True if torch's schema inference knows the type."""
        inner = _inner(self.text, "Optional")
        text = inner if inner is not None else self.text
        if text in _ATOMS or text in ALIASES:
            return True
        return _inner(text, "Sequence") in _SEQUENCE_ITEMS

    @property
    def optional(self) -> bool:
        """True if None is a value of the type."""
        return _inner(self.text, "Optional") is not None

    def __str__(self) -> str:
        return self.text


def parse_type(text: str, extra: tuple[str, ...] = ()) -> ParamType:
    """Read a parameter type written in any of the usual spellings.

    `torch.Tensor`, `Tensor | None`, `list[int]` and `Optional[Tensor]` are all understood.

    Args:
        extra: further names that the dlinfer checkout defines as types.

    Raises:
        SpecError: no schema and no dlinfer type of that name.
    """
    normal = _normal(text.strip())
    if not _known(normal, extra):
        raise SpecError(
            f"no op schema knows the type `{text.strip()}`",
            next="the types are Tensor, int, float, bool, str, torch.dtype, Optional[…] and Sequence[…] of them, "
            f"and dlinfer's own {', '.join(PLAIN_TYPES[:2])}",
        )
    return ParamType(normal)


def parse_returns(text: str) -> tuple[str, ...]:
    """Read a return annotation into the types of its parts: `Tuple[Tensor, Tensor]` gives two, `None` gives none.

    Raises:
        SpecError: a part is neither Tensor nor a type that an op can return.
    """
    normal = _normal(text.strip())
    if normal in ("None", "()"):
        return ()
    inner = _inner(normal, "Tuple")
    parts = _split(inner) if inner is not None else [normal]
    for part in parts:
        if part not in ("Tensor", *ALIASES, *_SCALARS):
            raise SpecError(f"an op cannot return `{text.strip()}`", next="it returns Tensor, Tuple[Tensor, …] or None")
    return tuple(parts)


def print_returns(parts: tuple[str, ...]) -> str:
    """The inverse of `parse_returns`, in dlinfer's spelling."""
    if not parts:
        return "None"
    return parts[0] if len(parts) == 1 else f"Tuple[{', '.join(parts)}]"


def _normal(text: str) -> str:
    text = re.sub(r"\b(?:torch|typing)\.(?=Tensor|Optional|Sequence|List|Tuple|Any|Callable|Dict)", "", text)
    text = re.sub(r"\s+", " ", text)
    if union := _UNION_NONE.fullmatch(text):
        return f"Optional[{_normal(union[1] or union[2])}]"
    if sub := _SUBSCRIPT.fullmatch(text):
        head = {"list": "Sequence", "List": "Sequence", "tuple": "Tuple"}.get(sub[1], sub[1])
        return f"{head}[{', '.join(_normal(p) for p in _split(sub[2]))}]"
    return text


def _known(text: str, extra: tuple[str, ...]) -> bool:
    if ParamType(text).is_schema or text in PLAIN_TYPES or text in extra:
        return True
    inner = _inner(text, "Optional")
    return inner is not None and inner != text and _known(inner, extra)


def _inner(text: str, head: str) -> str | None:
    return text[len(head) + 1 : -1] if text.startswith(f"{head}[") and text.endswith("]") else None


def _split(text: str) -> list[str]:
    """Split at the commas that stand outside brackets."""
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]
