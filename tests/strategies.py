"""Random declarations of ops, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from generator.spec.errors import SpecError
from generator.spec.names import check_identifier
from generator.spec.op import OpSpec
from generator.spec.param import Param
from generator.spec.types import ParamType

_WORDS = "rms norm gated silu add mul fused moe topk linear quant rope cache x2 conv1d w8a8 alpha beta".split()
_TYPES = "Tensor int float bool str torch.dtype Optional[Tensor] Optional[float] Sequence[int] Sequence[Tensor]".split()
_DEFAULTS = {
    "int": ["0", "-1", "42"],
    "float": ["1e-6", "0.5", "1.0"],
    "bool": ["True", "False"],
    "str": ['"silu"', '""'],
    "Optional[Tensor]": ["None"],
    "Optional[float]": ["None", "2.5"],
    "Sequence[int]": ["tuple()"],
}


def op_names():
    """Names that an op may have, some of them in a family."""
    return st.lists(st.sampled_from(_WORDS), min_size=2, max_size=4).map("_".join).filter(lambda n: not n[0].isdigit())


def identifiers():
    """Names that a parameter may have."""
    return st.from_regex(r"[a-z][a-z0-9_]{0,14}", fullmatch=True).filter(_usable)


def _usable(name: str) -> bool:
    try:
        Param.parse(f"{check_identifier(name, 'a parameter')}: Tensor")
    except SpecError:
        return False
    return True


@st.composite
def specs(draw) -> OpSpec:
    """Any op that can be declared."""
    name = draw(op_names())
    names = draw(st.lists(identifiers().filter(lambda n: n != name), min_size=1, max_size=9, unique=True))
    defaulted = draw(st.integers(0, len(names)))
    params = [_param(draw, n, i >= len(names) - defaulted) for i, n in enumerate(names)]
    tensors = [p.name for p in params if p.type.is_tensor]
    count = draw(st.integers(0 if not tensors else 1, 3))
    returns = ("Tensor",) * count
    shape = tuple(draw(st.sampled_from(tensors)) for _ in returns) if tensors and draw(st.booleans()) else ()
    return OpSpec(name, tuple(params), returns, shape)


def _param(draw, name: str, defaulted: bool) -> Param:
    type_ = draw(st.sampled_from(sorted(_DEFAULTS) if defaulted else _TYPES))
    default = draw(st.sampled_from(_DEFAULTS[type_])) if defaulted else None
    return Param(name, ParamType(type_), default)
