"""All files of all checkouts, or none, whatever fails and whenever."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from generator.errors import ScaffoldError
from generator.plan import disk
from generator.plan.apply import apply
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.ledger import Ledger
from generator.plan.recover import recover
from generator.plan.tree import Tree

from . import ops, world
from .faults import Counter, at_each_change
from .kit import bare_plan, bookkeeping, checkout, git, snapshot, write

SETTLED = {"lock", "holder", "op-x-camb"}


def full_disk():
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupt():
    raise KeyboardInterrupt


def test_a_plan_without_changes_touches_nothing(tmp_path):
    roots = {"upper": write(tmp_path, {"a.py": b"a = 1\n"})}
    tree = Tree(roots)
    tree.write("upper", "a.py", b"a = 1\n")
    assert apply(bare_plan(tree)) == []
    assert not (tmp_path / ".scaffold").exists()


def test_everything_is_written_with_its_mode_and_nothing_else_is_left(tmp_path):
    roots = world.make(tmp_path)
    plan = world.plan(roots)
    before = snapshot(roots)
    apply(plan)
    after = snapshot(roots)
    for change in plan.changes:
        if not change.bookkeeping:
            assert after.get(f"{change.repo}/{change.path}", (0, None))[1] == change.after
    assert after["upper/pkg/tool.sh"][0] == 0o750
    assert "upper/made" not in after
    new = {"upper/pkg/new", "upper/pkg/new/deep", "upper/pkg/new/deep/kernel.py"}
    new |= {"lower/vendor", "lower/vendor/camb", "lower/vendor/camb/__init__.py"}
    assert set(after) - set(before) == new
    assert bookkeeping(roots) == SETTLED


@pytest.mark.parametrize("fail", [full_disk, interrupt])
def test_a_failure_at_any_change_of_the_disk_leaves_every_byte(tmp_path, fail):
    total = len(world.changes(tmp_path / "dry"))
    assert total > 60
    for n in range(total):
        roots = world.make(tmp_path / str(n))
        plan, before = world.plan(roots), snapshot(roots)
        counter = Counter(n, fail)
        try:
            with at_each_change(tmp_path, counter):
                apply(plan)
        except (ScaffoldError, KeyboardInterrupt) as error:
            assert isinstance(error, ScaffoldError) == (fail is full_disk), counter.at
            assert snapshot(roots) == before, counter.at
            assert bookkeeping(roots) <= {"lock", "holder"}, counter.at
        else:
            recover(roots)
            assert snapshot(roots) != before
            assert bookkeeping(roots) == SETTLED, counter.at


def test_a_failure_gives_back_the_very_file_with_its_times_and_links(tmp_path):
    roots = world.make(tmp_path)
    place = roots["lower"] / "ops/llm.py"
    os.link(place, tmp_path / "second name")
    before = place.stat()
    plan = world.plan(roots)
    for n in range(len(world.changes(tmp_path / "dry"))):
        with at_each_change(roots["lower"], Counter(n, interrupt)):
            try:
                apply(plan)
            except KeyboardInterrupt:
                found = place.stat()
                assert (found.st_ino, found.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
            else:
                break


def test_a_file_system_without_hard_links_keeps_copies(tmp_path, monkeypatch):
    monkeypatch.setattr(disk.os, "link", lambda place, aside: full_disk())
    roots = world.make(tmp_path)
    plan, before = world.plan(roots), snapshot(roots)
    with pytest.raises(KeyboardInterrupt), at_each_change(tmp_path, fail_at_last_rename):
        apply(plan)
    assert snapshot(roots) == before
    apply(plan)


def fail_at_last_rename(what):
    if what.startswith("os.rename") and what.endswith("/lower/.scaffold/tx/3.new"):
        raise KeyboardInterrupt


def test_a_disk_that_stays_full_is_settled_by_the_next_command(tmp_path):
    total = len(world.changes(tmp_path / "dry"))
    for n in range(total):
        roots = world.make(tmp_path / str(n))
        plan, before = world.plan(roots), snapshot(roots)
        try:
            with at_each_change(tmp_path, Counter(n, full_disk, persistent=True)):
                apply(plan)
            applied = True
        except ScaffoldError:
            applied = False
        outcomes = {found.outcome for found in recover(roots)}
        assert len(outcomes) <= 1
        if applied or outcomes == {"finished"}:
            assert bookkeeping(roots) == SETTLED
            assert not world.plan(roots).changes
        else:
            assert snapshot(roots) == before
            assert bookkeeping(roots) <= {"lock", "holder"}


def test_what_changed_since_it_was_planned_is_refused(tmp_path):
    roots = world.make(tmp_path)
    plan = world.plan(roots)
    write(roots["lower"], {"ops/llm.py": b"x = 5\n"})
    before = snapshot(roots)
    with pytest.raises(ScaffoldError, match="changed since this was planned: lower/ops/llm.py"):
        apply(plan)
    assert snapshot(roots) == before


def test_a_file_that_was_only_read_must_not_have_changed_either(tmp_path):
    roots = world.make(tmp_path)
    plan = world.plan(roots)
    plan.tree.read("lower", "untouched.py")
    write(roots["lower"], {"untouched.py": b"y = 3\n"})
    with pytest.raises(ScaffoldError, match="untouched.py"):
        apply(plan)


def test_a_file_that_appeared_since_is_refused(tmp_path):
    roots = world.make(tmp_path)
    plan = world.plan(roots)
    write(roots["upper"], {"pkg/new/deep/kernel.py": b"mine = 1\n"})
    with pytest.raises(ScaffoldError, match="kernel.py"):
        apply(plan)
    assert (roots["upper"] / "pkg/new/deep/kernel.py").read_bytes() == b"mine = 1\n"


def test_a_folder_that_became_a_link_out_is_refused(tmp_path):
    roots = world.make(tmp_path)
    plan = world.plan(roots)
    outside = tmp_path / "outside"
    (roots["upper"] / "pkg").rename(outside)
    (roots["upper"] / "pkg").symlink_to(outside)
    with pytest.raises(ScaffoldError):
        apply(plan)
    assert (outside / "backend.py").read_bytes() == b"import os\r\n\r\nNAMES = ['a']"


def test_a_planted_link_in_the_bookkeeping_is_refused(tmp_path):
    roots = world.make(tmp_path)
    victims = write(tmp_path / "victims", {"keep": b"keep"})
    for name, target in (("tx", victims), ("holder", victims / "keep"), ("lock", victims / "keep")):
        place = roots["upper"] / ".scaffold" / name
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(target)
        with pytest.raises(ScaffoldError, match="is a symlink"):
            apply(world.plan(roots))
        place.unlink()
    assert (victims / "keep").read_bytes() == b"keep"


def test_the_bookkeeping_is_not_seen_by_git_in_a_checkout_or_a_linked_worktree(tmp_path):
    main = checkout(tmp_path / "main", {"a.py": b"a = 1\n"})
    git(main, "worktree", "add", "-q", str(tmp_path / "linked"))
    for root in (main, tmp_path / "linked"):
        for text in (b"a = 2\n", b"a = 3\n"):
            tree = Tree({"upper": root})
            tree.write("upper", "a.py", text)
            apply(bare_plan(tree))
        assert git(root, "status", "--porcelain", "--untracked-files=all").split() == ["M", "a.py"]
    assert (main / ".git/info/exclude").read_text().splitlines().count(".scaffold/") == 1


def test_tracked_bookkeeping_is_seen_by_git_from_then_on(tmp_path):
    roots = ops.make(tmp_path)
    for root in roots.values():
        checkout(root, {})
    for name, track in (("gelu", True), ("silu", False)):
        tree = Tree(roots)
        builder = PlanBuilder(tree, Ledger.load(tree), [Applied(f"op-{name}-camb", "op", name)], track=track)
        builder.create("lower", f"{name}.py", b"x = 1\n", layer=None, name=name)
        apply(builder.build(command=f"op {name}"))
        assert ".scaffold/" in git(roots["lower"], "status", "--porcelain")
    ops.undo(roots, "gelu")
    assert ".scaffold/" in git(roots["lower"], "status", "--porcelain")


def test_an_exclude_file_without_a_last_newline_keeps_its_last_line(tmp_path):
    root = checkout(tmp_path / "main", {"a.py": b"a = 1\n"})
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_bytes(b"*.log")
    tree = Tree({"upper": root})
    tree.write("upper", "a.py", b"a = 2\n")
    apply(bare_plan(tree))
    assert (root / ".git/info/exclude").read_bytes() == b"*.log\n.scaffold/\n"


def test_git_variables_of_a_hook_do_not_lead_to_another_repository(tmp_path, monkeypatch):
    root, other = (checkout(tmp_path / name, {"a.py": b"a = 1\n"}) for name in ("main", "other"))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    tree = Tree({"upper": root})
    tree.write("upper", "a.py", b"a = 2\n")
    apply(bare_plan(tree))
    assert ".scaffold/" in (root / ".git/info/exclude").read_text()
    assert ".scaffold/" not in (other / ".git/info/exclude").read_text()


HOLD = """
import sys
from generator.plan.lock import locked
from pathlib import Path
with locked({"lower": Path(sys.argv[1])}, "op held", 5):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_command_that_is_writing_in_another_process_is_named(tmp_path):
    roots = world.make(tmp_path)
    plan, before = world.plan(roots), snapshot(roots)
    command = [sys.executable, "-c", HOLD, str(roots["lower"])]
    house = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=house, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(ScaffoldError, match=rf"writing to lower: process {other.pid} \(op held\)"):
            apply(plan, lock_seconds=0.1)
        assert snapshot(roots) == before
        other.communicate("")
    apply(plan)
    assert snapshot(roots) != before


def test_many_processes_at_once_never_mix(tmp_path):
    roots = world.make(tmp_path)
    plans = []
    for number in range(4):
        tree = Tree(roots)
        for repo, path in (("upper", "pkg/backend.py"), ("lower", "ops/llm.py"), ("lower", f"only/{number}.py")):
            tree.write(repo, path, b"by = %d\n" % number)
        plans.append(bare_plan(tree))
    children = [fork_apply(plan) for plan in plans]
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert sorted(codes) == [0, 2, 2, 2]
    winner = codes.index(0)
    assert (roots["upper"] / "pkg/backend.py").read_bytes() == b"by = %d\n" % winner
    assert (roots["lower"] / "ops/llm.py").read_bytes() == b"by = %d\n" % winner
    assert [place.name for place in (roots["lower"] / "only").iterdir()] == [f"{winner}.py"]


def fork_apply(plan):
    child = os.fork()
    if child == 0:
        try:
            apply(plan, lock_seconds=30)
            os._exit(0)
        except ScaffoldError as error:
            os._exit(error.exit_code)
        except BaseException:
            os._exit(3)
    return child
