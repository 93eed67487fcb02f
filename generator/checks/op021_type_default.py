"""OP021: a type object as a default."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.defaults import TypeDefault, type_defaults
from generator.survey.layers import Layers

from .at import vendors_of_path
from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"


@register
class TypeAsDefault(Rule):
    """`all_reduce: Optional[bool] = bool` makes the type itself the default, which is always true. What was meant is a
    value, or none. A parameter that is annotated as a type (`Type[…]`, `type`) is left alone.
    """

    id = "OP021"
    title = "no default is a type object"
    severity = WARNING
    needs = ()
    VALID = (
        Case("a value", {_OPS: "def f(x: bool = False):\n    pass\n"}),
        Case("a type is wanted", {_OPS: "def f(cls: Type = dict, kind: type[int] = int):\n    pass\n"}),
    )
    INVALID = (
        Case(
            "a type",
            {_OPS: "def f(x: Optional[bool] = bool):\n    pass\n"},
            ("warning dlinfer/ops/llm.py:1",),
            ("`bool`",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for module in picture.modules:
            for one in type_defaults(module.reading):
                yield self._finding(module.reading.repo, module.reading.path, one)

    def _finding(self, repo: str, path: str, one: TypeDefault) -> Finding:
        message = f"the default of `{one.param}` of `{one.function}` is the type `{one.default}`, which is always true"
        next = f"write `{one.param}: {one.annotation} = {'False' if one.default == 'bool' else 'None'}`"
        more = {"vendors": vendors_of_path(path), "op": one.function if path.startswith("dlinfer/ops/") else None}
        return self.finding(Place(repo, path, one.line), one.function, message, next, **more)
