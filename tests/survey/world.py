"""A small workspace of our own: invented ops in the structural forms of upstream."""

from __future__ import annotations

from pathlib import Path

from generator.workspace.checkout import Checkout, Workspace

DLINFER = {
    "dlinfer/__init__.py": "",
    "dlinfer/ops/__init__.py": "from .llm import *\n",
    "dlinfer/ops/llm.py": '''\
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.type_annotation import Tensor, Optional, Sequence, Tuple
from dlinfer.graph.custom_op import register_custom_op

__all__ = [
    "swap_halves",
    "weigh_rows",
    "turn_over",
]


@register_custom_op("dlinfer::swap_halves", ["x"])
def swap_halves(x: Tensor, dim: int) -> Tensor:
    """
    Swap the halves of a tensor.
    """
    return vendor_ops_registry["swap_halves"](x, dim)


def weigh_rows_impl_abstract_func(x: Tensor, weight: Tensor) -> Tensor:
    return x


@register_custom_op(
    "dlinfer::weigh_rows",
    impl_abstract_func=weigh_rows_impl_abstract_func,
    default_value={"scale": None, "group": "", "sizes": tuple()},
)
def weigh_rows(
    x: Tensor,
    weight: Tensor,
    scale: Optional[float],
    group: str,
    sizes: Sequence[int],
) -> Tuple[
    Tensor,
    Tensor,
]:
    return vendor_ops_registry["weigh_rows"](
        x,
        weight,
        scale,
        group=group,
    )


"""
@register_custom_op("dlinfer::ghost", ["x"])
def ghost(x: Tensor) -> Tensor:
    return vendor_ops_registry["ghost"](x)
"""


# an op that is in no __all__, with its forward through a local and a tuple
def hidden_turn(x: Tensor, topk: int, layout=None) -> Tensor:
    turn = vendor_ops_registry["hidden_turn"]
    args = (
        x,
        topk,
    )
    if layout is None:
        return turn(*args)
    return turn(*args, layout)


def turn_over(x):
    return x
''',
    "dlinfer/vendor/__init__.py": "",
    "dlinfer/vendor/ascend/torch_npu_ops.py": '''\
import torch
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils.registry import register_ops

__all__ = ["swap_halves"]


@register_ops(vendor_ops_registry)
def swap_halves(x, dim):
    out = torch.ops.npu.npu_swap(x.contiguous(), dim=dim)[0]
    return torch.ops.atb._npu_view(out)


text = """
@register_ops(vendor_ops_registry)
def ghost(x):
    return x
"""


@register_ops(vendor_ops_registry)
def hidden_turn(x, topk, layout):
    """Not here."""
    raise NotImplementedError("hidden_turn")
''',
    "dlinfer/vendor/camb/camb_ops.py": """\
import torch_mlu_ops
import torch_mlu_ops as tmo
from torch_mlu_ops import active as act
from dlinfer.vendor import vendor_ops_registry
from dlinfer.utils import registry


@registry.register_ops(vendor_ops_registry)
def swap_halves(x, dim):
    return tmo.swap(torch_mlu_ops.rows(x), act(x), None, dim=dim)


def helper(x):
    return tmo.helper(x)
""",
}

