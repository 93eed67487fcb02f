"""A killed command is finished or reverted by the next one, which says which."""

import json
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.errors import ScaffoldError
from generator.plan.apply import apply
from generator.plan.places import leftovers
from generator.plan.recover import Recovered, recover

from . import world
from .faults import changes_of, killed_at
from .kit import bookkeeping, snapshot, write

SETTLED = {"lock", "holder", "op-x-camb"}


@pytest.fixture(scope="module")
def total(tmp_path_factory):
    return len(world.changes(tmp_path_factory.mktemp("dry")))


def settled_as(roots, before):
    """Return which of the two the checkouts are in; anything else is a failure."""
    if snapshot(roots) == before:
        assert bookkeeping(roots) <= {"lock", "holder"}
        return "reverted"
    assert not world.plan(roots).changes
    assert bookkeeping(roots) == SETTLED
    return "finished"


def test_nothing_to_recover_writes_nothing(tmp_path):
    roots = world.make(tmp_path)
    assert changes_of(tmp_path, lambda: recover(roots)) == []
    assert recover(roots) == []


def test_a_kill_at_every_change_of_the_disk(tmp_path, total):
    outcomes = set()
    for n in range(total):
        roots = world.make(tmp_path / str(n))
        before, plan = snapshot(roots), world.plan(roots)
        assert killed_at(n, tmp_path, lambda plan=plan: apply(plan))
        staged = any(map(leftovers, roots.values()))
        found = recover(roots)
        state = settled_as(roots, before)
        assert [one.outcome for one in found] == ([state] if staged else []), n
        assert recover(roots) == []
        outcomes |= {one.outcome for one in found}
        shutil.rmtree(tmp_path / str(n))
    assert outcomes == {"finished", "reverted"}


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_recover_may_be_killed_again_and_again(tmp_path_factory, total, data):
    top = tmp_path_factory.mktemp("again")
    roots = world.make(top)
    before, plan = snapshot(roots), world.plan(roots)
    killed_at(data.draw(st.integers(0, total - 1)), top, lambda: apply(plan))
    for n in data.draw(st.lists(st.integers(0, 25), max_size=4)):
        killed_at(n, top, lambda: recover(roots))
    recover(roots)
    settled_as(roots, before)
    assert recover(roots) == []
    shutil.rmtree(top)


def killed_in_the_middle(top):
    """Kill an apply after its commit mark, with some of the files in place."""
    changes = world.changes(top / "dry")
    renames = [n for n, change in enumerate(changes) if change.startswith("os.rename") and change.endswith(".new")]
    roots = world.make(top)
    before, plan = snapshot(roots), world.plan(roots)
    assert killed_at(renames[len(renames) // 2], top, lambda: apply(plan))
    assert snapshot(roots) != before
    return roots


def test_it_says_what_it_finished(tmp_path):
    roots = killed_in_the_middle(tmp_path / "w")
    assert recover(roots) == [Recovered("finished", "op x", ("upper", "lower"))]


def test_apply_settles_what_another_command_left(tmp_path):
    roots = killed_in_the_middle(tmp_path / "w")
    with pytest.raises(ScaffoldError, match="changed since"):
        apply(world.plan(roots))
    assert not world.plan(roots).changes


def test_an_edit_made_after_the_kill_is_kept_and_named(tmp_path):
    roots = killed_in_the_middle(tmp_path / "w")
    write(roots["lower"], {"ops/llm.py": b"mine = 1\n"})
    (found,) = recover(roots)
    assert found.kept == ("lower/ops/llm.py",)
    assert (roots["lower"] / "ops/llm.py").read_bytes() == b"mine = 1\n"
    assert bookkeeping(roots) == SETTLED


def test_one_checkout_alone_is_not_settled_without_the_other(tmp_path):
    roots = killed_in_the_middle(tmp_path / "w")
    half = snapshot(roots)
    for repo, root in roots.items():
        with pytest.raises(ScaffoldError, match="was writing to this checkout too"):
            recover({repo: root})
    assert snapshot(roots) == half
    assert recover(roots)


def test_both_checkouts_may_have_been_moved_together(tmp_path):
    killed_in_the_middle(tmp_path / "w")
    (tmp_path / "w").rename(tmp_path / "elsewhere")
    roots = {repo: tmp_path / "elsewhere" / repo for repo in ("upper", "lower")}
    assert [one.outcome for one in recover(roots)] == ["finished"]
    assert not world.plan(roots).changes


def test_a_checkout_whose_leader_is_gone_is_reverted(tmp_path):
    roots = killed_in_the_middle(tmp_path / "w")
    shutil.rmtree(roots.pop("upper"))
    assert [one.outcome for one in recover(roots)] == ["reverted"]
    assert (roots["lower"] / "ops/llm.py").read_bytes() == b"\xef\xbb\xbfx = 1\n"


@pytest.mark.parametrize("path", ["../victim.py", "/tmp/victim.py", ".git/hooks/pre-commit", "a/../../victim.py"])
def test_a_planted_journal_reaches_nothing_outside(tmp_path, path):
    journal = {
        "schema": {"name": "scaffold/journal", "version": 1},
        "tx": "1",
        "command": "",
        "leader": ".",
        "checkouts": ["."],
        "swaps": [{"path": path, "old": None, "new": "0" * 64}],
        "made": [],
        "pruned": [],
    }
    files = {"journal.json": json.dumps(journal).encode(), "tx/0.new": b"evil", "commit": b"1"}
    root = write(tmp_path / "checkout", {f".scaffold/{name}": data for name, data in files.items()})
    write(root, {".git/hooks/sample": b""})
    with pytest.raises(ScaffoldError):
        recover({"upper": root})
    assert not (tmp_path / "victim.py").exists()
    assert not (root / ".git/hooks/pre-commit").exists()


def test_a_journal_that_is_none_is_an_error_that_names_it(tmp_path):
    root = write(tmp_path / "checkout", {".scaffold/journal.json": b"[]"})
    with pytest.raises(ScaffoldError) as error:
        recover({"upper": root})
    assert error.value.where == "upper/.scaffold/journal.json"
