"""A signature is read as it is written, and prints as Python that reads back to itself."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.survey.signature import KEYWORD_ONLY, PLAIN, VAR_KEYWORD, VAR_POSITIONAL, Param, Signature, signature_of

ANNOTATIONS = st.sampled_from([None, "Tensor", "Optional[Tensor]", "torch.Tensor | None", "Tuple[int, ...]", "'Later'"])
DEFAULTS = ("None", "-1", "1e-06", "''", "tuple()", "torch.float16", "[1, 2]")


def read(text: str) -> Signature:
    return signature_of(ast.parse(text).body[0])


def test_every_kind_of_parameter():
    signature = read("def f(a, /, b: int, c=1, *args: T, d, e: str = 'x', **kw) -> Tensor: ...")
    assert [p.kind for p in signature.params] == [
        "positional-only",
        PLAIN,
        PLAIN,
        VAR_POSITIONAL,
        KEYWORD_ONLY,
        KEYWORD_ONLY,
        VAR_KEYWORD,
    ]
    assert signature.params[1] == Param("b", "int")
    assert signature.params[2] == Param("c", None, "1")
    assert signature.params[5] == Param("e", "str", "'x'", KEYWORD_ONLY)
    assert signature.returns == "Tensor"


def test_a_bound_method():
    assert read("def f(self, x): ...").without_self().names == ("x",)
    assert read("def f(x, self): ...").without_self().names == ("x", "self")
    assert read("def f(): ...").without_self().names == ()


@st.composite
def signatures(draw) -> Signature:
    kinds = ["positional-only", PLAIN, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD]
    counts = [draw(st.integers(0, 2)), draw(st.integers(0, 3)), draw(st.integers(0, 1)), draw(st.integers(0, 2))]
    counts.append(draw(st.integers(0, 1)))
    params, defaulted = [], False
    for kind, count in zip(kinds, counts, strict=True):
        for _ in range(count):
            may = kind not in (VAR_POSITIONAL, VAR_KEYWORD)
            positional = kind in kinds[:2]
            wants = may and draw(st.booleans()) or (positional and defaulted)
            defaulted = defaulted or (positional and wants)
            default = draw(st.sampled_from(DEFAULTS)) if wants else None
            params.append(Param(f"p{len(params)}", draw(ANNOTATIONS), default, kind))
    return Signature(tuple(params), draw(ANNOTATIONS))


@settings(max_examples=200, deadline=None)
@given(signatures())
def test_printing_and_reading_are_inverses(signature):
    assert read(f"def f{signature}: ...") == signature


@pytest.mark.parametrize("text", ["()", "(a, /)", "(*, a)", "(*a, b)", "(a=1, /, b: int = 2, *, c, **d) -> None"])
def test_printed_as_python_writes_it(text):
    assert str(read(f"def f{text}: ...")) == text
