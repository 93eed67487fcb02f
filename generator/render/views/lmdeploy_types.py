"""How lmdeploy spells the type of a parameter, by the era of the checkout."""

from __future__ import annotations

from dataclasses import dataclass

from generator.spec.param import Param


@dataclass(frozen=True)
class Annotations:
    """The spelling of one checkout.

    Attributes:
        era: `pipe` for `X | None` (since 2026-03-24), `typing` before: there an optional is written as its plain type
            with the default None, which needs no import in a file that somebody else owns.
    """

    era: str

    def param(self, param: Param, tensor: str = "torch.Tensor") -> str:
        """`name: type = default` as lmdeploy writes it; a type that is no schema type is left out.

        Args:
            tensor: how this file names the tensor class.
        """
        default = f" = {self.default(param.default)}" if param.default is not None else ""
        type_ = self.type(param.type.text, tensor)
        if type_ is None:
            return f"{param.name}={self.default(param.default)}" if param.default is not None else param.name
        return f"{param.name}: {type_}{default}"

    def type(self, text: str, tensor: str = "torch.Tensor") -> str | None:
        """The type in lmdeploy's spelling, or None where lmdeploy has no name for it."""
        if text.startswith("Optional["):
            inner = self.type(text[9:-1], tensor)
            return inner if inner is None or self.era == "typing" else f"{inner} | None"
        if text.startswith("Sequence["):
            inner = self.type(text[9:-1], tensor)
            return "list" if inner is None or self.era == "typing" else f"list[{inner}]"
        if text in ("Tensor", "linear_w8a8_scale_type", "dynamic_quant_scale_type"):
            return tensor
        return text if text in ("int", "float", "bool", "str", "torch.dtype") else None

    def default(self, text: str) -> str:
        """A default in lmdeploy's quotes."""
        return f"'{text[1:-1]}'" if text.startswith('"') else text
