"""Binds a call to a signature, slot by slot, as Python would, and says where a value lands."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .calls import Call
from .signature import KEYWORD_ONLY, POSITIONAL_ONLY, VAR_KEYWORD, VAR_POSITIONAL, Param, Signature

# A value keeps its name through the calls that only change its layout or type.
_DRESSED = re.compile(
    r"(\*?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*?)"
    r"(?:\.(?:contiguous|squeeze|unsqueeze|view|reshape|to|float|int|long|bool|flatten|clone)\([^()]*\))*"
)
_TAILS = ("states", "state")


@dataclass(frozen=True)
class Bound:
    """What became of a call.

    Attributes:
        slots: parameter to the source of the argument that it gets; parameters left to their default are not in it.
        problem: why Python would raise TypeError, or None.
        swallowed: keywords that only `**kwargs` takes.
        open: True where an unpacked `*x` or `**x` hides a part of the call.
    """

    slots: Mapping[str, str]
    problem: str | None = None
    swallowed: tuple[str, ...] = ()
    open: bool = False


@dataclass(frozen=True)
class Misplaced:
    """A value that lands in another known parameter: `value` is its name, `slot` where it lands, `home` where not."""

    value: str
    slot: str
    home: str


def bind(call: Call, signature: Signature) -> Bound:
    """Bind a call; the signature is the caller's view of it, without `self`."""
    slots: dict[str, str] = {}
    hidden = any(arg.startswith("*") for arg in call.args)
    problem = _bind_positional(call, signature, slots)
    named, swallowed = _bind_keywords(call, signature, slots)
    is_open = hidden or any(name == "**" for name, _ in call.keywords)
    problem = problem or named
    if problem is None and not is_open:
        problem = _lacking(signature, slots)
    return Bound(slots, problem, swallowed, is_open)


def misplaced(bound: Bound, signature: Signature, *, loose: bool = False) -> list[Misplaced]:
    """The values whose name is a parameter's, but that land in another one while that one does not get them.

    Args:
        bound: what `bind` gave.
        signature: what it was bound to.
        loose: names also count as equal if they differ by underscores, case, a plural s, or a word such as `states`.
    """
    same = _loose if loose else str
    homes = {same(p.name): p.name for p in signature.params}
    found = []
    for slot, text in bound.slots.items():
        value = value_name(text)
        home = homes.get(same(value)) if value else None
        if home is None or home == slot or same(home) == same(slot):
            continue
        if same(value_name(bound.slots.get(home, "")) or "") != same(value):
            found.append(Misplaced(value, slot, home))
    return found


def with_defaults(signature: Signature, defaults: Mapping[str, str]) -> Signature:
    """A signature whose parameters have these defaults where they have none of their own."""
    params = tuple(replace(p, default=p.default or defaults.get(p.name)) for p in signature.params)
    return Signature(params, signature.returns)


def value_name(text: str) -> str | None:
    """The last part of a name or dotted name, also under `.contiguous()` and its like; None for other expressions."""
    match = _DRESSED.fullmatch(text)
    return None if match is None or text.startswith("*") else match[1].rpartition(".")[2]


def is_tensor(param: Param) -> bool | None:
    """True if a parameter is annotated as a tensor, False as a plain number, flag or text; None where nothing says."""
    text = (param.annotation or "").strip("'\"").replace("torch.", "")
    text = re.sub(r"\bOptional\[(.*)\]$|\s*\|\s*None$", lambda m: m[1] or "", text)
    return {"Tensor": True, "int": False, "float": False, "bool": False, "str": False}.get(text)


def _loose(name: str) -> str:
    plain = name.lower().replace("_", "").rstrip("s")
    for tail in _TAILS:
        if len(plain) > len(tail) + 1 and plain.endswith(tail.rstrip("s")):
            return plain[: -len(tail.rstrip("s"))]
    return plain


def _bind_positional(call: Call, signature: Signature, slots: dict[str, str]) -> str | None:
    plain = [p for p in signature.params if p.kind not in (VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD)]
    takes_more = any(p.kind == VAR_POSITIONAL for p in signature.params)
    known = [arg for arg in call.args if not arg.startswith("*")]
    for param, arg in zip(plain, call.args, strict=False):
        if arg.startswith("*"):
            break
        slots[param.name] = arg
    if len(known) > len(plain) and not takes_more:
        return f"takes {_count(len(plain), 'positional argument')}, {len(known)} are given"
    return None


def _bind_keywords(call: Call, signature: Signature, slots: dict[str, str]) -> tuple[str | None, tuple[str, ...]]:
    by_name = {p.name for p in signature.params if p.kind not in (VAR_POSITIONAL, VAR_KEYWORD, POSITIONAL_ONLY)}
    takes_all = any(p.kind == VAR_KEYWORD for p in signature.params)
    problem, swallowed = None, []
    for name, text in call.keywords:
        if name == "**":
            continue
        if name in by_name and name in slots:
            problem = problem or f"gets two values for `{name}`"
        elif name in by_name:
            slots[name] = text
        elif takes_all:
            swallowed.append(name)
        else:
            problem = problem or f"has no parameter `{name}`"
    return problem, tuple(swallowed)


def _lacking(signature: Signature, slots: Mapping[str, str]) -> str | None:
    needed = [p for p in signature.params if p.kind not in (VAR_POSITIONAL, VAR_KEYWORD) and p.default is None]
    lacking = [f"`{p.name}`" for p in needed if p.name not in slots]
    return f"gets no value for {', '.join(lacking)}" if lacking else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
