"""OP020: a value divided by itself."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.same import same_operands

from .at import vendors_of_path
from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_MACA = "dlinfer:dlinfer/vendor/maca/maca_ops.py"


@register
class SameOperands(Rule):
    """`num_q_heads // num_q_heads` is always 1, and `x - x` always 0: one of both was meant to be something else.

    Looked at are `/`, `//`, `%` and `-` between one and the same name, in the vendors' code and lmdeploy's layers 1
    and 2.
    """

    id = "OP020"
    title = "no value is divided by, or subtracted from, itself"
    severity = WARNING
    needs = ()
    VALID = (Case("two names", {_MACA: "def f(n, m):\n    return n // m - m * m\n"}),)
    INVALID = (
        Case(
            "twice the same",
            {_MACA: "def f(n, m):\n    return n // n\n"},
            ("warning dlinfer/vendor/maca/maca_ops.py:2",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for module in picture.modules:
            reading = module.reading
            for line, text in same_operands(reading):
                message = f"`{text}` has the same value on both sides"
                place = Place(reading.repo, reading.path, line)
                next = "correct one of both"
                yield self.finding(place, text, message, next, vendors=vendors_of_path(reading.path))
