"""Where the signature of an op comes from: what was given, else what is there, else what its name says."""

from __future__ import annotations

from dataclasses import dataclass

from generator.errors import ScaffoldError
from generator.spec.families import UNKNOWN, family_of
from generator.spec.op import OpSpec
from generator.spec.param import Param
from generator.spec.types import parse_returns
from generator.spec.vendor import VENDORS

from .op_forward import forwarded
from .op_impl_signature import from_abstract_impl
from .op_request import OpRequest
from .op_sight import OpSight
from .op_types import Taken, take


@dataclass(frozen=True)
class Declared:
    """The declaration of an op and where it is from.

    Attributes:
        spec: of layers 2 and 3.
        vendor_params: of layer 4, where layer 3 exists and passes on something else than all its parameters.
        source: where the signature is from, in the reader's words.
        where: `repo/path:line` of it, or None.
        guesses: what the source did not say.
        inferred: True if nobody gave it.
    """

    spec: OpSpec
    vendor_params: tuple[Param, ...]
    source: str
    where: str | None = None
    guesses: tuple[str, ...] = ()
    inferred: bool = True


def declare(request: OpRequest, sight: OpSight) -> Declared:
    """Find the declaration.

    Raises:
        SpecError, ScaffoldError: what was given is inconsistent, or `--like` names no op.
    """
    there = _from_layers(request.name, sight)
    if request.params is not None:
        given = _given(request)
        if sight.picture.op or sight.picture.vendors:
            _refuse_other(given, there)
        return given
    if request.like:
        found = _from_layers(request.like, sight.of(request.like))
        if found is None:
            raise ScaffoldError(f"no op is called `{request.like}`", next=_near(request.like, sight))
        source = f"{request.like}, {found.source}"
        return _adjust(request, Declared(_renamed(found.spec, request.name), (), source, found.where, found.guesses))
    return _adjust(request, there or _from_family(request.name) or _placeholder(request.name))


def _given(request: OpRequest) -> Declared:
    params = tuple(Param.parse(p) for p in request.params)
    returns = parse_returns(request.returns or "Tensor")
    if request.shape_from is None:
        return Declared(_spec(request.name, Taken(params, returns, ())), (), "--param", inferred=False)
    return Declared(OpSpec(request.name, params, returns, request.shape_from), (), "--param", inferred=False)


def _refuse_other(given: Declared, there: Declared | None) -> None:
    """An op that exists cannot be given another signature: its layers would not agree."""
    if there is None or (there.spec.params, there.spec.returns) == (given.spec.params, given.spec.returns):
        return
    raise ScaffoldError(
        f"`{given.spec.name}` exists with other parameters: {there.spec}",
        where=there.where,
        next="leave --param out to take these, or choose another name",
    )


def _adjust(request: OpRequest, found: Declared) -> Declared:
    """Apply `--returns` and `--shape-from` to a signature that was found."""
    if request.returns is None and request.shape_from is None:
        return found
    spec = found.spec
    returns = parse_returns(request.returns) if request.returns else spec.returns
    shape = request.shape_from if request.shape_from is not None else spec.shape_from
    if request.shape_from is None and len(shape) != len(returns):
        shape = _first(tuple(p.name for p in spec.tensors), len(returns))
    return Declared(
        OpSpec(spec.name, spec.params, returns, shape), found.vendor_params, found.source, found.where, found.guesses
    )


def _from_layers(name: str, sight: OpSight) -> Declared | None:
    """The signature that the op has already: layer 3, a vendor, the abstract Impl, a default or CUDA kernel."""
    picture = sight.picture
    if op := picture.op:
        taken = take(op.signature, op.default_value)
        spec = OpSpec(name, taken.params, taken.returns, _keys(op.shape_keys, taken))
        return Declared(spec, forwarded(op, taken.params), "layer 3", f"dlinfer/{op.path}:{op.line}", taken.guesses)
    for vendor, op4 in picture.vendors.items():
        taken = take(op4.signature)
        where = f"dlinfer/{op4.path}:{op4.line}"
        return Declared(_spec(name, taken), (), f"layer 4 of {VENDORS[vendor].title}", where, taken.guesses)
    if found := from_abstract_impl(sight):
        return Declared(_spec(name, found.taken), (), f"the abstract {found.name}", found.where, found.taken.guesses)
    for kernel in picture.kernels:
        taken = take(kernel.signature)
        where = f"lmdeploy/{kernel.path}:{kernel.line}"
        return Declared(_spec(name, taken), (), "the lmdeploy kernel", where, taken.guesses)
    return None


def _from_family(name: str) -> Declared | None:
    family = family_of(name)
    if family is UNKNOWN:
        return None
    return Declared(family.spec(name), (), f"the name: it is in the family {family.name.replace('_', ' ')}")


def _placeholder(name: str) -> Declared:
    guess = f"nothing is known of {name}: the signature is a placeholder"
    return Declared(UNKNOWN.spec(name), (), "no source", guesses=(guess,))


def spec_of(name: str, params: tuple[Param, ...], returns: tuple[str, ...]) -> OpSpec:
    """The declaration of an op with these parameters, whose shape sources nobody states."""
    return _spec(name, Taken(params, returns, ()))


def _spec(name: str, taken: Taken) -> OpSpec:
    """The declaration of an op whose shape sources nobody states: those of its family, else the first tensors."""
    family = family_of(name)
    bound = family.bind(taken.params)
    if bound and parse_returns(family.returns) == taken.returns:
        return OpSpec(name, taken.params, taken.returns, tuple(bound[s] for s in family.shape))
    tensors = tuple(p.name for p in taken.params if p.type.is_tensor)
    return OpSpec(name, taken.params, taken.returns, _first(tensors, len(taken.returns)))


def _keys(keys: tuple[str, ...], taken: Taken) -> tuple[str, ...]:
    tensors = {p.name for p in taken.params if p.type.is_tensor}
    return keys if len(keys) == len(taken.returns) and set(keys) <= tensors else ()


def _first(tensors: tuple[str, ...], count: int) -> tuple[str, ...]:
    return tensors[:count] if len(tensors) >= count else ()


def _renamed(spec: OpSpec, name: str) -> OpSpec:
    return OpSpec(name, spec.params, spec.returns, spec.shape_from)


def _near(name: str, sight: OpSight) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, sight.known_ops, n=3, cutoff=0.5)
    return f"did you mean {' or '.join(f'`{n}`' for n in near)}?" if near else "name an op of dlinfer/ops/llm.py"
