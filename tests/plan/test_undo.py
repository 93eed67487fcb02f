"""Undo is exact, in any order, and never takes an edit with it."""

import json

import pytest

from generator.errors import ScaffoldError
from generator.plan.apply import apply
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.ledger import Ledger
from generator.plan.tree import Tree
from generator.plan.undo import plan_undo
from generator.source.definition import Definition

from . import ops
from .kit import checkout, commit, git, snapshot, write


def ledger_ids(roots):
    return set(Ledger.load(Tree(roots)).ids())


def test_undo_gives_the_bytes_back_and_leaves_no_folder(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "maca")
    plan = ops.undo(roots, "gelu")
    assert (plan.exit, plan.notes) == (0, ())
    assert {step.kind for step in plan.steps} == {"remove", "delete"}
    assert len(plan.steps) == 10
    assert snapshot(roots) == before
    assert {place.name for root in roots.values() for place in (root / ".scaffold").iterdir()} == {"lock", "holder"}


def test_a_plan_to_undo_writes_nothing_and_has_a_diff(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    after, tree = snapshot(roots), Tree(roots)
    plan = plan_undo(tree, Ledger.load(tree), "op-gelu-camb")
    assert snapshot(roots) == after
    assert "-def gelu(x):\n" in plan.diff()
    assert plan.to_json()["command"] == "undo op-gelu-camb"


def test_a_name_takes_back_every_id_of_it_and_nothing_else(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "silu", "camb")
    before = snapshot(roots)
    for vendor in ops.VENDORS:
        ops.apply_op(roots, "gelu", vendor)
    ops.undo(roots, "gelu")
    assert snapshot(roots) == before
    assert ledger_ids(roots) == {"op-silu-camb"}


def test_a_shared_step_goes_with_the_last_id_that_needs_it(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    ops.apply_op(roots, "gelu", "ascend")
    plan = ops.undo(roots, "op-gelu-camb")
    kept = [step for step in plan.steps if step.kind == "present"]
    assert {step.layer for step in kept} == {"0", "1", "2", "3"}
    assert {step.note for step in kept} == {"still needed by op-gelu-ascend"}
    for step in kept:
        line = ops.lines(roots, step.repo, step.path)[step.line - 1]
        assert "gelu" in line.lower() or line.startswith(("def build", "__all__")), step
    assert b"OpType.Gelu" in (roots["upper"] / "pkg/backend.py").read_bytes()
    ops.undo(roots, "op-gelu-ascend")
    assert snapshot(roots) == before


def test_what_upstream_had_is_never_taken(tmp_path):
    roots = ops.make(tmp_path)
    ops.edit(roots, "lower", "ops/llm.py", b'"norm"]', b'"norm", "gelu"]')
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    ops.undo(roots, "gelu")
    assert snapshot(roots) == before


def test_an_id_that_nobody_knows_names_the_near_ones(tmp_path):
    roots = ops.make(tmp_path)
    with pytest.raises(ScaffoldError, match="nothing called gelu was applied") as error:
        ops.undo(roots, "gelu")
    assert error.value.next == "nothing is applied in these checkouts"
    ops.apply_op(roots, "gelu", "camb")
    with pytest.raises(ScaffoldError) as error:
        ops.undo(roots, "op-gelu-cam")
    assert "op-gelu-camb" in error.value.next


def test_edits_elsewhere_stay(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    for path, old, new in (
        ("pkg/backend.py", b"LIMIT = 1", b"LIMIT = 7"),
        ("pkg/backend.py", b"return 'norm'", b"return 'better norm'"),
        ("pkg/base.py", b"    pass\n", b"    pass\n\n\nMINE = 3\n"),
    ):
        ops.edit(roots, "upper", path, old, new)
    ops.undo(roots, "gelu")
    expected = {path: text for path, text in ops.UPPER.items()}
    expected["pkg/backend.py"] = ops.UPPER["pkg/backend.py"].replace("LIMIT = 1", "LIMIT = 7")
    expected["pkg/backend.py"] = expected["pkg/backend.py"].replace("'norm'", "'better norm'")
    expected["pkg/base.py"] = ops.UPPER["pkg/base.py"].replace("    pass\n", "    pass\n\n\nMINE = 3\n")
    for path, text in expected.items():
        assert (roots["upper"] / path).read_text() == text


def test_a_neighbour_in_the_chain_edited_by_hand_stays_and_the_file_parses(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    ops.apply_op(roots, "silu", "camb")
    ops.edit(roots, "upper", "pkg/backend.py", b"from .silu import build\n", b"from .silu import build  # mine\n")
    ops.undo(roots, "gelu")
    text = (roots["upper"] / "pkg/backend.py").read_text()
    compile(text, "backend.py", "exec")
    assert "from .silu import build  # mine\n" in text
    assert "Gelu" not in text


def test_an_edited_insertion_is_kept_and_listed_until_it_is_resolved(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    ops.edit(roots, "lower", "ops/llm.py", b"torch.gelu(x)", b"torch.gelu(x, 'tanh')")
    plan = ops.undo(roots, "gelu")
    assert plan.exit == 1
    (conflict,) = [note for note in plan.notes if note.level == "conflict"]
    line = (roots["lower"] / "ops/llm.py").read_text().splitlines().index("def gelu(x):") + 1
    assert conflict.where == f"lower/ops/llm.py:{line}"
    assert "scaffold undo gelu" in conflict.next
    assert b"tanh" in (roots["lower"] / "ops/llm.py").read_bytes()
    assert ledger_ids(roots) == {"op-gelu-camb"}

    again = ops.undo(roots, "gelu")
    assert (again.exit, again.changes) == (1, [])

    ops.edit(roots, "lower", "ops/llm.py", b"torch.gelu(x, 'tanh')", b"torch.gelu(x)")
    assert ops.undo(roots, "gelu").exit == 0
    assert snapshot(roots) == before
    assert ledger_ids(roots) == set()


def test_a_conflict_that_the_user_deleted_is_finished_by_the_second_undo(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    write(roots["upper"], {"pkg/dlinfer/gelu.py": b"mine = 1\n"})
    assert ops.undo(roots, "gelu").exit == 1
    (roots["upper"] / "pkg/dlinfer/gelu.py").unlink()
    plan = ops.undo(roots, "gelu")
    assert plan.exit == 0
    assert [note.level for note in plan.notes] == ["note"]
    assert snapshot(roots) == before


def test_a_file_that_others_inserted_into_goes_with_the_last_of_them(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "maca")
    ops.apply_op(roots, "silu", "maca")
    ops.undo(roots, "gelu")
    text = (roots["lower"] / "vendor/maca/ops.py").read_text()
    assert "def silu" in text and "gelu" not in text
    ops.undo(roots, "silu")
    assert snapshot(roots) == before


def test_an_insertion_into_a_file_that_we_created_keeps_that_file(tmp_path):
    roots = ops.make(tmp_path)
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    tree = Tree(roots)
    builder = PlanBuilder(tree, Ledger.load(tree), [Applied("op-silu-camb", "op", "silu")])
    helper = Definition("def helper(x):\n    return x")
    builder.insert("upper", "pkg/dlinfer/gelu.py", helper, layer="1")
    apply(builder.build(command="op silu"))
    ops.undo(roots, "gelu")
    assert "def helper" in (roots["upper"] / "pkg/dlinfer/gelu.py").read_text()
    ops.undo(roots, "silu")
    assert snapshot(roots) == before


def test_a_file_that_is_no_python_any_more_is_a_conflict(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    ops.edit(roots, "lower", "ops/llm.py", b"def linear(x):", b"def linear(x:")
    broken = (roots["lower"] / "ops/llm.py").read_bytes()
    plan = ops.undo(roots, "gelu")
    assert plan.exit == 1
    assert {note.where for note in plan.notes} == {"lower/ops/llm.py"}
    assert (roots["lower"] / "ops/llm.py").read_bytes() == broken


def test_a_dirty_file_comes_back_dirty(tmp_path):
    roots = ops.make(tmp_path)
    git_roots = {repo: checkout(root, {}) for repo, root in roots.items()}
    ops.edit(roots, "lower", "ops/llm.py", b"torch.norm(x)", b"torch.norm(x)  # not committed")
    before = snapshot(git_roots)
    ops.apply_op(roots, "gelu", "camb")
    ops.undo(roots, "gelu")
    assert snapshot(roots) == before
    assert git(roots["lower"], "status", "--porcelain").split() == ["M", "ops/llm.py"]


def test_a_branch_without_the_steps(tmp_path):
    roots = ops.make(tmp_path)
    for root in roots.values():
        checkout(root, {})
    before = snapshot(roots)
    for root in roots.values():
        git(root, "switch", "-q", "-c", "feature")
    ops.apply_op(roots, "gelu", "camb")
    for root in roots.values():
        commit(root)
        git(root, "switch", "-q", "main")
    assert snapshot(roots) == before

    plan = ops.plan_op(roots, "gelu", "camb")
    assert {step.kind for step in plan.steps} == {"insert", "create"}
    ops.apply_op(roots, "gelu", "ascend")
    ops.undo(roots, "gelu")
    assert snapshot(roots) == before
    assert ledger_ids(roots) == set()


def test_undo_in_a_branch_without_the_steps_only_forgets(tmp_path):
    roots = ops.make(tmp_path)
    for root in roots.values():
        checkout(root, {})
        git(root, "switch", "-q", "-c", "feature")
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "camb")
    for root in roots.values():
        commit(root)
        git(root, "switch", "-q", "main")
    plan = ops.undo(roots, "gelu")
    assert plan.exit == 0 and plan.steps == ()
    assert all("not there any more" in note.text for note in plan.notes)
    assert snapshot(roots) == before


@pytest.mark.parametrize("path", ["../victim", ".git/config", "/etc/hostname"])
def test_a_planted_ledger_reaches_nothing_outside(tmp_path, path):
    roots = ops.make(tmp_path)
    victim = write(tmp_path, {"victim": b"keep"})
    ops.apply_op(roots, "gelu", "camb")
    place = roots["upper"] / ".scaffold/ledger.json"
    data = json.loads(place.read_bytes())
    data["steps"].append({"path": path, "kind": "create", "name": "x", "ids": ["op-gelu-camb"], "content": "keep"})
    place.write_text(json.dumps(data))
    with pytest.raises(ScaffoldError):
        ops.undo(roots, "gelu")
    assert (victim / "victim").read_bytes() == b"keep"


def test_planted_ids_and_links_delete_nothing_of_the_user(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    folder = roots["upper"] / ".scaffold/op-gelu-camb"
    for place in folder.iterdir():
        place.unlink()
    folder.rmdir()
    folder.symlink_to("../pkg")
    ops.undo(roots, "gelu")
    assert (roots["upper"] / "pkg/base.py").read_text() == ops.UPPER["pkg/base.py"]


@pytest.mark.parametrize("text", [b"{}", b"[]", b"not json", b'{"schema": {"name": "scaffold/ledger", "version": 2}}'])
def test_a_ledger_that_is_none_is_an_error_that_names_it(tmp_path, text):
    roots = ops.make(tmp_path)
    write(roots["upper"], {".scaffold/ledger.json": text})
    with pytest.raises(ScaffoldError) as error:
        Ledger.load(Tree(roots))
    assert error.value.where == "upper/.scaffold/ledger.json"
