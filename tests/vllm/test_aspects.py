"""Experts, rotary embeddings, quantisation, modalities, prediction layers, tied embeddings, lengths, norms, splits."""

import pytest

from .kit import ENDS, LAYER, QWEN3, analysed, found, layers, safetensors

KEYS = [*layers(), *ENDS]
MTP = [f"model.layers.2.{name}.weight" for name in ("eh_proj", "enorm", "hnorm", "self_attn.q_proj")]


def test_experts_by_any_of_their_names(tmp_path):
    for i, name in enumerate(("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")):
        moe = analysed(tmp_path / str(i), QWEN3 | {name: 64, "num_experts_per_tok": 8, "n_shared_experts": 1}).moe
        assert (moe.experts, moe.top_k) == (64, 8)
        assert moe.says[0] == f"{name} = 64"
    assert analysed(tmp_path, QWEN3 | {"num_experts": 0}).moe is None
    assert (
        analysed(tmp_path, QWEN3 | {"block_configs": [{"n_routed_experts": 8, "block_type": "moe"}]}).moe.experts == 8
    )
    assert analysed(tmp_path, QWEN3 | {"moe_num_experts": [64, 64]}).moe.experts == 64


def test_a_dense_model_that_vllm_ascend_takes_for_a_mixture_of_experts(tmp_path):
    assert found(analysed(tmp_path, QWEN3 | {"num_experts": None, "output_router_experts": 0}), "C06", "is_moe_model")


def test_rotary_embeddings(tmp_path):
    yarn = analysed(tmp_path, QWEN3 | {"rope_scaling": {"type": "yarn", "factor": 4}}).rope
    assert yarn.types == ["yarn"]
    nested = {"full_attention": {"rope_type": "llama3"}, "sliding_attention": {"rope_type": "default"}}
    assert analysed(tmp_path, QWEN3 | {"rope_parameters": nested}).rope.types == ["llama3", "default"]
    mrope = {"rope_type": "default", "mrope_section": [16, 24, 24], "partial_rotary_factor": 0.5}
    rope = analysed(tmp_path, QWEN3 | {"rope_parameters": mrope}).rope
    assert rope.mrope and rope.partial
    both = {"rope_parameters": {"rope_type": "yarn"}, "rope_scaling": {"type": "linear"}}
    assert found(analysed(tmp_path, QWEN3 | both), "C06", "rope_scaling says 'linear'")
    assert found(analysed(tmp_path, QWEN3 | {"rope_scaling": {"type": "spiral"}}), "C05", "spiral")
    without = {k: v for k, v in QWEN3.items() if k != "rope_theta"}
    assert analysed(tmp_path, without).rope is None


