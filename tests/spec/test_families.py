"""What a name alone says, and what it does not."""

import pytest

from generator.spec.families import FAMILIES, UNKNOWN, family_of
from generator.spec.op import OpSpec
from generator.spec.param import Param


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.name)
def test_every_family_declares_an_op(family):
    spec = family.spec("some_op")
    assert OpSpec.parse(str(spec)) == spec
    assert bool(family.shape) != bool(family.abstract), "either a shape source or a shape function, not both"
    bound = family.bind(spec.params)
    assert bound == {p.name: p.name for p in spec.params}
    for line in family.abstract:
        compile(line.format(**bound).replace("return ", "_ = "), "abstract", "exec")


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("rms_norm_gated", ["hidden_states", "gate", "weight", "epsilon"]),
        ("add_rms_norm", ["hidden_states", "residual", "weight", "epsilon"]),
        ("swiglu", ["input_tensor", "dim"]),
    ],
)
def test_signature_by_name(name, names):
    assert [p.name for p in family_of(name).spec(name).params] == names


@pytest.mark.parametrize("name", ["gemma_rms_norm", "layer_norm_gated", "l2norm", "qk_norm", "add_layer_norm"])
def test_a_word_that_changes_the_formula_takes_the_formula_away(name):
    assert not family_of(name).reference


def test_unknown_names_are_in_no_family():
    assert family_of("frobnicate") is UNKNOWN


@pytest.mark.parametrize(
    ("params", "bound"),
    [
        (["x: Tensor", "w: Tensor", "eps: float"], {"hidden_states": "x", "weight": "w", "epsilon": "eps"}),
        (["x: Tensor", "w: Tensor", "eps: float", "scale: float"], None),
        (["x: Tensor", "eps: float"], None),
    ],
)
def test_a_formula_is_written_in_the_ops_own_names_or_not_at_all(params, bound):
    assert family_of("rms_norm").bind([Param.parse(p) for p in params]) == bound
