"""Promise 3: all files of both checkouts or none, whether a write fails or the process dies at it."""

from __future__ import annotations

import errno
import shutil

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.errors import ScaffoldError
from generator.plan.apply import apply
from generator.plan.ledger import Ledger
from generator.plan.recover import recover
from generator.plan.tree import Tree
from generator.plan.undo import plan_undo
from tests.plan import ops
from tests.plan.faults import Counter, at_each_change, killed_at
from tests.plan.kit import bookkeeping, snapshot

OPS = st.tuples(st.sampled_from(("gelu", "rms_norm")), st.sampled_from(ops.VENDORS))
LEFTOVERS = {"tx", "journal.json", "commit"}


def whole_state(roots):
    """Return every file, with the ledgers and the fragments."""
    state = snapshot(roots)
    for repo, root in roots.items():
        for place in (root / ".scaffold").rglob("*"):
            if place.is_file() and place.name not in ("lock", "holder"):
                state[f"{repo}/{place.relative_to(root)}"] = (0, place.read_bytes())
    return state


def draw_plan(data, roots):
    """Apply a few ops, then plan one more, or the undo of one of them."""
    done = data.draw(st.lists(OPS, max_size=2, unique=True))
    for name, vendor in done:
        ops.apply_op(roots, name, vendor)
    if done and data.draw(st.booleans()):
        tree = Tree(roots)
        return plan_undo(tree, Ledger.load(tree), data.draw(st.sampled_from(done))[0])
    return ops.plan_op(roots, *data.draw(OPS))


def files(state):
    return {path: data for path, (_, data) in state.items() if data is not None}


@settings(max_examples=60, deadline=None)
@given(data=st.data(), error=st.sampled_from([OSError(errno.EROFS, "Read-only file system"), KeyboardInterrupt()]))
def test_a_failure_leaves_every_byte(tmp_path_factory, data, error):
    def fail():
        raise error

    top = tmp_path_factory.mktemp("atomic")
    roots = ops.make(top)
    plan = draw_plan(data, roots)
    before = whole_state(roots)
    counter = Counter(data.draw(st.integers(0, 90)), fail, persistent=data.draw(st.booleans()))
    try:
        with at_each_change(top, counter):
            apply(plan)
    except (ScaffoldError, KeyboardInterrupt):
        finished = [one.outcome for one in recover(roots)] == ["finished"]
        assert files(whole_state(roots)) == (planned(before, plan) if finished else files(before)), counter.at
    else:
        recover(roots)
        assert files(whole_state(roots)) == planned(before, plan)
    assert not bookkeeping(roots) & LEFTOVERS
    shutil.rmtree(top)


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_a_kill_is_finished_or_reverted_and_the_next_command_says_which(tmp_path_factory, data):
    top = tmp_path_factory.mktemp("atomic")
    roots = ops.make(top)
    plan = draw_plan(data, roots)
    before = whole_state(roots)
    killed = killed_at(data.draw(st.integers(0, 90)), top, lambda: apply(plan))
    for n in data.draw(st.lists(st.integers(0, 30), max_size=2)):
        killed_at(n, top, lambda: recover(roots))
    outcomes = [one.outcome for one in recover(roots)]
    state = whole_state(roots)
    if state != before:
        assert files(state) == planned(before, plan)
        assert "reverted" not in outcomes
    else:
        assert "finished" not in outcomes
        assert killed or not plan.changes
    assert not bookkeeping(roots) & LEFTOVERS
    assert recover(roots) == []
    shutil.rmtree(top)


def planned(before, plan):
    """Return what the plan says the files come to."""
    changes = {f"{change.repo}/{change.path}": change.after for change in plan.changes}
    return {path: data for path, data in {**files(before), **changes}.items() if data is not None}
