"""vllm-ascend's own lists, from its source packages."""

from __future__ import annotations

import ast

import pytest

from generator.scaffolds.scene import Scene
from generator.scaffolds.vllm_register import plan_register
from generator.survey.vllm_ascend import read_ascend, read_pin
from generator.survey.vllm_tree import SourceTree
from generator.vllm.register.request import RegisterRequest
from generator.workspace.checkout import Workspace, recognise

from .vllm_packages import source

RELEASES = ("0.13.0", "0.18.0")


@pytest.fixture(scope="module", params=RELEASES)
def release(request):
    return source("vllm-ascend", request.param)


def test_what_it_adds_is_found(release):
    added = read_ascend(SourceTree(release))
    assert {"RMSNorm", "SiluAndMul", "RotaryEmbedding", "QKVParallelLinear"} <= added.overridden
    assert added.packed["qwen3_moe"]["qkv_proj"] == ["q_proj", "k_proj", "v_proj"]
    assert read_pin(SourceTree(release)) is not None


def test_every_entry_can_be_put_back(release, tmp_path):
    """Each entry is taken out of the text and planned again: the mapping is the same as before."""
    wanted = read_ascend(SourceTree(release))
    path = wanted.packed_at[0]
    for number, (key, parts) in enumerate(wanted.packed.items()):
        root = tmp_path / str(number) / "vllm-ascend"
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(_without((release / path).read_text(), key))
        packed = tuple((name, tuple(names)) for name, names in parts.items())
        request = RegisterRequest("M", "vllm.m", "M", "text-generation", ascend=True, model_type=key, packed=packed)
        after = plan_register(request, Scene.open(Workspace({"vllm-ascend": recognise(root)}))).tree.read(
            "vllm-ascend", path
        )
        (root / path).write_bytes(after)
        assert read_ascend(SourceTree(root)).packed == wanted.packed, key


def _without(text: str, key: str) -> str:
    """Return the file without one entry of the mapping."""
    value = next(
        node.value
        for node in ast.parse(text).body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        and "packed_modules_model_mapping" in ast.unparse(node).split("=")[0]
    )
    entry = next((k, v) for k, v in zip(value.keys, value.values, strict=True) if k.value == key)
    lines = text.splitlines(keepends=True)
    return "".join(lines[: entry[0].lineno - 1] + lines[entry[1].end_lineno :])
