"""Checkpoints that mean harm, or come from a broken tool: findings or exit 2, never execution, never broken output."""

import json
import os
import struct
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.vllm.analysis.analysis import analyse
from generator.vllm.checkpoint.checkpoint import read_checkpoint
from generator.vllm.checkpoint.json_data import BadCheckpoint
from generator.vllm.decision.decide import decide
from generator.vllm.decision.decision import Decision
from generator.vllm.report import page, text
from generator.vllm.report.document import document

from .kit import ENDS, QWEN3, analysed, found, layers, safetensors, write
from .small_vllm import checkouts

KEYS = [*layers(), *ENDS]
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5\n"


def outputs(analysis, decision=None):
    """Render everything and check that it is what it says."""
    decision = decision or Decision("new")
    data = json.dumps(document(analysis, decision), allow_nan=False)
    assert json.loads(data)["findings"] is not None
    for shown in (text.render(analysis, decision), *(page.render(analysis, decision, lang) for lang in ("en", "zh"))):
        assert all(c.isprintable() or c == "\n" for c in shown)
        shown.encode("utf-8")
    table = [line for line in page.render(analysis, decision, "en").splitlines() if line.startswith("|")]
    assert all(line.endswith("|") for line in table)
    return data


ODD = [
    {"num_attention_heads": "many"},
    {"num_attention_heads": []},
    {"num_attention_heads": {"a": 1}},
    {"num_attention_heads": 0},
    {"num_attention_heads": -4},
    {"num_key_value_heads": 0},
    {"head_dim": 0},
    {"num_hidden_layers": True},
    {"layer_types": "sliding"},
    {"layer_types": [1, None]},
    {"rope_parameters": [1]},
    {"rope_scaling": {"type": ["a"]}},
    {"rope_parameters": {"a": {}, "b": 3}},
    {"architectures": "Qwen3ForCausalLM"},
    {"architectures": [None, 3]},
    {"architectures": ["__import__('os').system('true')"]},
    {"model_type": 7},
    {"quantization_config": "fp8"},
    {"quantization_config": {"quant_method": 3}},
    {"quantization_config": {"quant_method": "fp8", "weight_block_size": [0, "x"]}},
    {"quantization_config": {"config_groups": {"a": None}, "quant_method": "x", "ignore": [1, {}]}},
    {"text_config": []},
    {"text_config": {}},
    {"vision_config": 3},
    {"auto_map": ["a"]},
    {"auto_map": {"AutoModel": 1}},
    {"tie_word_embeddings": "yes"},
    {"max_position_embeddings": -1},
    {"num_experts": [[1]]},
    {"num_nextn_predict_layers": -3},
    {"block_configs": [1, {"n_routed_experts": "x"}]},
    {"intermediate_size": 0},
    {"hidden_size": None},
    {"attn_config": {"kv_n_heads": 0}},
    {"transformers_version": "9" * 9000},
    {"kv_lora_rank": {}},
]


@pytest.mark.parametrize("fields", ODD, ids=[next(iter(f)) + str(i) for i, f in enumerate(ODD)])
def test_a_field_of_another_type(tmp_path, fields):
    analysis = analysed(tmp_path, QWEN3 | fields, KEYS)
    outputs(analysis, decide(analysis, checkouts(tmp_path)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted(
    {
        *QWEN3,
        "layer_types",
        "rope_parameters",
        "rope_scaling",
        "quantization_config",
        "text_config",
        "num_experts",
        "thinker_config",
        "vision_config",
        "auto_map",
        "kv_lora_rank",
        "block_configs",
        "attn_config",
    }
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5), st.lists(st.text(max_size=20), max_size=5))
def test_any_value_in_any_field(tmp_path, fields, keys):
    outputs(analysed(tmp_path, QWEN3 | fields, [*keys, *KEYS[:5]]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60))
def test_any_bytes_as_a_file(tmp_path, data):
    for name in ("config.json", "model.safetensors.index.json", "model.safetensors", "quant_model_description.json"):
        write(tmp_path, QWEN3, KEYS)
        (tmp_path / name).write_bytes(data)
        try:
            outputs(analyse(read_checkpoint(tmp_path)))
        except BadCheckpoint as error:
            assert error.exit_code == 2 and error.where
        (tmp_path / name).unlink()


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 5000, "-" + "1" * 30])
@pytest.mark.parametrize("field", ["num_attention_heads", "rope_theta", "max_position_embeddings", "num_experts"])
def test_numbers_that_no_program_can_use(tmp_path, number, field):
    raw = json.dumps(QWEN3 | {field: 0}).replace(f'"{field}": 0', f'"{field}": {number}')
    write(tmp_path, raw, KEYS)
    analysis = analyse(read_checkpoint(tmp_path))
    outputs(analysis)
    if field == "num_attention_heads":
        assert found(analysis, "C04", field)


