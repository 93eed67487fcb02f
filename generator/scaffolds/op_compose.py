"""A body of layer 4 out of ops that the same vendor file registers already: only native calls that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from generator.errors import ScaffoldError
from generator.spec.errors import SpecError
from generator.spec.names import words
from generator.spec.op import OpSpec
from generator.spec.types import parse_returns
from generator.survey.vendor_layer import Op4

_GATED = {"gated", "gate"}


def compose(spec: OpSpec, ops: Mapping[str, Op4], where: str) -> list[str]:
    """Return the lines of a body.

    `rms_norm_gated` is rms_norm, then silu of the gate times the result; `rms_norm_dynamic_quant` is rms_norm, then
    dynamic_quant. Parts that are stubs do not count.

    Args:
        spec: of layer 4.
        ops: what the vendor registers.
        where: the vendor's file, for the message.

    Raises:
        ScaffoldError: a part is not registered, or needs a parameter that the op does not have.
    """
    usable = {name: op for name, op in ops.items() if not op.is_stub and name != spec.name}
    names = words(spec.name)
    if _GATED & set(names) and "gate" in {p.name for p in spec.params}:
        return _gated(spec, tuple(w for w in names if w not in _GATED), usable, where)
    parts = _split(tuple(w for w in names), usable)
    if not parts:
        raise _missing(spec, [n for n in usable if set(words(n)) & set(names)], where)
    return _chain(spec, [usable[p] for p in parts], where)


def _gated(spec: OpSpec, rest: tuple[str, ...], ops: Mapping[str, Op4], where: str) -> list[str]:
    inner = "_".join(rest)
    for part in (inner, "silu_and_mul"):
        if part not in ops:
            raise _missing(spec, [part], where)
    lines, result = _call(spec, ops[inner], None, "normed", where)
    # silu_and_mul takes one tensor, the gate in its first half.
    return [*lines, f"return silu_and_mul(torch.cat([gate, {result[0]}], dim=-1), -1)"]


def _chain(spec: OpSpec, parts: Sequence[Op4], where: str) -> list[str]:
    """Each part's first result is the next part's first tensor; its other results are returned at the end."""
    lines: list[str] = []
    feed, kept = None, []
    for i, part in enumerate(parts):
        new, results = _call(spec, part, feed, f"part{i}", where)
        lines += new
        feed, kept = results[0], [*results[1:], *kept]
    results = [feed, *kept]
    if len(results) != len(spec.returns):
        raise ScaffoldError(
            f"{' then '.join(p.name for p in parts)} gives {len(results)} value(s), {spec.name} {len(spec.returns)}",
            where=where,
            next="change --returns, or write the body by hand",
        )
    return [*lines, f"return {', '.join(results)}"]


def _call(spec: OpSpec, part: Op4, feed: str | None, name: str, where: str) -> tuple[list[str], list[str]]:
    own = {p.name for p in spec.params}
    args = []
    for i, p in enumerate(part.signature.params):
        if i == 0 and feed is not None:
            args.append(feed)
        elif p.name in own or (i == 0 and feed is None):
            args.append(p.name if p.name in own else _first_tensor(spec, part, where))
        elif p.default is None:
            raise ScaffoldError(
                f"{part.name} needs `{p.name}`, and {spec.name} has no such parameter",
                where=f"{where}:{part.line}",
                next="add it with --param, or use --body torch or a native call",
            )
    count = _results(part)
    results = [name] if count == 1 else [f"{name}_{k}" for k in range(count)]
    return [f"{', '.join(results)} = {part.name}({', '.join(args)})"], results


def _first_tensor(spec: OpSpec, part: Op4, where: str) -> str:
    if not spec.tensors:
        raise ScaffoldError(f"{spec.name} has no tensor for {part.name}", where=f"{where}:{part.line}")
    return spec.tensors[0].name


def _results(part: Op4) -> int:
    try:
        return max(len(parse_returns(part.signature.returns or "Tensor")), 1)
    except SpecError:
        return 1


def _split(names: tuple[str, ...], ops: Mapping[str, Op4]) -> list[str]:
    """The registered ops whose names, one after the other, are the op's name; the longest first."""
    if not names:
        return []
    if names[0] in ("and", "then"):
        return _split(names[1:], ops)
    for end in range(len(names), 0, -1):
        head = "_".join(names[:end])
        rest = _split(names[end:], ops) if head in ops else []
        if head in ops and (rest or end == len(names)):
            return [head, *rest]
    return []


def _missing(spec: OpSpec, parts: Sequence[str], where: str) -> ScaffoldError:
    known = f"nearest are {', '.join(parts)}" if parts else "nothing near is registered"
    return ScaffoldError(
        f"{spec.name} cannot be composed from the ops that this file registers: {known}",
        where=where,
        next="use --body torch, a native call, or leave --body out for a stub",
    )
