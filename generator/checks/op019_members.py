"""OP019: kinds that the default builder handles and dlinfer's does not."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.members import members_handled

from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_BACKENDS = "lmdeploy:lmdeploy/pytorch/backends"
_DISPATCH = (
    "class B:\n    @classmethod\n    def get_layer_impl_builder(cls, t):\n        if t == OpType.F:\n"
    "            from .f import FBuilder\n            return FBuilder\n"
)


def _builder(*members: str) -> str:
    lines = "".join(f"        if kind == Kind.{m}:\n            return 1\n" for m in members)
    return f"class FBuilder:\n    @staticmethod\n    def build(kind):\n{lines}        raise NotImplementedError\n"


def _files(dlinfer: str, default: str) -> dict[str, str]:
    return {
        f"{_BACKENDS}/dlinfer/op_backend.py": _DISPATCH,
        f"{_BACKENDS}/default/op_backend.py": _DISPATCH,
        f"{_BACKENDS}/dlinfer/f.py": dlinfer,
        f"{_BACKENDS}/default/f.py": default,
    }


@register
class Members(Rule):
    """A builder chooses by the members of an enum (kinds of rotary embedding) and raises NotImplementedError for the
    rest. dlinfer's builder replaces the default one, so a kind that only the default builder knows works on no dlinfer
    device, although it needs nothing but torch.
    """

    id = "OP019"
    title = "dlinfer's builder handles the kinds that the default builder handles"
    severity = WARNING
    needs = ("lmdeploy",)
    reads = ("lmdeploy:lmdeploy/pytorch/backends/",)
    VALID = (
        Case("the same kinds", _files(_builder("A", "B"), _builder("B", "A"))),
        Case("no choice at all", _files("class FBuilder:\n    def build():\n        return 1\n", _builder("A"))),
    )
    INVALID = (
        Case(
            "one kind is missing",
            _files(_builder("A"), _builder("A", "B")),
            ("warning lmdeploy/pytorch/backends/dlinfer/f.py:6",),
            ("Kind.B",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for member, branch in picture.dispatchers.get("dlinfer", {}).items():
            other = picture.dispatchers["default"].get(member)
            if other is None:
                continue
            ours = members_handled(picture.lmdeploy, branch)
            default = members_handled(picture.lmdeploy, other)
            missing = sorted(default.members - ours.members) if ours.members and ours.raises else []
            for name in missing:
                message = f"`{branch.builder}` raises NotImplementedError for {name}, which `{other.builder}` handles"
                next = f"handle {name} in `{branch.builder}.build`, as the default builder does"
                place = Place("lmdeploy", branch.file, ours.raises)
                there = Place("lmdeploy", other.file, default.line)
                yield self.finding(place, name, message, next, other=there)
