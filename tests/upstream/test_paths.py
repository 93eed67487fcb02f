"""Graph buffers, context fields and patches on the real packages.

The `dlinfer-ascend` wheel is from before dlinfer's commit 3f49617 of 2026-04-10, which added `state_ids` and
`mrope_position_ids`, and 3695f14 of 2026-07-12, which added `cache_seqlens` and `attention_mask`: so these replay.
"""

import json
import subprocess

import pytest

from generator.cli.main import run
from generator.survey.graph_buffers import graph_path, read_graph_file
from generator.survey.patches import DEVICE, read_patches
from generator.survey.shelf import Shelf
from generator.survey.targets import find_target, lmdeploy_symbols
from tests.scaffolds.graph_runtime import MAX_BATCHES, Graph
from tests.scaffolds.tensor_stand_in import tensor, torch_module

VERSION = "0.17.0"
BUFFERS = {
    "state_ids": ("kwarg", "max_batches", "int64", "-1", "is_ssm", "state_offsets"),
    "mrope_position_ids": ("kwarg", "3, max_tokens", "int64", "0", "use_mrope", "mrope_position_ids"),
    "cache_seqlens": ("attn_metadata", "max_batches", "int32", "0", "is_ssm", None),
}


@pytest.fixture
def checkouts(upstream_workspace):
    return upstream_workspace(VERSION)


@pytest.fixture
def scaffold(checkouts, capfd, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        capfd.readouterr()
        code = run([*arguments, "--workspace", str(checkouts["lmdeploy"].root.parent)])
        out, err = capfd.readouterr()
        assert code == 0, err
        return out

    return command


def lost(checkout):
    """Lines that are gone from a checkout."""
    done = subprocess.run(["git", "-C", checkout.root, "diff", "-U0"], capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if line.startswith("-") and not line.startswith("---")]


@pytest.mark.parametrize("name", BUFFERS)
def test_ascend_buffers_replay(scaffold, checkouts, name):
    owner, size, dtype, fill, when, context = BUFFERS[name]
    given = ("--owner", owner, "--size", size, "--dtype", dtype, "--fill", fill, "--when", when)
    scaffold("graph-buffer", name, "--vendor", "ascend", *given)
    assert lost(checkouts["dlinfer"]) == [] and lost(checkouts["lmdeploy"]) == []
    buffer = read_graph_file(checkouts["dlinfer"], graph_path("ascend")).buffers[name]
    (make,) = buffer.makes
    assert (", ".join(make.size), make.dtype, make.value, make.condition) == (size, dtype, fill, f"graph_meta.{when}")
    assert {f.kind for f in buffer.fills} == {"pad", "copy"}
    assert [(h.owner, h.field) for h in buffer.hands] == [(owner, name)]
    assert [(u.owner, u.field) for u in buffer.updates] == ([("step_context", context)] if context else [])
    scaffold("undo", name)
    assert subprocess.run(["git", "-C", checkouts["dlinfer"].root, "diff", "--quiet"]).returncode == 0


def test_the_real_ascend_file_runs_with_them(scaffold, checkouts):
    for name in ("state_ids", "mrope_position_ids"):
        owner, size, dtype, fill, when, _ = BUFFERS[name]
        given = ("--owner", owner, "--size", size, "--dtype", dtype, "--fill", fill, "--when", when)
        scaffold("graph-buffer", name, "--vendor", "ascend", *given)
    graph = Graph(checkouts["dlinfer"].root / graph_path("ascend"), torch_module())
    for batch in (7, 2):
        _, _, context = graph.step(batch, kwargs={"state_ids": tensor([9] * batch)})
        assert context.state_offsets.tolist() == [9] * batch + [-1] * (MAX_BATCHES - batch)
        assert context.mrope_position_ids.tolist() == [[1] * batch + [0] * (MAX_BATCHES - batch)] * 3


@pytest.mark.parametrize("vendor", ["ascend", "camb", "maca"])
def test_context_fields(scaffold, checkouts, vendor):
    given = ("--type", "Tensor", "--value", "step_context.q_seqlens + 1")
    scaffold("context-field", "new_lens", "--vendor", vendor, *given)
    assert lost(checkouts["lmdeploy"]) == []


@pytest.mark.parametrize("vendor", ["ascend", "camb", "maca"])
def test_device_patches(scaffold, checkouts, vendor):
    target = "BaseModelAgent.async_sampling_logits"
    plan = json.loads(scaffold("device-patch", target, "--vendor", vendor, "--stack", "--json"))
    assert plan["spec"].startswith("method lmdeploy.pytorch.engine.model_agent")
    assert all("does not bind" not in note["text"] for note in plan["notes"])
    target = "lmdeploy.pytorch.engine.cache_engine.CacheEngine.swap_in"
    scaffold("device-patch", target, "--vendor", vendor)
    assert (checkouts["dlinfer"].root / DEVICE / "maca.py").exists() == (vendor == "maca")


def test_most_patches_of_the_wheel_still_have_their_target(checkouts):
    """They were written for an lmdeploy some months older: a few targets have moved since."""
    shelf = Shelf.of(checkouts["lmdeploy"])
    symbols = lmdeploy_symbols(shelf)
    found, gone = [], []
    for patch in read_patches(checkouts["dlinfer"], DEVICE).values():
        try:
            found.append(find_target(symbols, shelf, patch.target).dotted)
        except Exception:
            gone.append(patch.target)
    assert len(found) > 2 * len(gone)
