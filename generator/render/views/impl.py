"""Layers 0 and 1 of an op: what a builder fixes, what a forward is given, and how they meet the wrapper."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from generator.spec.param import Param
from generator.spec.types import ParamType

if TYPE_CHECKING:
    from .op import OpView

# lmdeploy's layers write `eps`; dlinfer's ops write `epsilon`.
_SHORT = {"epsilon": "eps"}
_EPS_DEFAULT = "1e-6"


class ImplView:
    """The Impl and the Builder of an op whose OpType this tool adds.

    Scalars that a model fixes (an epsilon, a dimension) go to the builder; tensors and what changes with the batch
    (`max_…`, `…_seq_…`) go to `forward`.
    """

    def __init__(self, op: OpView):
        self._op = op

    @cached_property
    def static(self) -> list[Param]:
        """The parameters that the builder is given."""
        return [_renamed(p) for p in self._op.spec.params if _is_static(p)]

    @cached_property
    def dynamic(self) -> list[Param]:
        """The parameters of `forward`."""
        return [p for p in self._op.spec.params if not _is_static(p)]

    @property
    def base(self) -> str:
        """The abstract Impl."""
        return self.existing["impl"] if self.existing else f"{self._op.op_type}Impl"

    @property
    def builder(self) -> str:
        """The abstract Builder."""
        return self.existing["builder"] if self.existing else f"{self._op.op_type}Builder"

    @property
    def module(self) -> str:
        """The stem of the module that holds the abstract classes."""
        return self.existing["module"] if self.existing else self._op.answers["module"]

    def base_import(self, columns: int) -> str:
        """The import of the abstract classes, as ruff's isort writes it."""
        names = sorted((self.builder, self.base))
        line = f"from ..{self.module} import {', '.join(names)}"
        if len(line) <= columns:
            return line
        return f"from ..{self.module} import (\n" + "".join(f"    {n},\n" for n in names) + ")"

    @property
    def uses_torch(self) -> bool:
        """True if the text of the dlinfer Impl says `torch.`."""
        if self.existing:
            texts = self.existing["build"] + [p for m in self.existing["methods"] for p in m["params"]]
        else:
            texts = self.build_params + self.forward_params
        return any("torch." in t for t in texts)

    @property
    def default_uses_torch(self) -> bool:
        """True if the default implementation says `torch.`."""
        return self._op.has_reference or self.uses_torch

    @property
    def nn_uses_torch(self) -> bool:
        """True if the `nn` module says `torch.`."""
        return self.owns_weight or any("torch." in t for t in self.nn_init_params + self.nn_forward_params)

    @property
    def owns_weight(self) -> bool:
        """True if the `nn` module owns `weight`."""
        return self._op.family.owns_weight and any(p.name == "weight" for p in self.dynamic)

    @property
    def build_params(self) -> list[str]:
        """The parameters of `build` and of the Impl's `__init__`."""
        size = ["hidden_size: int"] if self.owns_weight else []
        return size + [self._op.annotations.param(p) for p in self._defaults_last(self.static)]

    @property
    def build_args(self) -> list[str]:
        """The names of `build`'s parameters."""
        return [p.partition(":")[0].partition("=")[0] for p in self.build_params]

    @property
    def forward_params(self) -> list[str]:
        """The parameters of `forward`, self included."""
        return ["self", *(self._op.annotations.param(p) for p in self._defaults_last(self.dynamic))]

    @property
    def call_args(self) -> list[str]:
        """The arguments of the kernel wrapper, in its order."""
        return [f"self.{_SHORT.get(p.name, p.name)}" if _is_static(p) else p.name for p in self._op.spec.params]

    @property
    def ref(self) -> dict[str, str]:
        """What each parameter of the op is called inside the Impl's forward, for the reference formula."""
        return dict(zip(self._op.names, self.call_args, strict=True))

    @property
    def nn_init_params(self) -> list[str]:
        """The parameters of the `nn` module's `__init__`, self included."""
        optional = self._op.annotations
        extra = []
        if self.owns_weight:
            dtype, device = ("torch.dtype | None", "torch.device | None")
            if optional.era == "typing":
                dtype, device = "torch.dtype", "torch.device"
            extra = [f"dtype: {dtype} = None", f"device: {device} = None"]
        return ["self", *self.build_params, *extra]

    @property
    def nn_forward_params(self) -> list[str]:
        """The parameters of the `nn` module's `forward`: those of the Impl without the weight it owns."""
        own = "weight" if self.owns_weight else ""
        return ["self", *(self._op.annotations.param(p) for p in self._defaults_last(self.dynamic) if p.name != own)]

    @property
    def nn_forward_args(self) -> list[str]:
        """What the `nn` module passes to the Impl, in the order of its forward."""
        own = "weight" if self.owns_weight else ""
        names = [p.name for p in self._defaults_last(self.dynamic)]
        return ["self.weight" if n == own else n for n in names]

    @property
    def existing(self) -> dict[str, Any] | None:
        """The abstract Impl that lmdeploy has already, or None where layer 0 adds it."""
        return self._op.answers["abstract"] or None

    @staticmethod
    def _defaults_last(params: list[Param]) -> list[Param]:
        return sorted(params, key=lambda p: p.default is not None)


def _is_static(param: Param) -> bool:
    if param.type.text not in ("int", "float", "bool", "str", "torch.dtype", "Optional[float]", "Optional[int]"):
        return False
    return not param.name.startswith("max_") and "seq" not in param.name


def _renamed(param: Param) -> Param:
    if param.name in _SHORT and param.default is None:
        return Param(_SHORT[param.name], ParamType(param.type.text), _EPS_DEFAULT)
    return Param(_SHORT.get(param.name, param.name), param.type, param.default)
