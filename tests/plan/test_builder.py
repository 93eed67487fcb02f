"""What a plan says and stages: missing things once, present things never, other people's things not at all."""

import pytest

from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.ledger import Ledger
from generator.plan.table import rows
from generator.plan.tree import Tree
from generator.source.definition import Definition
from generator.source.errors import AnchorMissing
from generator.source.export import Export

from . import ops
from .kit import snapshot, write

CAMB = Applied("op-gelu-camb", "op", "gelu", ("camb",))


def builder(roots, *ids):
    tree = Tree(roots)
    return PlanBuilder(tree, Ledger.load(tree), ids or [CAMB])


def test_planning_writes_nothing(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    plan = ops.plan_op(roots, "gelu", "camb")
    assert snapshot(roots) == before
    assert plan.diff().count("+++ b/") == 6
    assert not (roots["upper"] / ".scaffold").exists()


def test_steps_tell_kind_place_and_line_in_the_file_as_it_will_be(tmp_path):
    roots = ops.make(tmp_path)
    plan = ops.apply_op(roots, "gelu", "camb")
    kinds = [step.kind for step in plan.steps]
    assert kinds == ["insert", "insert", "create", *["insert"] * 6]
    for step in plan.steps:
        line = (roots[step.repo] / step.path).read_text().splitlines()[step.line - 1]
        assert "gelu" in line.lower() or line.startswith(("def build", "__all__")), step
    assert set(plan.to_json()["steps"][0]) == {"repo", "path", "layer", "kind", "name", "line", "anchor", "note"}


def test_the_same_again_changes_nothing(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    again = ops.plan_op(roots, "gelu", "camb")
    assert {step.kind for step in again.steps} == {"present"}
    assert again.changes == []


def test_a_second_vendor_adds_only_its_own(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    plan = ops.plan_op(roots, "gelu", "ascend")
    assert [(step.layer, step.kind) for step in plan.steps if step.kind != "present"] == [("4", "insert")] * 2
    assert [change.path for change in plan.changes if not change.bookkeeping] == ["vendor/ascend/ops.py"]


def test_what_upstream_had_is_present_and_nobodys(tmp_path):
    roots = ops.make(tmp_path)
    one = builder(roots)
    one.insert("lower", "ops/llm.py", Export("norm"), layer="3")
    text = b"import torch\n"
    write(roots["lower"], {"ops/new.py": text})
    one.create("lower", "ops/new.py", text, layer="3", name="new")
    one.keep("lower", ".scaffold/op-gelu-camb/f.py", b"")
    plan = one.build(command="op gelu")
    assert [step.kind for step in plan.steps] == ["present", "present"]
    assert plan.changes == []


def test_a_path_that_something_else_has_is_an_error_that_names_it(tmp_path):
    roots = ops.make(tmp_path)
    with pytest.raises(ScaffoldError) as error:
        builder(roots).create("lower", "ops/llm.py", b"x = 1\n", layer="3", name="gelu")
    assert (error.value.where, error.value.exit_code) == ("lower/ops/llm.py:1", 2)


def test_our_own_file_edited_since_is_present(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    write(roots["upper"], {"pkg/dlinfer/gelu.py": b"def build(x):\n    return 'better'\n"})
    plan = ops.plan_op(roots, "gelu", "camb")
    (step,) = [step for step in plan.steps if step.path == "pkg/dlinfer/gelu.py"]
    assert (step.kind, step.note) == ("present", "differs from what would be written now")
    assert plan.changes == []


def test_one_plan_cannot_write_two_texts_to_one_path(tmp_path):
    one = builder(ops.make(tmp_path))
    one.create("lower", "new.py", b"a = 1\n", layer=None, name="a")
    with pytest.raises(ScaffoldError, match="two steps"):
        one.create("lower", "new.py", b"a = 2\n", layer=None, name="a")


def test_a_missing_anchor_or_file_is_an_error(tmp_path):
    one = builder(ops.make(tmp_path))
    with pytest.raises(AnchorMissing):
        one.insert("upper", "pkg/base.py", Export("gelu"), layer="0")
    with pytest.raises(ScaffoldError, match="no file pkg/none.py"):
        one.insert("upper", "pkg/none.py", Export("gelu"), layer="0")


def test_a_part_that_is_not_ours_is_refused_and_one_that_is_ours_is_kept(tmp_path):
    roots = ops.make(tmp_path)
    both = Definition("def norm(x):\n    return torch.norm(x)\n\n\ndef gelu(x):\n    return x")
    with pytest.raises(ScaffoldError, match="only a part of"):
        builder(roots).insert("lower", "ops/llm.py", both, layer="3")


def test_a_result_that_is_no_python_is_refused(tmp_path):
    one = builder(ops.make(tmp_path))
    one.create("lower", "new.py", b"a = 1\nb = = 2\n", layer=None, name="a")
    with pytest.raises(ScaffoldError, match="not Python") as error:
        one.build(command="op gelu")
    assert error.value.where == "lower/new.py:2"


@pytest.mark.parametrize(
    "data", [b"match = 1\n", b"x: list[int] = []\n", "# -*- coding: latin-1 -*-\ns = 'é'\n".encode("latin-1")]
)
def test_python_of_any_encoding_is_let_through(tmp_path, data):
    one = builder(ops.make(tmp_path))
    one.create("lower", "new.py", data, layer=None, name="a")
    assert one.build(command="op gelu").changes


def test_a_dispatcher_of_500_branches_still_works(tmp_path):
    branches = "".join(f"        elif op == OpType.Op{n}:\n            return {n}\n" for n in range(500))
    text = ops.UPPER["pkg/backend.py"].replace("        else:\n", f"{branches}        else:\n")
    roots = ops.make(tmp_path)
    write(roots["upper"], {"pkg/backend.py": text.encode()})
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    ops.undo(roots, "gelu")
    assert snapshot(roots) == before


@pytest.mark.parametrize("id", ["tx", "../x-y", "a/b-c", "ledger.json", "", ".git-x", "op-x-\n"])
def test_an_id_that_could_be_a_path_is_refused(tmp_path, id):
    with pytest.raises(ScaffoldError, match="cannot be an id"):
        builder(ops.make(tmp_path), Applied(id, "op", "x"))


def test_rows_say_what_happened_in_the_order_of_the_layers(tmp_path):
    roots = ops.make(tmp_path)
    table = rows(ops.plan_op(roots, "gelu", "camb"))
    assert [row.layer for row in table] == sorted(row.layer for row in table)
    assert (table[0].place, table[0].state) == ("upper/pkg/base.py:7", "added")
    assert "OpType.Gelu" in table[0].what
    created = [row for row in table if row.state == "created"]
    assert [row.place for row in created] == ["upper/pkg/dlinfer/gelu.py:1"]
