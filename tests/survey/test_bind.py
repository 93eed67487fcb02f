"""Binding is Python's own, and a value that lands in another known parameter is seen."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from generator.survey.bind import bind, is_tensor, misplaced, value_name, with_defaults
from generator.survey.calls import Call
from generator.survey.signature import (
    KEYWORD_ONLY,
    PLAIN,
    POSITIONAL_ONLY,
    VAR_KEYWORD,
    VAR_POSITIONAL,
    Param,
    Signature,
)

KINDS = {
    POSITIONAL_ONLY: inspect.Parameter.POSITIONAL_ONLY,
    PLAIN: inspect.Parameter.POSITIONAL_OR_KEYWORD,
    VAR_POSITIONAL: inspect.Parameter.VAR_POSITIONAL,
    KEYWORD_ONLY: inspect.Parameter.KEYWORD_ONLY,
    VAR_KEYWORD: inspect.Parameter.VAR_KEYWORD,
}
NAMES = "abcdef"


@st.composite
def signatures(draw):
    params, optional = [], False
    for name in NAMES[: draw(st.integers(0, 4))]:
        optional = optional or draw(st.booleans())
        kind = POSITIONAL_ONLY if not params and draw(st.booleans()) else PLAIN
        params.append(Param(name, None, "None" if optional else None, kind))
    if draw(st.booleans()):
        params.append(Param("rest", kind=VAR_POSITIONAL))
    for name in NAMES[4 : 4 + draw(st.integers(0, 2))]:
        params.append(Param(name, None, draw(st.sampled_from([None, "None"])), KEYWORD_ONLY))
    if draw(st.booleans()):
        params.append(Param("more", kind=VAR_KEYWORD))
    return Signature(tuple(params))


def calls():
    texts = st.sampled_from(["a", "b", "x", "1"])
    keywords = st.dictionaries(st.sampled_from([*NAMES, "z"]), texts, max_size=3)
    return st.builds(lambda a, k: Call("f", tuple(a), tuple(k.items()), 1), st.lists(texts, max_size=6), keywords)


def by_python(call, signature):
    empty = inspect.Parameter.empty
    params = [inspect.Parameter(p.name, KINDS[p.kind], default=p.default or empty) for p in signature.params]
    try:
        bound = inspect.Signature(params).bind(*call.args, **dict(call.keywords))
    except TypeError:
        return None
    return {k: v for k, v in bound.arguments.items() if k not in ("rest", "more")}


@settings(max_examples=300, deadline=None)
@given(calls(), signatures())
def test_a_call_binds_as_python_binds_it(call, signature):
    # `inspect` refuses a keyword that a positional-only parameter has too, where a real call hands it to `**kwargs`.
    hidden = {p.name for p in signature.params if p.kind == "positional-only"}
    assume(not hidden & {name for name, _ in call.keywords})
    bound, expected = bind(call, signature), by_python(call, signature)
    assert (bound.problem is None) == (expected is not None)
    if expected is not None:
        assert dict(bound.slots) == expected


def call(*args, **keywords):
    return Call("f", args, tuple(keywords.items()), 1)


def takes(*names, **defaults):
    return Signature(tuple(Param(n) for n in names) + tuple(Param(n, None, d) for n, d in defaults.items()))


@pytest.mark.parametrize(
    ("made", "signature", "lands"),
    [
        (call("x", "meta"), takes("x", renorm="False", meta="None"), [("meta", "renorm")]),
        (call("b", "a"), takes("a", "b"), [("b", "a"), ("a", "b")]),
        (call("a", "b"), takes("a", "b"), []),
        (call("p", "q"), takes("a", "b"), []),
        (call("self.b", "a.contiguous()"), takes("a", "b"), [("b", "a"), ("a", "b")]),
        (call("a", "a"), takes("a", "b"), []),
        (call("a", b="c"), takes("a", "b", "c"), []),
    ],
)
def test_a_value_that_lands_in_another_known_parameter(made, signature, lands):
    found = misplaced(bind(made, signature), signature)
    if made.keywords:
        found = [one for one in found if one.value != "c"]
    assert [(one.value, one.slot) for one in found] == lands


def test_loosely_equal_names_are_one_name():
    signature = takes("q_seq_len", "kv_seq_len", "key")
    assert misplaced(bind(call("q_seqlens", "kv_seqlens", "key_states"), signature), signature, loose=True) == []
    assert len(misplaced(bind(call("kv_seqlens", "q_seqlens", "key"), signature), signature, loose=True)) == 2


def test_what_is_hidden_is_not_held_against_a_call():
    assert bind(call("*args"), takes("a", "b")).problem is None
    assert bind(Call("f", (), (("**", "kwargs"),), 1), takes("a", "b")).problem is None
    assert bind(Call("f", (), (("**", "kwargs"), ("z", "1")), 1), takes("a")).problem == "has no parameter `z`"


def test_defaults_of_a_decorator_are_defaults():
    assert bind(call("x"), takes("a", "b")).problem == "gets no value for `b`"
    assert bind(call("x"), with_defaults(takes("a", "b"), {"b": "None"})).problem is None


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("Tensor", True),
        ("Optional[torch.Tensor]", True),
        ("int", False),
        ("float | None", False),
        ("Meta", None),
        (None, None),
    ],
)
def test_what_is_a_tensor(annotation, kind):
    assert is_tensor(Param("x", annotation)) is kind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "a"),
        ("self.a", "a"),
        ("a.to(x).view(-1)", "a"),
        ("a + b", None),
        ("*a", None),
        ("f(a)", None),
        ("1", None),
    ],
)
def test_the_name_of_a_value(text, name):
    assert value_name(text) == name
