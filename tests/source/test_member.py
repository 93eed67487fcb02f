"""Strings into tested tuples and into `Literal[…]`."""

import pytest

from generator.source.errors import AnchorMissing
from generator.source.member import Member

from .kit import assert_edit, parse

IN_TUPLE = """
class C:
    def f(self):
        if not self.x:
            return
        elif self.x in (
            "a",
            "b",
        ):
            return True
        elif self.x in ("z",):
            return False
"""


def test_into_the_first_tuple_that_an_if_tests():
    assert_edit(IN_TUPLE, Member("C.f", "new"), IN_TUPLE.replace('"b",\n', '"b",\n            "new",\n'))


def test_into_a_literal_and_a_line():
    assert_edit('T = Literal[\n    "a",\n]\n', Member("T", "b"), 'T = Literal[\n    "a",\n    "b",\n]\n')
    assert_edit("T = Literal['a', 'b']\n", Member("T", "c"), "T = Literal['a', 'b', 'c']\n")
    assert_edit(
        "def f():\n    if x in ('a', 'b'): pass\n", Member("f", "c"), "def f():\n    if x in ('a', 'b', 'c'): pass\n"
    )


@pytest.mark.parametrize("code", ["T = 3\n", "T = Literal[A, B]\n", "def T():\n    if x in names: pass\n", ""])
def test_without_a_collection(code):
    with pytest.raises(AnchorMissing):
        Member("T", "a").insert(parse(code))