LMDEPLOY = {
    "lmdeploy/pytorch/__init__.py": "",
    "lmdeploy/pytorch/kernels/dlinfer/__init__.py": """\
from ..default import per_row
from .rows import swap_rows
from .rows import weigh as weigh_alias

__all__ = [
    'swap_rows',
    'per_row',
]
""",
    "lmdeploy/pytorch/kernels/dlinfer/rows.py": """\
import dlinfer.ops as ext_ops
from torch import Tensor


def inner_swap(x: Tensor, dim: int = -1):
    return ext_ops.swap_halves(x, dim)


def swap_rows(x: Tensor):
    return inner_swap(x)


def weigh(x, weight, out=None):
    first, second = ext_ops.weigh_rows(x, weight, scale=None)
    return first
""",
    "lmdeploy/pytorch/kernels/cuda/rows.py": """\
import triton


@triton.jit
def _swap_halves_kernel(x_ptr):
    pass


def swap_halves(x, dim=-1, out=None):
    _swap_halves_kernel[(1, )](x)
""",
    "lmdeploy/pytorch/backends/__init__.py": "",
    "lmdeploy/pytorch/backends/base.py": """\
from enum import Enum, auto


class OpType(Enum):
    \"\"\"Layer type enumerate.\"\"\"
    SwapRows = auto()
    WeighRows = auto()

    # only here

    # Turning
    TurnOver = auto()
    HiddenTurn = auto()  # trailing words

    Last = auto()
""",
    "lmdeploy/pytorch/backends/rows.py": """\
from abc import ABC, abstractmethod


class SwapRowsImpl(ABC):
    @abstractmethod
    def forward(self, x, dim=-1):
        raise NotImplementedError


class SwapRowsBuilder(ABC):
    @staticmethod
    @abstractmethod
    def build(dim: int = -1):
        raise NotImplementedError


class TurnOverImpl(ABC):
    def forward(self, x):
        raise NotImplementedError
""",
    "lmdeploy/pytorch/backends/dlinfer/op_backend.py": """\
from ..base import OpType
from ..default import DefaultOpsBackend
from .rows import ownlessBuilder


class DlinferOpsBackend(DefaultOpsBackend):

    @classmethod
    def get_layer_impl_builder(cls, layer_type: OpType):
        if layer_type == OpType.SwapRows:
            from .rows import DlinferSwapRowsBuilder
            return DlinferSwapRowsBuilder
        elif layer_type == OpType.WeighRows:
            from .package import WeighBuilder as Renamed
            return Renamed
        elif layer_type in (OpType.Last, OpType.HiddenTurn):
            return ownlessBuilder
        else:
            return super().get_layer_impl_builder(layer_type)
""",
    "lmdeploy/pytorch/backends/dlinfer/rows.py": """\
from lmdeploy.pytorch.kernels.dlinfer import swap_rows

from ..rows import SwapRowsBuilder, SwapRowsImpl


class DlinferSwapRowsImpl(SwapRowsImpl[int]):

    def __init__(self, dim: int):
        self.dim = dim
        self.swap_rows = swap_rows

    def forward(self, x, dim=-1):
        return self.swap_rows(x) + self.dim


class DlinferSwapRowsBuilder(SwapRowsBuilder):

    @staticmethod
    def build(dim: int = -1):
        return DlinferSwapRowsImpl(dim)
""",
    "lmdeploy/pytorch/backends/dlinfer/package/__init__.py": "from .inside import WeighBuilder\n",
    "lmdeploy/pytorch/backends/dlinfer/package/inside.py": """\
def launch(x, weight):
    from lmdeploy.pytorch.kernels.dlinfer.rows import weigh
    return weigh(x, weight, out=x)


class WeighImpl:
    def forward(self, x, weight):
        return launch(x, weight)


class LoudWeighImpl(WeighImpl):
    pass


class WeighBuilder:
    @staticmethod
    def build(loud: bool):
        return LoudWeighImpl() if loud else WeighImpl()
""",
    "lmdeploy/pytorch/backends/default/op_backend.py": """\
class DefaultOpsBackend:
    @classmethod
    def get_layer_impl_builder(cls, layer_type):
        if layer_type == OpType.TurnOver:
            from .rows import DefaultTurnOverBuilder
            return DefaultTurnOverBuilder
        else:
            raise RuntimeError(f'{layer_type} not supported.')
""",
    "lmdeploy/pytorch/backends/default/rows.py": """\
class DefaultTurnOverImpl(TurnOverImpl):
    def forward(self, x):
        return x.flip(0)


class DefaultTurnOverBuilder:
    @staticmethod
    def build():
        return DefaultTurnOverImpl()
""",
    "lmdeploy/pytorch/nn/__init__.py": "from .rows import SwapRows\n",
    "lmdeploy/pytorch/nn/rows.py": """\
from ..backends import OpType, get_backend


class SwapRows:
    def __init__(self, quiet):
        self.impl = get_backend().get_layer_impl_builder(OpType.SwapRows if quiet else OpType.Last).build()

    def forward(self, x):
        return self.impl.forward(x)


def turn_over(x):
    return get_backend().get_layer_impl_builder(OpType.TurnOver).build().forward(x)
""",
    "lmdeploy/pytorch/models/__init__.py": "",
}


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files under a root, with the very bytes."""
    for path, text in files.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def checkout(repo: str, root: Path) -> Checkout:
    """The checkout at a root, without looking at it."""
    root = root.resolve()
    return Checkout(repo, root, root / repo)


def build(root: Path, **more: dict[str, str | bytes]) -> Workspace:
    """Write the small workspace; `lmdeploy=` and `dlinfer=` add files or replace them."""
    write(root / "lmdeploy", LMDEPLOY | more.get("lmdeploy", {}))
    write(root / "dlinfer", DLINFER | more.get("dlinfer", {}))
    return Workspace({repo: checkout(repo, root / repo) for repo in ("lmdeploy", "dlinfer")})
