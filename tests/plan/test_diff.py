"""The diff is a real one: git applies it and comes to the planned bytes."""

import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.plan.diff import unified_diff
from generator.plan.plan import Plan
from generator.plan.tree import Change, Tree

from .kit import bare_plan, snapshot, write

LINES = st.sampled_from([b"a = 1", b"b = 2\r", b"", b"caf\xe9", b"x\x0cy", "\u2028z".encode(), b"-- a", b"\\ No"])
TEXT = st.builds(
    lambda lines, end: b"\n".join(lines) + end, st.lists(LINES, max_size=12), st.sampled_from([b"", b"\n"])
)


def test_the_form(tmp_path):
    tree = Tree({"upper": write(tmp_path, {"a.py": b"a = 1\nb = 2"})})
    tree.write("upper", "a.py", b"a = 1\nc = 3\nb = 2")
    tree.write("upper", "new.py", b"n = 1\n")
    tree.write("upper", ".scaffold/op-x-camb/f.py", b"hidden")
    assert bare_plan(tree).diff().splitlines() == [
        "diff --git a/upper/a.py b/upper/a.py",
        "--- a/upper/a.py",
        "+++ b/upper/a.py",
        "@@ -1,2 +1,3 @@",
        " a = 1",
        "+c = 3",
        " b = 2",
        "\\ No newline at end of file",
        "diff --git a/upper/new.py b/upper/new.py",
        "new file mode 100644",
        "--- /dev/null",
        "+++ b/upper/new.py",
        "@@ -0,0 +1 @@",
        "+n = 1",
    ]


def test_a_deletion_is_against_dev_null():
    assert "+++ /dev/null\n@@ -1 +0,0 @@\n-a\n" in unified_diff(Change("upper", "a.py", b"a\n", None))


@settings(max_examples=60, deadline=None)
@given(before=st.none() | TEXT, after=st.none() | TEXT, other=TEXT)
def test_git_apply_comes_to_the_planned_bytes(tmp_path_factory, before, after, other):
    top = tmp_path_factory.mktemp("diff")
    files = {"keep.txt": b"keep\n", "dir/o ther.py": b"other\n"} | ({} if before is None else {"dir/a.py": before})
    root = write(top / "upper", files)
    tree = Tree({"upper": root})
    tree.write("upper", "dir/o ther.py", other)
    if after is None:
        tree.delete("upper", "dir/a.py")
    else:
        tree.write("upper", "dir/a.py", after)
    patch = bare_plan(tree).diff().encode("utf-8", "surrogateescape")
    if patch:
        command = ["git", "apply", "-p2", "--whitespace=nowarn", "-"]
        subprocess.run(
            command, cwd=root, input=patch, check=True, env={"GIT_DIR": "/nonexistent", "PATH": "/usr/bin:/bin"}
        )
    expected = {"keep.txt": b"keep\n", "dir/o ther.py": other} | ({} if after is None else {"dir/a.py": after})
    assert {path: data for path, (_, data) in snapshot({"": root}).items() if data is not None} == {
        f"/{path}": data for path, data in expected.items()
    }


def test_json_has_the_documented_keys(tmp_path):
    tree = Tree({"upper": tmp_path})
    plan = Plan("op-x-camb", ("op-x-camb",), "op x --vendor camb", (), tree, spec={"name": "x"})
    assert plan.to_json() == {
        "schema": {"name": "scaffold/plan", "version": 1},
        "command": "op x --vendor camb",
        "exit": 0,
        "id": "op-x-camb",
        "ids": ["op-x-camb"],
        "steps": [],
        "spec": {"name": "x"},
        "notes": [],
    }
