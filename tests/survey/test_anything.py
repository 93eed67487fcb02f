"""Whatever stands in a file, reading it gives records or a reason, never an exception."""

import ast

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesmith import from_grammar

from generator.spec.vendor import VENDORS
from generator.survey.calls import calls_in
from generator.survey.impls import classes_in
from generator.survey.imports import imports_in
from generator.survey.likeness import names_like
from generator.survey.nn_layer import nn_in
from generator.survey.ops_layer import ops_in
from generator.survey.reading import Reading
from generator.survey.syntax import functions
from generator.survey.vendor_layer import vendor_ops_in
from generator.survey.wrapper_layer import Exports, wrappers_in

FRAGMENTS = st.sampled_from(
    [
        "@register_custom_op('a::b', ['x'])\n",
        "@register_custom_op(*a, **b)\n",
        "@register_custom_op_default_value()\n",
        "@register_ops(r)\n",
        "def f(x, *a, y=1, **k):\n    return vendor_ops_registry['f'](x, *a, **k)\n",
        "def g():\n    h = vendor_ops_registry[k]\n    a = (1, *h)\n    return h(*a)()\n",
        "class C(Base[int], metaclass=M):\n    def __init__(self):\n        self.x, (self.y, *z) = 1, (2, 3)\n",
        "__all__ = ['f'] + other\n",
        "__all__ += f()\n",
        "from .. import *\n",
        "from ......... import far\n",
        "import a.b.c, d as e\n",
        "async def k(): await (lambda: vendor_ops_registry)()\n",
        "x: int\n",
        "'''\n",
        "    ",
        "\r",
        "\ufeff",
        "# coding: utf-16\n",
    ]
)


def read_everything(data: bytes) -> Reading:
    reading = Reading("dlinfer", "dlinfer/ops/llm.py", data)
    ops_in(reading), classes_in(reading), nn_in(reading, frozenset()), imports_in([reading.tree], reading)
    for vendor in VENDORS.values():
        vendor_ops_in(reading, vendor)
    wrappers_in(reading, Exports({}, None))
    names_like(data, "f")
    for function in functions(reading.tree):
        calls_in(function, reading)
    return reading


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass"))))
def test_bytes(data):
    read_everything(data)


@settings(max_examples=200, deadline=None)
@given(st.lists(FRAGMENTS, max_size=8).map("".join))
def test_pieces_of_the_forms(text):
    reading = read_everything(text.encode())
    try:
        ast.parse(text.encode())
    except (SyntaxError, ValueError):
        assert reading.unreadable
    else:
        assert not reading.unreadable


@settings(max_examples=100, deadline=None)
@given(from_grammar())
def test_any_python(text):
    assert not read_everything(text.encode()).unreadable
