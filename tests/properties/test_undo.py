"""Promises 2 and 4: the same again changes nothing, and undo gives the bytes back, in any order, whatever was edited.

A twin of the checkouts gets the same edits by hand but no ops. When everything is undone, both must be equal.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from generator.plan.ledger import Ledger
from generator.plan.tree import Tree
from tests.plan import ops
from tests.plan.kit import snapshot

NAMES = ("gelu", "rms_norm", "zeta")

# Edits by hand next to the places where ops go: repo, path, old text, new text.
EDITS = (
    ("upper", "pkg/backend.py", "LIMIT = 1\n", "LIMIT = 7  # mine\n"),
    ("upper", "pkg/backend.py", "            return 'norm'\n", "            x = 1\n            return 'norm', x\n"),
    ("upper", "pkg/backend.py", "        else:\n", "        # what upstream does\n        else:\n"),
    ("upper", "pkg/base.py", "    Linear = enum.auto()\n", "    Linear = enum.auto()\n    Mine = enum.auto()\n"),
    ("upper", "pkg/base.py", "class Backend:\n    pass", "class Backend:\n    mine = True"),
    ("upper", "pkg/kernels/__init__.py", "    'linear',\n", "    'linear',\n    'mine',\n"),
    ("upper", "pkg/kernels/__init__.py", "from .linear import linear\n", "from .linear import linear, mine\n"),
    ("lower", "ops/llm.py", "import torch\n", "import os\nimport torch\n"),
    ("lower", "ops/llm.py", '"linear", ', '"linear", "mine", '),
    ("lower", "ops/llm.py", "    return torch.norm(x)", "    return torch.norm(x + 1)"),
    ("lower", "vendor/ascend/ops.py", "# below all of them\n", "# below all of them, still\n"),
    ("lower", "vendor/camb/ops.py", '"linear"', '"mine", "linear"'),
)

DRESSES = {
    "plain": lambda text: text,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "no last newline": lambda text: text.removesuffix("\n"),
    "bom and crlf": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
}

APPLY = st.tuples(st.just("apply"), st.sampled_from(NAMES), st.sampled_from(ops.VENDORS))
UNDO = st.tuples(st.just("undo"), st.sampled_from(NAMES), st.sampled_from((*ops.VENDORS, None)))
EDIT = st.tuples(st.just("edit"), st.integers(0, len(EDITS) - 1))
TOUCH = st.tuples(st.just("touch"), st.sampled_from(NAMES))
APPEND = st.tuples(st.just("append"), st.sampled_from([("lower", "ops/llm.py"), ("upper", "pkg/base.py")]))
LEAVE = st.tuples(st.just("leave"), st.sampled_from(["upper", "lower"]))
ACTIONS = st.lists(st.one_of(APPLY, APPLY, UNDO, EDIT, TOUCH, APPEND, LEAVE), max_size=14)


@dataclass
class Session:
    """The real checkouts, and their twin without ops."""

    roots: dict[str, Path]
    twin: dict[str, Path]
    dress: str
    edited: set = field(default_factory=set)
    appended: int = 0

    def bytes(self, text: str) -> bytes:
        crlf = "crlf" in self.dress
        return (text.replace("\n", "\r\n") if crlf else text).encode()

    def apply(self, name, vendor):
        ops.apply_op(self.roots, name, vendor)
        assert ops.plan_op(self.roots, name, vendor).changes == []

    def undo(self, name, vendor):
        target = f"op-{name}-{vendor}" if vendor else name
        known = Ledger.load(Tree(self.roots)).ids()
        if target in known or (not vendor and name in {applied.name for applied in known.values()}):
            plan = ops.undo(self.roots, target)
            assert ops.undo(self.roots, target).changes == [] if plan.exit else True

    def edit(self, number):
        if number not in self.edited:
            self.edited.add(number)
            repo, path, old, new = EDITS[number]
            for roots in (self.roots, self.twin):
                ops.edit(roots, repo, path, self.bytes(old), self.bytes(new))

    def append(self, file):
        repo, path = file
        self.appended += 1
        text = self.bytes(f"\n\ndef mine{self.appended}():\n    return {self.appended}\n")
        for roots in (self.roots, self.twin):
            place = roots[repo] / path
            start = b"" if place.read_bytes().endswith(b"\n") else self.bytes("\n")
            place.write_bytes(place.read_bytes() + start + text)

    def leave(self, repo):
        """Go to a branch without any of the steps, as `git switch` does; the ledger stays."""
        for place in sorted(self.roots[repo].rglob("*"), reverse=True):
            path = place.relative_to(self.roots[repo])
            if path.parts[0] != ".scaffold" and not (self.twin[repo] / path).exists():
                place.rmdir() if place.is_dir() else place.unlink()
        shutil.copytree(self.twin[repo], self.roots[repo], dirs_exist_ok=True)

    def touch(self, name):
        """Edit inside the inserted function, or take that edit back."""
        place = self.roots["lower"] / "ops/llm.py"
        call, edited = f"torch.{name}(x)".encode(), f"torch.{name}(x, 'mine')".encode()
        data = place.read_bytes()
        place.write_bytes(data.replace(edited, call) if edited in data else data.replace(call, edited))

    def untouch(self):
        for name in NAMES:
            if b"torch.%s(x, 'mine')" % name.encode() in (self.roots["lower"] / "ops/llm.py").read_bytes():
                self.touch(name)

    def check(self):
        touched = [name for name in NAMES if f"{name}(x, 'mine')" in self.text("lower", "ops/llm.py")]
        for repo, path in (("upper", "pkg/backend.py"), ("lower", "ops/llm.py")):
            compile(self.text(repo, path), path, "exec")
        return touched

    def text(self, repo, path):
        return (self.roots[repo] / path).read_text("utf-8-sig")


@settings(max_examples=80, deadline=None)
@given(
    actions=ACTIONS,
    dress=st.sampled_from(sorted(DRESSES)),
    last=st.permutations(NAMES),
)
@example([("apply", "gelu", "camb"), ("apply", "zeta", "camb"), ("undo", "gelu", None)], "plain", NAMES)
@example([("apply", "gelu", "maca"), ("touch", "gelu"), ("undo", "gelu", "maca")], "crlf", NAMES)
@example([("apply", "gelu", "maca"), ("leave", "lower"), ("apply", "zeta", "maca")], "plain", NAMES)
def test_undo_is_exact(tmp_path_factory, actions, dress, last):
    top = tmp_path_factory.mktemp("undo")
    make = {side: ops.make(top / side, lambda text: DRESSES[dress](text).encode()) for side in ("real", "twin")}
    session = Session(make["real"], make["twin"], dress)
    touched: list[str] = []
    for action, *words in actions:
        getattr(session, action)(*words)
        now = session.check()
        assert action in ("touch", "leave") or now == touched, "an edit inside inserted code was lost"
        touched = now
    session.untouch()
    for name in last:
        session.undo(name, None)
    assert snapshot(session.roots) == snapshot(session.twin)
    assert Ledger.load(Tree(session.roots)).ids() == {}
