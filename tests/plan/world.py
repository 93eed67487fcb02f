"""One plan over two checkouts that has everything in it: edits, new folders, a deletion, modes, odd bytes."""

from __future__ import annotations

from pathlib import Path

from generator.plan.apply import apply
from generator.plan.plan import Plan
from generator.plan.tree import Tree

from .faults import changes_of
from .kit import bare_plan, write


def make(top: Path) -> dict[str, Path]:
    """Write the two checkouts."""
    upper = {
        "pkg/backend.py": b"import os\r\n\r\nNAMES = ['a']",
        "pkg/tool.sh": b"#!/bin/sh\n",
        "made/gone.py": b"old = 1\n",
    }
    lower = {"ops/llm.py": b"\xef\xbb\xbfx = 1\n", "ops/latin.txt": b"\xe9\x00\xff", "untouched.py": b"y = 2\n"}
    roots = {"upper": write(top / "upper", upper), "lower": write(top / "lower", lower)}
    (roots["upper"] / "pkg/tool.sh").chmod(0o750)
    return roots


def plan(roots: dict[str, Path]) -> Plan:
    """Plan changes to both."""
    tree = Tree(roots)
    tree.write("upper", "pkg/backend.py", b"import os\r\n\r\nNAMES = ['a', 'b']")
    tree.write("upper", "pkg/tool.sh", b"#!/bin/sh\nexit 1\n")
    tree.write("upper", "pkg/new/deep/kernel.py", b"z = 3\n")
    tree.delete("upper", "made/gone.py")
    tree.prune("upper", "made")
    tree.write("lower", "ops/llm.py", b"\xef\xbb\xbfx = 1\nw = 4\n")
    tree.write("lower", "ops/latin.txt", b"\xe9\x00\xff\n")
    tree.write("lower", "vendor/camb/__init__.py", b"")
    tree.write("lower", ".scaffold/op-x-camb/fragment.py", b"# a fragment\n")
    return bare_plan(tree)


def changes(top: Path) -> list[str]:
    """Return the changes of the disk that it takes to apply the plan."""
    whole = plan(make(top))
    return changes_of(top, lambda: apply(whole))
