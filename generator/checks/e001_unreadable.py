"""E001: a file that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.reading import Unreadable as Record

from .at import vendors_of_path
from .finding import Finding, Place
from .rule import Case, Rule, register

_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"


@register
class Unreadable(Rule):
    """A file that does not parse, is not in the encoding that it says, is larger than 2 MB, or is nested too deeply,
    could not be looked at by any rule. It is one error about that file: no clean result hides it.
    """

    id = "E001"
    title = "every file in scope can be read and parsed"
    needs = ()
    late = True
    VALID = (
        Case("an encoding that it says", {_CAMB: "# -*- coding: latin-1 -*-\nx = 1\n"}),
        Case("a byte order mark", {_CAMB: "\ufeffx = 1\n"}),
        Case("carriage returns", {_CAMB: "x = 1\r\ny = 2\r\n"}),
    )
    INVALID = (
        Case(
            "a syntax error",
            {_CAMB: "x = 1\ndef f(:\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:2",),
            ("does not parse",),
        ),
        Case("a null byte", {_CAMB: "x = 1\n\0"}, ("error dlinfer/vendor/camb/camb_ops.py:1",)),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        yield from map(self._finding, picture.unreadable)

    def find_in(self, picture: Layers, touched: frozenset[tuple[str, str]]) -> Iterator[Finding]:
        yield from map(self._finding, picture.unreadable_in(touched))

    def _finding(self, one: Record) -> Finding:
        message = f"the file {one.reason}: no rule could look at it"
        place = Place(one.repo, one.path, one.line)
        next = "repair the file, or take it out of the package"
        return self.finding(place, one.path, message, next, vendors=vendors_of_path(one.path))
