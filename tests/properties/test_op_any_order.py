"""Ops applied and undone in any order, by several vendors, with edits by hand between: the bytes come back.

The ops are real, the checkouts are the sandbox; each example works on its own copy.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.plan.apply import apply
from generator.plan.undo import plan_undo
from generator.scaffolds.op import plan_op
from generator.scaffolds.op_request import OpRequest
from generator.scaffolds.scene import Scene
from generator.workspace.find import find_workspace
from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

OPS = ("rms_norm_gated", "gelu_and_mul_x", "thing", "other_thing", "add_rms_norm_x")
VENDORS = ("ascend", "camb", "maca")
# Lines that somebody adds by hand, at the top level of files that ops are inserted into.
EDITED = (
    "dlinfer/dlinfer/ops/llm.py",
    "dlinfer/dlinfer/vendor/camb/camb_ops.py",
    "lmdeploy/lmdeploy/pytorch/backends/base.py",
    "lmdeploy/lmdeploy/pytorch/backends/dlinfer/op_backend.py",
    "lmdeploy/lmdeploy/pytorch/kernels/dlinfer/__init__.py",
)

applied = st.tuples(st.just("apply"), st.sampled_from(OPS), st.sampled_from(VENDORS))
undone = st.tuples(st.just("undo"), st.sampled_from(OPS), st.sampled_from(VENDORS))
edited = st.tuples(st.just("edit"), st.sampled_from(EDITED), st.sampled_from(["top", "bottom"]))


def scene_of(folder: Path) -> Scene:
    return Scene.open(find_workspace({"workspace": str(folder)}, {}, folder, ("lmdeploy", "dlinfer")))


def apply_op(folder: Path, name: str, vendor: str):
    plan = plan_op(OpRequest(name, (vendor,)), scene_of(folder))
    apply(plan)
    return plan


def undo(folder: Path, target: str):
    scene = scene_of(folder)
    plan = plan_undo(scene.tree, scene.ledger, target)
    apply(plan)
    return plan


def edit(path: Path, place: str, mark: str) -> None:
    """Add a line of one's own: under the first comment or docstring, or at the end."""
    data = path.read_bytes()
    line = f"MINE_{mark} = 1\n".encode()
    if place == "bottom":
        path.write_bytes(data + b"\n\n" + line)
        return
    head, _, rest = data.partition(b"\n\n\n")
    path.write_bytes(head + b"\n\n\n" + line + b"\n\n" + rest)


@pytest.fixture(scope="module")
def folder(pristine, tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("any-order")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.one_of(applied, applied, undone, edited), min_size=2, max_size=9))
def test_the_bytes_come_back(steps, pristine, folder):
    work = folder / "workspace"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(pristine, work, symlinks=True)
    mine = folder / "mine"
    shutil.rmtree(mine, ignore_errors=True)
    shutil.copytree(pristine, mine, symlinks=True)
    before = snapshot(work)
    live: set[str] = set()
    edits = 0
    for kind, what, how in steps:
        if kind == "edit":
            edits += 1
            edit(work / what, how, str(edits))
            edit(mine / what, how, str(edits))
            continue
        id = f"op-{what}-{how}"
        if kind == "apply":
            assert apply_op(work, what, how).exit == 0
            assert not apply_op(work, what, how).changes
            live.add(id)
        elif id in live:
            assert undo(work, id).exit == 0
            live.discard(id)
        now = snapshot(work)
        compiles(now)
        assert lost_lines({p: d for p, d in before.items() if p not in EDITED}, now) == []
    for id in sorted(live):
        assert undo(work, id).exit == 0
    assert snapshot(work) == snapshot(mine)
    assert not [p for p in work.rglob("*.txt") if ".scaffold" in p.parts]