@pytest.mark.parametrize("depth", [200, 900, 100_000])
def test_deep_nesting(tmp_path, depth):
    write(tmp_path, '{"a": ' + "[" * depth + "]" * depth + "}", KEYS)
    try:
        outputs(analyse(read_checkpoint(tmp_path)))
    except BadCheckpoint as error:
        assert "nested" in error.what
    deep = '{"text_config": ' * depth + "{}" + "}" * depth
    write(tmp_path, deep)
    try:
        outputs(analyse(read_checkpoint(tmp_path)))
    except BadCheckpoint as error:
        assert "nested" in error.what


@pytest.mark.parametrize("config", ["", "[]", "null", "{", "\xff", '"text"', LFS])
def test_no_configuration_is_exit_2_with_the_place(tmp_path, config):
    write(tmp_path, config)
    with pytest.raises(BadCheckpoint) as error:
        read_checkpoint(tmp_path)
    assert error.value.exit_code == 2 and error.value.where and error.value.next


def test_missing_files_are_answers(tmp_path):
    with pytest.raises(BadCheckpoint):
        read_checkpoint(tmp_path / "nowhere")
    with pytest.raises(BadCheckpoint):
        read_checkpoint(tmp_path)
    assert analysed(tmp_path, QWEN3).groups.total == 0


@pytest.mark.parametrize("shard", ["../../etc/passwd", "/etc/passwd", "..", "a/b", "a\\b", "", None, 3, "x\0y"])
def test_shards_outside_of_the_folder_are_not_opened(tmp_path, shard):
    (tmp_path / "secret").write_bytes(safetensors({"stolen": ("F32", [1])}))
    analysis = analysed(tmp_path / "in", QWEN3, {**dict.fromkeys(KEYS, "a.safetensors"), "bad": shard})
    assert [f.subject for f in found(analysis, "C02")] == ["bad"]
    assert "stolen" not in analysis.checkpoint.weights.tensors
    outputs(analysis)


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    (tmp_path / "secret.safetensors").write_bytes(safetensors({"stolen": ("F32", [1])}))
    folder = write(tmp_path / "in", QWEN3, KEYS)
    (folder / "a.safetensors").symlink_to("../secret.safetensors")
    (folder / "tokenizer.json").symlink_to("/etc/hostname")
    analysis = analyse(read_checkpoint(folder))
    assert {f.subject for f in found(analysis, "C02")} == {"a.safetensors", "tokenizer.json"}
    assert "stolen" not in analysis.checkpoint.weights.tensors
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("/etc/hostname")
    with pytest.raises(BadCheckpoint, match="link out"):
        read_checkpoint(folder)


def test_the_links_of_a_hub_cache_are_followed(tmp_path):
    blobs, snapshot = tmp_path / "models--a--b" / "blobs", tmp_path / "models--a--b" / "snapshots" / "123"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    (blobs / "c0ffee").write_text(json.dumps(QWEN3))
    (snapshot / "config.json").symlink_to("../../blobs/c0ffee")
    assert analyse(read_checkpoint(snapshot)).architecture == "Qwen3ForCausalLM"


def test_a_pipe_is_no_file(tmp_path):
    folder = write(tmp_path, QWEN3, KEYS)
    os.mkfifo(folder / "a.safetensors")
    os.mkfifo(folder / "tokenizer.json")
    assert len(found(analyse(read_checkpoint(folder)), "C02")) == 2