@pytest.mark.parametrize(
    ("fields", "method", "scheme"),
    [
        ({"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}, "fp8", "block"),
        ({"quantization_config": {"quant_method": "fp8"}}, "fp8", "tensor"),
        ({"quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}}, "awq", "4 bit, group 128"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 8, "group_size": -1}}, "gptq", "8 bit"),
        (
            {
                "compression_config": {
                    "quant_method": "compressed_tensors",
                    "format": "pack-quantized",
                    "config_groups": {"a": {"weights": {"num_bits": 4, "strategy": "group", "group_size": 32}}},
                }
            },
            "compressed-tensors",
            "pack-quantized, 4 bit, group",
        ),
        (
            {"quantization_config": {"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4"}}},
            "modelopt_fp4",
            "",
        ),
        ({"text_config": {**QWEN3, "quantization_config": {"quant_method": "fp8"}}}, "fp8", "tensor"),
    ],
)
def test_quantisation_from_the_configuration(tmp_path, fields, method, scheme):
    quantization = analysed(tmp_path, QWEN3 | fields).quantization
    assert (quantization.method, quantization.scheme) == (method, scheme)


def test_modelslim_goes_before_the_configuration_and_the_disagreement_is_named(tmp_path):
    description = {"model_quant_type": "W8A8_DYNAMIC", "model.layers.0.mlp.up_proj.weight": "W8A8_DYNAMIC"}
    config = QWEN3 | {"quantization_config": {"quant_method": "fp8"}}
    analysis = analysed(tmp_path, config, KEYS, quant_model_description__json=description)
    assert (analysis.quantization.method, analysis.quantization.scheme) == ("ascend", "W8A8_DYNAMIC")
    assert found(analysis, "C06", "vllm-ascend takes ascend")
    assert found(analysis, "V06", "no scale among the keys")


def test_fused_parts_that_modelslim_describes_differently(tmp_path):
    types = {"q_proj": "W8A8", "k_proj": "W8A8", "v_proj": "FLOAT"}
    description = {f"model.layers.0.self_attn.{name}.weight": kind for name, kind in types.items()}
    analysis = analysed(tmp_path, QWEN3, None, quant_model_description__json=description)
    assert found(analysis, "V06", "q_proj is W8A8, v_proj is FLOAT")


@pytest.mark.parametrize(
    ("fields", "modalities"),
    [
        ({"vision_config": {}, "image_token_id": 5}, ["image"]),
        ({"vision_config": {"depth": 2}, "video_token_id": 6}, ["image", "video"]),
        ({"vq_config": {"n": 1}}, ["image"]),
        ({"audio_config": {"n": 1}}, ["audio"]),
        ({"text_config": {**QWEN3}, "patch_size": 30, "num_channels": 3}, ["image"]),
        ({"thinker_config": {"vision_config": {"n": 1}, "audio_config": {"n": 1}}}, ["audio", "image"]),
        ({}, None),
    ],
)
def test_modalities(tmp_path, fields, modalities):
    multimodal = analysed(tmp_path, QWEN3 | fields).multimodal
    assert (multimodal.modalities if multimodal else None) == modalities


def test_prediction_layers_by_configuration_and_keys(tmp_path):
    on = QWEN3 | {"num_nextn_predict_layers": 1}
    assert analysed(tmp_path, on, KEYS + MTP).mtp.status == "supported"
    assert analysed(tmp_path, on, KEYS).mtp.status == "checkpoint-missing"
    assert analysed(tmp_path, QWEN3, KEYS + ["mtp.layers.0.self_attn.q_proj.weight"]).mtp.status == "config-missing"
    assert analysed(tmp_path, QWEN3, KEYS).mtp is None
    beyond = analysed(tmp_path, QWEN3 | {"mtp_num_hidden_layers": 1}, layers(3) + ENDS).mtp
    assert (beyond.status, beyond.keys) == ("supported", len(LAYER))


def test_a_draft_layer_that_shares_its_number_with_a_main_one(tmp_path):
    keys = KEYS + ["mtp.layers.0.self_attn.q_proj.weight"]
    assert found(
        analysed(tmp_path, QWEN3 | {"mtp_num_hidden_layers": 1}, keys), "C06", "layer 0 is named in the main stack"
    )


@pytest.mark.parametrize(
    ("flag", "head", "tied", "severity"),
    [
        (True, False, True, None),
        (True, True, True, "warning"),
        (False, True, False, None),
        (False, False, False, "error"),
        (None, False, True, None),
        (None, True, False, None),
    ],
)
def test_tied_embeddings_against_the_keys(tmp_path, flag, head, tied, severity):
    keys = layers() + (ENDS if head else ENDS[:-1])
    analysis = analysed(tmp_path, QWEN3 | {"tie_word_embeddings": flag}, keys)
    assert analysis.tied is tied
    assert [f.severity for f in found(analysis, "V05")] == ([severity] if severity else [])
    if severity == "error":
        assert "set tie_word_embeddings to true" in found(analysis, "V05")[0].next
        assert "lm_head.weight" in found(analysis, "V05")[0].next


def test_the_longest_sequence_is_the_smallest_field(tmp_path):
    analysis = analysed(tmp_path, QWEN3 | {"max_seq_len": 256})
    assert analysis.max_length == 256
    assert any("max_position_embeddings = 512 (larger)" in s for s in analysis.says["max_length"])
    assert analysed(tmp_path, QWEN3 | {"model_max_length": 9000}).max_length == 9000


def test_key_value_heads_are_replicated_when_there_are_more_ranks(tmp_path):
    splits = {
        s.size: s for s in analysed(tmp_path, QWEN3 | {"num_attention_heads": 16, "num_key_value_heads": 4}).splits
    }
    assert [s for s in splits] == [1, 2, 4, 8, 16]
    assert [splits[n].replicas for n in (1, 4, 8, 16)] == [1, 1, 2, 4]
    assert not splits[16].problems
    odd = {s.size: s for s in analysed(tmp_path, QWEN3 | {"num_attention_heads": 12, "num_key_value_heads": 3}).splits}
    assert "no multiple of 3" in "; ".join(odd[4].problems)


def test_a_norm_over_all_heads_is_cut_when_heads_are_replicated(tmp_path):
    config = QWEN3 | {"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 16}
    tensors = {
        key: ("BF16", [128 if "k_norm" in key else 256]) for key in layers(2, ("self_attn.q_norm", "self_attn.k_norm"))
    }
    analysis = analysed(tmp_path, config, None, model__safetensors=safetensors(tensors))
    assert (analysis.qk_norm.width, analysis.qk_norm.size) == ("full", 128)
    assert [f.severity for f in found(analysis, "V07", "128 / 16 cuts heads")] == ["error"]
    head = {key: ("BF16", [16]) for key in tensors}
    safe = analysed(tmp_path, config, None, model__safetensors=safetensors(head))
    assert safe.qk_norm.width == "head"
    assert not found(safe, "V07")


def test_a_norm_of_unknown_width_is_named(tmp_path):
    analysis = analysed(tmp_path, QWEN3 | {"num_attention_heads": 16, "num_key_value_heads": 4}, KEYS)
    notes = {split.size: "; ".join(split.notes) for split in analysis.splits}
    assert "how wide" in notes[8] and "how wide" not in notes[4]
    field = analysed(tmp_path, QWEN3 | {"num_attention_heads": 16, "qk_norm_type": "per_layer"}, KEYS)
    assert field.qk_norm.width == "full" and found(field, "V07", "cuts heads")


def test_block_quantised_shards_hold_whole_blocks(tmp_path):
    config = QWEN3 | {
        "intermediate_size": 768,
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    }
    splits = {s.size: "; ".join(s.problems) for s in analysed(tmp_path, config).splits}
    assert "block" not in splits[2] and "no multiple of the block of 128" in splits[4]


def test_layers_and_experts_that_configuration_and_keys_count_differently(tmp_path):
    experts = [f"model.layers.{i}.mlp.experts.{e}.up_proj.weight" for i in range(2) for e in range(8)]
    assert found(analysed(tmp_path, QWEN3 | {"num_experts": 16}, KEYS + experts), "C06", "the keys hold 8 a layer")
    assert found(analysed(tmp_path, QWEN3, KEYS + experts), "C06", "8 experts a layer, no field")
    assert found(analysed(tmp_path, QWEN3 | {"num_hidden_layers": 4}, KEYS), "C06", "the keys end with layer 1")
    assert found(analysed(tmp_path, QWEN3 | {"layer_types": ["full_attention"]}), "C06", "names 1 layers")
