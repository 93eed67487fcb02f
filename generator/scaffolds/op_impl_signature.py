"""The signature of an op whose abstract Impl lmdeploy has already."""

from __future__ import annotations

from dataclasses import dataclass

from generator.spec.param import Param
from generator.survey.impls import BackendClass, Method
from generator.survey.op_type import OpTypePicture

from .op_sight import OpSight
from .op_types import Taken, take


@dataclass(frozen=True)
class FromImpl:
    """What an abstract Impl says of an op.

    Attributes:
        name: of the class.
        where: `lmdeploy/path:line`.
        taken: its forward's parameters, and those of its builder that an implementation's forward reads.
    """

    name: str
    where: str
    taken: Taken


def main_method(impl: BackendClass) -> Method | None:
    """The method that does the work: `forward`, else the first abstract one."""
    if "forward" in impl.methods:
        return impl.methods["forward"]
    return next((m for m in impl.methods.values() if m.abstract), None)


def from_abstract_impl(sight: OpSight) -> FromImpl | None:
    """Read the op's signature from its abstract Impl; None if there is none."""
    found = sight.type_picture
    method = main_method(found.abstract_impl) if found and found.abstract_impl else None
    if not method:
        return None
    forward = take(method.signature)
    static = _static(found, {p.name for p in forward.params})
    params = sorted([*forward.params, *static], key=lambda p: p.default is not None)
    taken = Taken(tuple(params), forward.returns, forward.guesses)
    return FromImpl(found.abstract_impl.name, f"lmdeploy/{found.abstract_impl.path}:{method.line}", taken)


def _static(found: OpTypePicture, taken: set[str]) -> list[Param]:
    """The builder's parameters that an implementation reads when it computes."""
    build = found.abstract_builder.methods.get("build") if found.abstract_builder else None
    reads = _reads(found)
    if not build or not reads:
        return []
    return [p for p in take(build.signature).params if p.name in reads and p.name not in taken]


def _reads(found: OpTypePicture) -> set[str]:
    """The attributes that the work of the default (else CUDA) implementation reads."""
    for backend in ("default", "cuda"):
        side = found.backends.get(backend)
        for impl in side.impls if side else ():
            if method := main_method(impl):
                return set(method.reads)
    return set()