@pytest.mark.parametrize("name", ["model.safetensors.index.json", "model-1.safetensors", "tokenizer.json"])
def test_pointers_instead_of_files(tmp_path, name):
    write(tmp_path, QWEN3, KEYS)
    (tmp_path / name).write_text(LFS)
    analysis = analyse(read_checkpoint(tmp_path))
    assert found(analysis, "C01", name)
    assert "index" not in name or analysis.groups.total == 0
    outputs(analysis)


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\xff" * 8,
        struct.pack("<Q", 1 << 60) + b"{}",
        struct.pack("<Q", 2) + b"[]",
        struct.pack("<Q", 9) + b'{"a": 1}',
        struct.pack("<Q", 40) + b'{"a": {"dtype": "F32", "shape": [-1]}}  ',
        struct.pack("<Q", 0),
    ],
)
def test_headers_that_are_none(tmp_path, header):
    analysis = analysed(tmp_path, QWEN3, None, model__safetensors=header)
    assert found(analysis, "C01", "model.safetensors")


NASTY = [
    "a\nb.weight",
    'x"y.weight',
    "x|y.weight",
    "`rm`.weight",
    "\x1b[31mred.weight",
    "\u202egnp.weight",
    "<script>.weight",
    "[link](javascript:1).weight",
    "\ud800.weight",
    "é.weight",
    "." * 200,
    "",
    "a" * 10_000,
]


def test_keys_with_newlines_quotes_and_markup(tmp_path):
    analysis = analysed(tmp_path, QWEN3, KEYS + NASTY + [key + "_scale_inv" for key in NASTY])
    data = outputs(analysis)
    assert json.loads(data)["keys"]["total"] == len(KEYS) + 2 * len(NASTY)
    assert "\x1b" not in text.render(analysis, Decision("new"))


def test_remote_code_is_listed_and_never_run(tmp_path):
    bomb = f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\nfrom transformers import Nothing\n"
    before = set(sys.modules)
    config = QWEN3 | {"auto_map": {"AutoConfig": "configuration_bomb.BombConfig", "AutoModel": "bomb.Bomb"}}
    analysis = analysed(
        tmp_path / "in", config, KEYS, configuration_bomb__py=bomb, bomb__py=bomb, sitecustomize__py=bomb, json__py=bomb
    )
    decide(analysis, checkouts(tmp_path))
    assert not (tmp_path / "ran").exists()
    assert not {name for name in set(sys.modules) - before if "bomb" in name}
    assert "bomb.py" in found(analysis, "C07")[0].message and "not imported" in found(analysis, "C07")[0].message
    assert set(analysis.remote.files) >= {"bomb.py", "configuration_bomb.py"}
    outputs(analysis)


def test_remote_code_that_no_parser_can_read(tmp_path):
    analysis = analysed(
        tmp_path / "in", QWEN3, KEYS, deep__py="(" * 50_000, minus__py="-" * 50_000 + "1", null__py=b"\0\xff"
    )
    outputs(analysis, decide(analysis, checkouts(tmp_path)))


def test_pickles_are_never_opened(tmp_path):
    index = {"weight_map": {key: "pytorch_model.bin" for key in KEYS}}
    write(tmp_path, QWEN3)
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    (tmp_path / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    assert analyse(read_checkpoint(tmp_path)).groups.total == len(KEYS)


def test_a_large_index(tmp_path):
    experts = {
        f"model.layers.{i}.mlp.experts.{e}.{n}.weight": "model-00001-of-00100.safetensors"
        for i in range(100)
        for e in range(400)
        for n in ("gate_proj", "up_proj", "down_proj")
    }
    analysis = analysed(tmp_path, QWEN3 | {"num_experts": 400, "num_hidden_layers": 100}, experts)
    assert analysis.groups.total == 120_000 and len(analysis.groups.groups) == 3
    assert analysis.explained.unexplained == []


def test_as_many_patterns_as_keys(tmp_path):
    keys = [f"model.layers.0.{name:x}x.weight" for name in range(20_000)]
    analysis = analysed(tmp_path, QWEN3, keys)
    data = json.loads(outputs(analysis))
    assert data["keys"]["unexplained"] == keys and len(data["keys"]["groups"]) == 1000
