"""From a signature that upstream wrote to the parameters of an op; what had to be guessed is said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from generator.spec.errors import SpecError
from generator.spec.param import Param
from generator.spec.types import ParamType, parse_returns, parse_type
from generator.survey.signature import PLAIN, Signature


@dataclass(frozen=True)
class Taken:
    """Parameters taken from a signature.

    Attributes:
        params: in order.
        returns: types of the returned values.
        guesses: one phrase for each thing that the signature did not say in a way that an op can carry.
    """

    params: tuple[Param, ...]
    returns: tuple[str, ...]
    guesses: tuple[str, ...]


def take(signature: Signature, defaults: Mapping[str, str] | None = None, skip: Iterable[str] = ()) -> Taken:
    """Read the parameters of an op from a function that upstream has.

    Args:
        signature: of the function.
        defaults: defaults that stand elsewhere, such as in a decorator.
        skip: parameters that are none of the op's.
    """
    guesses: list[str] = []
    params: list[Param] = []
    for p in signature.without_self().params:
        if p.kind != PLAIN or p.name in set(skip):
            continue
        default = (defaults or {}).get(p.name, p.default)
        params.append(_param(p.name, p.annotation, default, guesses))
    return Taken(_trailing(params, guesses), _returns(signature.returns, guesses), tuple(guesses))


def _param(name: str, annotation: str | None, default: str | None, guesses: list[str]) -> Param:
    type_ = _type(name, annotation, default, guesses)
    if default is None:
        return Param(name, type_)
    try:
        return Param.parse(f"{name}: {type_} = {default}")
    except SpecError:
        guesses.append(f"the default {default} of {name} is left out: register_custom_op cannot carry it")
        return Param(name, type_)


def _type(name: str, annotation: str | None, default: str | None, guesses: list[str]) -> ParamType:
    if annotation is not None:
        try:
            return parse_type(annotation)
        except SpecError:
            guesses.append(f"{name} has the type {annotation}, which no op schema knows: taken as Any")
            return ParamType("Any")
    if default is not None and (kind := _kind(default)):
        return ParamType(kind)
    guesses.append(f"{name} has no annotation: taken as Tensor")
    return ParamType("Tensor")


def _kind(default: str) -> str | None:
    if default in ("True", "False"):
        return "bool"
    if re.fullmatch(r"-?\d+", default):
        return "int"
    if re.fullmatch(r"-?[\d.]+(e-?\d+)?", default):
        return "float"
    return "str" if default[:1] in "'\"" else "Optional[Tensor]" if default == "None" else None


def _trailing(params: list[Param], guesses: list[str]) -> tuple[Param, ...]:
    """Drop defaults that are followed by a parameter without one: the decorator accepts trailing ones only."""
    last = max((i for i, p in enumerate(params) if p.default is None), default=-1)
    for i in range(last):
        if params[i].default is not None:
            guesses.append(f"the default of {params[i].name} is left out: a parameter without one follows")
            params[i] = Param(params[i].name, params[i].type)
    return tuple(params)


def _returns(annotation: str | None, guesses: list[str]) -> tuple[str, ...]:
    if annotation is None:
        guesses.append("the result has no annotation: taken as Tensor")
        return ("Tensor",)
    try:
        return parse_returns(annotation)
    except SpecError:
        guesses.append(f"the result {annotation} is taken as Tensor")
        return ("Tensor",)
