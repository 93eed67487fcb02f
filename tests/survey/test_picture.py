"""One op over all layers, found through the calls and not through names."""

import pytest

from generator.survey.picture import survey_op
from generator.workspace.checkout import Workspace

from . import world


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return world.build(tmp_path_factory.mktemp("world"))


def test_from_the_op_up_through_wrappers_of_wrappers(workspace):
    picture = survey_op(workspace, "swap_halves")
    assert picture.op.line == 13
    assert {v: o.line for v, o in picture.vendors.items()} == {"ascend": 9, "camb": 9}
    assert [w.name for w in picture.wrappers] == ["inner_swap", "swap_rows"]
    assert [c.name for c in picture.impls] == ["DlinferSwapRowsImpl"]
    assert [c.name for c in picture.builders] == ["DlinferSwapRowsBuilder"]
    [op_type] = picture.op_types.values()
    assert (op_type.name, op_type.member.line) == ("SwapRows", 6)
    assert op_type.abstract_impl.path == "lmdeploy/pytorch/backends/rows.py"
    assert op_type.abstract_builder.methods["build"].signature.names == ("dim",)
    assert {b: (s.branch.line, s.builder.name) for b, s in op_type.backends.items()} == {
        "dlinfer": (10, "DlinferSwapRowsBuilder")
    }
    assert [i.name for i in op_type.nn] == ["SwapRows"]
    assert [k.path for k in picture.kernels] == ["lmdeploy/pytorch/kernels/cuda/rows.py"]
    assert picture.unreadable == ()


def test_through_a_helper_an_heir_and_a_renamed_import(workspace):
    picture = survey_op(workspace, "weigh_rows")
    assert [c.name for c in picture.impls] == ["WeighImpl", "LoudWeighImpl"]
    assert list(picture.op_types) == ["WeighRows"]
    assert [c.name for c in picture.op_types["WeighRows"].backends["dlinfer"].impls] == ["WeighImpl", "LoudWeighImpl"]


def test_without_a_wrapper_the_member_of_that_name(workspace):
    picture = survey_op(workspace, "turn_over")
    assert picture.wrappers == picture.impls == picture.builders == ()
    [op_type] = picture.op_types.values()
    assert list(op_type.backends) == ["default"]
    assert op_type.backends["default"].impls[0].name == "DefaultTurnOverImpl"
    assert op_type.abstract_impl.name == "TurnOverImpl"
    assert op_type.abstract_builder is None
    assert [i.name for i in op_type.nn] == ["turn_over"]


def test_an_op_that_exists_nowhere(workspace):
    picture = survey_op(workspace, "never_heard_of")
    assert (picture.op, picture.vendors, picture.op_types, picture.kernels) == (None, {}, {}, ())


def test_a_ghost_in_a_string_exists_nowhere(workspace):
    picture = survey_op(workspace, "ghost")
    assert (picture.op, picture.vendors) == (None, {})


def test_a_member_that_is_asked_for(workspace):
    picture = survey_op(workspace, "never_heard_of", "TurnOver")
    assert picture.op_types["TurnOver"].member.group == "Turning"
    absent = survey_op(workspace, "never_heard_of", "NeverHeardOf").op_types["NeverHeardOf"]
    assert (absent.member, absent.abstract_impl, absent.backends, absent.nn) == (None, None, {}, ())


def test_one_repository_alone(workspace):
    below = survey_op(Workspace({"dlinfer": workspace["dlinfer"]}), "swap_halves")
    assert below.op and below.op_types == {}
    above = survey_op(Workspace({"lmdeploy": workspace["lmdeploy"]}), "swap_halves")
    assert above.op is None and list(above.op_types) == ["SwapRows"]


def test_what_was_edited_is_read_anew(tmp_path):
    workspace = world.build(tmp_path)
    ops = workspace["dlinfer"].root / "dlinfer/ops/llm.py"
    assert survey_op(workspace, "turned") == survey_op(workspace, "turned")
    ops.write_text(ops.read_text().replace("swap_halves", "turned"))
    assert survey_op(workspace, "turned").op.qualname == "dlinfer::turned"
