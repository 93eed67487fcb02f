"""`scaffold quant-patch`: patches of quantised layers, and checkpoints that need none."""

import json
import struct

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

QUANTS = "dlinfer/dlinfer/framework/lmdeploy_ext/quants"
LAYER = "model.layers.0.mlp.up_proj"
IN, OUT, GROUP = 256, 512, 128
GOOD = {
    "qweight": ("I32", (IN, OUT // 8)),
    "scales": ("F16", (IN // GROUP, OUT)),
    "qzeros": ("F16", (IN // GROUP, OUT)),
}
SIZES = {"I32": 4, "F16": 2, "BF16": 2}


def write(folder, tensors, config=None):
    """A safetensors file of zeros, and a configuration."""
    folder.mkdir(exist_ok=True)
    header, offset = {}, 0
    for name, (dtype, shape) in tensors.items():
        size = SIZES[dtype]
        for n in shape:
            size *= n
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    head = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + bytes(offset))
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    return folder


def layer(**changes):
    return {f"{LAYER}.{name}": tensor for name, tensor in {**GOOD, **changes}.items()}


def test_a_method_in_the_quant_module(scaffold, workspace):
    before = snapshot(workspace)
    result = scaffold("quant-patch", "AwqLinear.forward", "--vendor", "ascend")
    assert result.code == 0, result.err
    after = snapshot(workspace)
    assert lost_lines(before, after) == []
    compiles(after)
    text = (workspace / QUANTS / "ascend_awq.py").read_text()
    assert text.count("import AwqLinear") == 1, "it is imported already, through another module"
    assert text.endswith("\n\n\nAwqLinear.forward = AscendAwqLinear_forward\n")
    assert scaffold("undo", "AwqLinear.forward").code == 0 and snapshot(workspace) == before


def test_patched_already_and_stacked(scaffold, workspace):
    before = snapshot(workspace)
    result = scaffold("quant-patch", "AwqLinear.create_weights", "--vendor", "ascend")
    assert result.code == 2 and "ascend_awq.py:" in result.err
    assert scaffold("quant-patch", "AwqLinear.create_weights", "--vendor", "ascend", "--stack").code == 0
    text = (workspace / QUANTS / "ascend_awq.py").read_text()
    first = text.index("AwqLinear.create_weights = AscendAwqLinear_create_weights\n")
    assert first < text.index("def patch_ascend_awq_linear_create_weights():")
    assert text.endswith("\n\n\npatch_ascend_awq_linear_create_weights()\n")
    compiles(snapshot(workspace))
    assert scaffold("undo", "AwqLinear.create_weights").code == 0 and snapshot(workspace) == before


def test_a_vendor_without_quant_patches(scaffold, workspace):
    before = snapshot(workspace)
    assert scaffold("quant-patch", "AwqLinear.create_weights", "--vendor", "camb").code == 0
    assert 'awq_vendor = ["ascend", "camb"]\n' in (workspace / QUANTS / "__init__.py").read_text()
    text = (workspace / QUANTS / "camb_awq.py").read_text()
    assert "AwqLinear.create_weights = CambAwqLinear_create_weights\n" in text
    assert scaffold("undo", "AwqLinear.create_weights").code == 0 and snapshot(workspace) == before


def run(scaffold, folder, *more):
    return scaffold("quant-patch", "AwqLinear.create_weights", "--vendor", "ascend", "--checkpoint", str(folder), *more)


def test_a_matching_checkpoint_needs_no_patch(scaffold, workspace, tmp_path):
    before = snapshot(workspace)
    folder = write(tmp_path / "good", layer(), {"quantization_config": {"group_size": GROUP}})
    result = run(scaffold, folder)
    assert result.code == 0 and "no patch is needed" in result.out
    assert snapshot(workspace) == before
    assert json.loads(run(scaffold, folder, "--json").out)["steps"] == []


@pytest.mark.parametrize(
    ("tensors", "config", "said"),
    [
        (layer(qzeros=("I32", (IN // GROUP, OUT // 8))), {}, ["qzeros has shape (2, 64)", "qzeros is I32"]),
        (layer(qweight=("I32", (IN // 8, OUT))), {}, ["packed along axis 0"]),
        (layer(), {"quantization_config": {"group_size": 64}}, ["groups of 128", "the configuration says 64"]),
        (layer(scales=("I32", (IN // GROUP, OUT))), {}, ["scales is I32"]),
        (layer(qweight=("I32", (IN, OUT // 4))), {}, ["along neither axis"]),
    ],
)
def test_what_does_not_fit_is_said(scaffold, tmp_path, tensors, config, said):
    folder = write(tmp_path / "other", tensors, config)
    refused = run(scaffold, folder)
    stacked = run(scaffold, folder, "--stack", "--dry-run")
    assert refused.code == 2 and stacked.code == 0
    for text in said:
        assert text in refused.err and text in stacked.out


def test_kv_scales_are_told_what_would_have_to_change(scaffold, tmp_path):
    folder = write(tmp_path / "kv", {**layer(), "model.layers.0.self_attn.k_proj.k_scale": ("F16", (1,))})
    result = run(scaffold, folder)
    assert result.code == 0 and "AscendKVQuantMeta is legacy" in result.out and "context-field" in result.out
    result = scaffold("quant-patch", "AscendKVQuantMeta.set_value", "--vendor", "ascend")
    assert result.code == 2 and "is legacy and is not patched" in result.err


def test_folders_that_cannot_be_compared(scaffold, tmp_path):
    plain = write(tmp_path / "plain", {"w": ("F16", (2, 2))})
    assert "no layer of this checkpoint has a qweight" in run(scaffold, plain).err
    assert run(scaffold, tmp_path / "nowhere").code == 2
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "model.safetensors").write_bytes(b"\xff" * 40)
    assert run(scaffold, broken).code == 2
