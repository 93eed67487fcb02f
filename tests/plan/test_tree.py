"""The overlay: reads through, keeps writes, stays inside."""

import os

import pytest

from generator.errors import ScaffoldError
from generator.plan.tree import Change, Tree

from .kit import snapshot, write


@pytest.fixture
def tree(tmp_path):
    upper = write(tmp_path / "upper", {"a.py": b"a = 1\r\n", "pkg/b.bin": b"\xff\x00"})
    return Tree({"upper": upper, "lower": write(tmp_path / "lower", {"c.py": b"c = 1\n"})})


def test_writes_stay_in_memory(tree):
    before = snapshot(tree.roots)
    tree.write("upper", "new/d.py", b"d")
    tree.delete("lower", "c.py")
    assert (tree.read("upper", "new/d.py"), tree.read("lower", "c.py")) == (b"d", None)
    assert snapshot(tree.roots) == before
    assert tree.changes() == [Change("upper", "new/d.py", None, b"d"), Change("lower", "c.py", b"c = 1\n", None)]


def test_what_comes_back_to_its_first_bytes_is_no_change(tree):
    tree.write("upper", "a.py", b"a = 2\n")
    tree.write("upper", "a.py", b"a = 1\r\n")
    tree.write("upper", "e.py", b"")
    tree.delete("upper", "e.py")
    assert tree.changes() == []


def test_any_bytes_are_read_as_they_are(tree):
    assert tree.read("upper", "pkg/b.bin") == b"\xff\x00"
    assert tree.read("upper", "pkg/none") is None
    assert tree.read("upper", "a.py/none") is None


def test_a_source_is_parsed_once_and_again_after_a_write(tree):
    first = tree.source("upper", "a.py")
    assert tree.source("upper", "a.py") is first
    tree.write("upper", "a.py", b"a = 2\r\n")
    assert tree.source("upper", "a.py").data == b"a = 2\r\n"
    tree.put("upper", "a.py", first)
    assert tree.source("upper", "a.py") is first
    assert tree.changes() == []


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../lower/c.py", "pkg/../../lower/c.py", "", "a//b", "./a.py", "a\nb", "a\0", ".", "pkg/"]
)
def test_a_path_that_is_not_plainly_inside_is_refused(tree, path):
    for act in (tree.read, tree.delete):
        with pytest.raises(ScaffoldError, match="not a path inside the upper checkout"):
            act("upper", path)


@pytest.mark.parametrize("path", [".git/config", "sub/.GIT/hooks/pre-commit"])
def test_gits_own_files_are_refused(tree, path):
    with pytest.raises(ScaffoldError, match="git's own"):
        tree.write("upper", path, b"")


@pytest.mark.parametrize("target", ["../lower", "../lower/c.py", "/etc", "../nowhere"])
def test_a_link_that_leads_out_is_refused_also_as_a_folder_above(tree, target):
    (tree.roots["upper"] / "link").symlink_to(target)
    for path in ("link", "link/c.py"):
        with pytest.raises(ScaffoldError, match="leads out") as error:
            tree.write("upper", path, b"")
        assert error.value.where == f"upper/{path}"


def test_a_link_inside_is_the_file_that_it_names(tree):
    (tree.roots["upper"] / "alias").symlink_to("pkg")
    tree.write("upper", "alias/b.bin", b"new")
    assert tree.read("upper", "pkg/b.bin") == b"new"
    assert tree.changes() == [Change("upper", "pkg/b.bin", b"\xff\x00", b"new")]


def test_a_link_in_a_circle_is_an_error(tree):
    (tree.roots["upper"] / "x").symlink_to("y")
    (tree.roots["upper"] / "y").symlink_to("x")
    with pytest.raises(ScaffoldError):
        tree.read("upper", "x")


def test_a_pipe_or_a_folder_is_not_read(tree):
    os.mkfifo(tree.roots["upper"] / "pipe")
    for path in ("pipe", "pkg"):
        with pytest.raises(ScaffoldError, match="not a regular file"):
            tree.read("upper", path)


def test_roots_must_be_different_folders(tmp_path):
    with pytest.raises(ScaffoldError, match="not a folder"):
        Tree({"upper": tmp_path / "none"})
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(ScaffoldError, match="different checkouts"):
        Tree({"upper": tmp_path, "lower": tmp_path / "link"})
    with pytest.raises(ScaffoldError, match="no vllm checkout"):
        Tree({"upper": tmp_path}).read("vllm", "a.py")
