"""Which attention a configuration names, and the field that says so."""

import pytest

from .kit import QWEN3, analysed

MLA = {"kv_lora_rank": 512, "q_lora_rank": None, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
CASES = [
    ({"num_key_value_heads": 4}, {"MHA"}, "num_key_value_heads = 4"),
    ({"num_key_value_heads": None}, {"MHA"}, "num_attention_heads = 4"),
    ({}, {"GQA"}, "num_key_value_heads = 2"),
    ({"num_key_value_heads": 1}, {"MQA"}, "num_key_value_heads = 1"),
    ({"num_key_value_heads": None, "multi_query": True}, {"MQA"}, "multi_query = 1"),
    ({"num_key_value_heads": None, "multi_query_group_num": 2}, {"GQA"}, "multi_query_group_num = 2"),
    ({"num_key_value_heads": None, "attn_config": {"kv_n_heads": 2}}, {"GQA"}, "attn_config.kv_n_heads = 2"),
    ({"num_key_value_heads": None, "num_attention_groups": 2}, {"GQA"}, "num_attention_groups = 2"),
    (MLA, {"MLA"}, "kv_lora_rank = 512"),
    (MLA | {"index_topk": 2048}, {"MLA", "sparse"}, "index_topk = 2048"),
    ({"compress_ratios": [4, 128]}, {"MLA", "sparse", "compressed"}, "compress_ratios"),
    ({"sliding_window": 128}, {"GQA", "sliding"}, "sliding_window = 128"),
    ({"sliding_window": 128, "use_sliding_window": False}, {"GQA"}, ""),
    (
        {"sliding_window": 128, "layer_types": ["full_attention", "sliding_attention"]},
        {"GQA", "sliding"},
        "layer_types",
    ),
    ({"attention_chunk_size": 8192}, {"GQA", "chunked"}, "attention_chunk_size = 8192"),
    ({"attention_chunk_size": 128, "model_type": "mimo_v2"}, {"GQA"}, ""),
    (
        {"layer_types": ["linear_attention", "full_attention"], "linear_num_value_heads": 8},
        {"GQA", "gated delta", "hybrid"},
        "linear_num_value_heads = 8",
    ),
    ({"linear_attn_config": {"kda_layers": [1]}}, {"GQA", "KDA", "hybrid"}, "linear_attn_config"),
    ({"attn_type_list": [0, 1]}, {"GQA", "lightning", "hybrid"}, "attn_type_list"),
    ({"mamba_d_state": 16, "mamba_n_heads": 8}, {"GQA", "SSM", "hybrid"}, "mamba_d_state = 16"),
    ({"hybrid_override_pattern": "M-M*"}, {"GQA", "SSM", "hybrid"}, "hybrid_override_pattern"),
    (
        {"conv_L_cache": 3, "layer_types": ["conv", "full_attention"]},
        {"GQA", "short convolution", "hybrid"},
        "conv_L_cache",
    ),
]


@pytest.mark.parametrize(("fields", "kinds", "says"), CASES, ids=[c[2] or str(i) for i, c in enumerate(CASES)])
def test_the_variant_and_the_field_that_says_so(tmp_path, fields, kinds, says):
    attention = analysed(tmp_path, QWEN3 | fields).attention
    assert set(attention.kinds) == kinds
    assert says in "; ".join(attention.says)


def test_a_pure_state_space_model_has_no_attention_heads(tmp_path):
    config = {"architectures": ["Mamba2ForCausalLM"], "model_type": "mamba2", "num_heads": 128, "state_size": 128}
    attention = analysed(tmp_path, config).attention
    assert attention.kinds == ["SSM"]
    assert attention.as_json()["attention_free"]


def test_a_nested_text_configuration_is_read_with_its_path(tmp_path):
    config = {
        "architectures": ["AForConditionalGeneration"],
        "model_type": "a",
        "vision_config": {"depth": 1},
        "thinker_config": {"text_config": {k: v for k, v in QWEN3.items() if k != "architectures"}},
    }
    analysis = analysed(tmp_path, config)
    assert analysis.attention.heads.kv_heads == 2
    assert "thinker_config.text_config.num_key_value_heads = 2" in analysis.attention.says
    assert analysis.multimodal.modalities == ["image"]


@pytest.mark.parametrize("name", ["text_config", "llm_config", "language_config"])
def test_a_value_that_root_and_text_part_give_differently_is_named(tmp_path, name):
    config = {**QWEN3, "num_hidden_layers": 3, name: {**QWEN3, "num_hidden_layers": 2}}
    found = [f for f in analysed(tmp_path, config).findings if f.rule == "C06" and f.subject == "num_hidden_layers"]
    assert len(found) == 1
    assert "3" in found[0].message and f"{name}.num_hidden_layers" in found[0].message


def test_heads_that_vllm_does_not_read_ask_for_a_convertor(tmp_path):
    config = {k: v for k, v in QWEN3.items() if k not in ("num_attention_heads", "num_key_value_heads")}
    assert analysed(tmp_path, config | {"n_heads": 4}).attention.heads.unusual == ["n_heads"]
    assert analysed(tmp_path, QWEN3).attention.heads.unusual == []
