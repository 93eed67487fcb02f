"""New buffers in the real vendors' graph files of the wheel, run on the real torch in a child process."""

import subprocess
from pathlib import Path

import pytest

from generator.cli.main import run
from generator.survey.graph_buffers import graph_path

from .torch_env import python_with_torch

REPOSITORY = Path(__file__).resolve().parents[2]
OWNERS = ("attn_metadata", "step_context", "moe_metadata", "kwarg")
CHILD = """
import sys
from pathlib import Path

import torch

from tests.scaffolds.graph_runtime import MAX_BATCHES, Graph

OWNERS = ("attn_metadata", "step_context", "moe_metadata", "kwarg")
PLACES = dict(zip(OWNERS, ("attn", "context", "moe", "kwargs")))
graph = Graph(Path(sys.argv[1]), torch)
shapes = {}
for batch in (6, 3, 8, 1):
    fields = {}
    for owner in OWNERS:
        fields[PLACES[owner]] = {
            f"{owner}_lens": torch.arange(10, 10 + batch, dtype=torch.int64),
            f"{owner}_axes": torch.full((3, batch), 5),
        }
    graph.step(batch, **fields)
    for owner in OWNERS:
        lens, axes = (graph.meta.input_buffers[f"{owner}_{name}"] for name in ("lens", "axes"))
        assert lens.tolist() == list(range(10, 10 + batch)) + [-1] * (MAX_BATCHES - batch)
        assert axes.tolist() == [[5] * batch + [0] * (MAX_BATCHES - batch)] * 3
        for name, buffer in (("lens", lens), ("axes", axes)):
            now = (buffer.data_ptr(), buffer.shape, buffer.dtype)
            assert shapes.setdefault((owner, name), now) == now, "addresses and shapes never change"
print("ok")
"""


@pytest.mark.parametrize("vendor", ["ascend", "camb", "maca"])
def test_padding_and_addresses(upstream_workspace, monkeypatch, tmp_path, vendor):
    checkouts = upstream_workspace("0.17.0")
    monkeypatch.chdir(tmp_path)
    folder = str(checkouts["lmdeploy"].root.parent)
    for owner in OWNERS:
        common = ("--vendor", vendor, "--owner", owner, "--workspace", folder)
        lens = ("--size", "max_batches", "--dtype", "int32", "--fill", "-1")
        assert run(["graph-buffer", f"{owner}_lens", *lens, *common]) == 0
        assert run(["graph-buffer", f"{owner}_axes", "--size", "3, max_tokens", "--dtype", "int64", *common]) == 0
    path = checkouts["dlinfer"].root / graph_path(vendor)
    command = [python_with_torch(), "-c", CHILD, path]
    done = subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": str(REPOSITORY)})
    assert done.stdout == "ok\n", done.stderr
