"""The prototype of a native operator, read from an op schema or from the signature that a document prints."""

from __future__ import annotations

import re
from dataclasses import dataclass

from generator.errors import ScaffoldError

_PROTOTYPE = re.compile(
    r"(?:def\s+)?(?P<name>[A-Za-z_][\w.]*(?:::\w+)?(?:\.\w+)*)\s*\((?P<args>[^()]*(?:\([^()]*\)[^()]*)*)\)\s*->\s*(?P<returns>[^\n`:{;]+)"
)
_ARGUMENT = re.compile(
    r"(?:[\w.]+(?:\([^)]*\))?[?!]?(?:\[\w*\])?[?!]?\s+)?(?P<name>[A-Za-z_]\w*)(?:\s*:\s*[^=]+)?(?P<default>\s*=.*)?"
)


@dataclass(frozen=True)
class Argument:
    """One argument of a native operator.

    Attributes:
        name: as the operator is registered.
        required: True if it has no default.
        keyword_only: True behind a `*`.
    """

    name: str
    required: bool
    keyword_only: bool


@dataclass(frozen=True)
class Prototype:
    """How a native operator is called.

    Attributes:
        name: as written, dotted or with `::`.
        arguments: in order.
        returns: the number of returned values.
    """

    name: str
    arguments: tuple[Argument, ...]
    returns: int


def parse_prototype(text: str) -> Prototype:
    """Read `npu_rms_norm(Tensor self, Tensor gamma, float epsilon=1e-06) -> (Tensor, Tensor)` or a document's line.

    Raises:
        ScaffoldError: the text is no prototype.
    """
    match = _PROTOTYPE.fullmatch(text.strip())
    if not match:
        raise ScaffoldError(
            f"`{_short(text)}` is neither a native call nor an op schema",
            next="give a call such as torch.ops.npu.npu_x(hidden_states, weight), or a schema with `->`",
        )
    return Prototype(match["name"], tuple(_arguments(match["args"])), _count(match["returns"]))


def find_prototypes(document: str) -> list[Prototype]:
    """All prototypes that a document shows, in order, each name once."""
    found: dict[str, Prototype] = {}
    for match in _PROTOTYPE.finditer(re.sub(r"\s*\n\s*(?=[^#\n]*\))", " ", document)):
        try:
            prototype = Prototype(match["name"], tuple(_arguments(match["args"])), _count(match["returns"]))
        except ScaffoldError:
            continue  # prose with brackets and an arrow
        found.setdefault(prototype.name, prototype)
    return list(found.values())


def _arguments(text: str):
    keyword_only = False
    for part in _split(text):
        if part == "*":
            keyword_only = True
            continue
        match = _ARGUMENT.fullmatch(part)
        if not match:
            raise ScaffoldError(f"`{_short(part)}` is no argument of a native operator")
        # The registered schema of torch_npu says `input` where its YAML and its documents say `self`.
        name = "input" if match["name"] == "self" else match["name"]
        yield Argument(name, match["default"] is None, keyword_only)


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char in "[(") - (char in "])")
        if char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


def _count(text: str) -> int:
    text = text.strip()
    if text in ("()", "None"):
        return 0
    inner = re.fullmatch(r"(?:Tuple|tuple)?[\[(](.*)[\])]", text)
    return len(_split(inner[1])) if inner else 1


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "…"
