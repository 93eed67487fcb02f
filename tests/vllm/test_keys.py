"""Groups, roles, prefixes, pairs of scales, complete fused weights."""

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.vllm.keys.groups import group_keys
from generator.vllm.keys.scales import covers, pair_scales
from generator.vllm.keys.shapes import ceil

from .kit import ENDS, QWEN3, analysed, found, layers, safetensors

KEYS = [*layers(), *ENDS]
FP8 = QWEN3 | {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}


def test_keys_become_patterns(tmp_path):
    groups = group_keys(["a.1.b.12.weight", "a.2.b.3.weight", "a.x1.weight", "7.w"])
    assert [(g.pattern, g.count) for g in groups.groups] == [("a.*.b.*.weight", 2), ("a.x1.weight", 1), ("*.w", 1)]
    assert groups.groups[0].layers == {1: 1, 2: 1}
    assert groups.prefixes() == {"a": 3, "*": 1}


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(alphabet="ab.01\n\"'é", max_size=12), unique=True, max_size=40))
def test_every_key_is_in_exactly_one_group(keys):
    groups = group_keys(keys)
    assert groups.total == sum(g.count for g in groups.groups) == len(keys)
    assert sum(groups.prefixes().values()) == len(keys)


def test_every_key_of_an_ordinary_model_is_explained(tmp_path):
    analysis = analysed(tmp_path, QWEN3, KEYS + ["model.layers.0.self_attn.rotary_emb.inv_freq"])
    assert analysis.explained.unexplained == []
    assert analysis.explained.explained == len(KEYS) + 1
    assert analysis.explained.roles["computed at load, ignored"] == 1


def test_a_key_that_nobody_knows_is_listed(tmp_path):
    analysis = analysed(tmp_path, QWEN3, KEYS + ["model.layers.0.flux_capacitor.weight", "mlp_AR.linear_1.blob"])
    assert [g.pattern for g in analysis.explained.unexplained] == [
        "model.layers.*.flux_capacitor.weight",
        "mlp_AR.linear_1.blob",
    ]
    assert analysis.explained.explained == len(KEYS)


def test_keys_of_a_tower_are_explained_only_if_the_configuration_has_one(tmp_path):
    keys = KEYS + ["visual.blocks.0.attn.odd_name.weight"]
    assert analysed(tmp_path, QWEN3, keys).explained.unexplained
    assert not analysed(tmp_path, QWEN3 | {"vision_config": {"depth": 1}}, keys).explained.unexplained


def test_a_wrapper_prefix_is_named_with_the_rule_that_removes_it(tmp_path):
    analysis = analysed(tmp_path, QWEN3, [f"base_model.model.{key}" for key in KEYS])
    finding = found(analysis, "V05", "base_model.model.")[0]
    assert finding.severity == "error" and "WeightsMapper" in finding.next
    assert analysis.explained.explained == 0


def test_scales_and_weights_pair_up(tmp_path):
    keys = KEYS + [f"{key}_scale_inv" for key in KEYS if "proj" in key]
    assert not found(analysed(tmp_path, FP8, keys), "V06")
    orphan = "model.layers.1.shared_head.head.weight_scale"
    assert found(analysed(tmp_path, FP8, [*keys, orphan]), "V06", orphan)


def test_an_fp8_checkpoint_without_any_scale(tmp_path):
    assert found(analysed(tmp_path, FP8, KEYS), "V06", "no key is a scale")


def test_scales_without_a_quantised_configuration(tmp_path):
    keys = KEYS + [f"{key}_scale_inv" for key in KEYS if "proj" in key]
    assert found(analysed(tmp_path, QWEN3, keys), "C06", "no field says how")


def test_a_fused_weight_that_is_quantised_in_part(tmp_path):
    names = ("linear_attn.in_proj_qkv", "linear_attn.in_proj_z", "linear_attn.in_proj_b", "linear_attn.in_proj_a")
    keys = KEYS + layers(2, names) + layers(2, names[1:2], "weight_scale_inv")
    finding = found(analysed(tmp_path, FP8, keys), "V06", "in_proj_qkv")[0]
    assert finding.severity == "error" and "layers 0, 1" in finding.message


def test_a_fused_weight_with_a_missing_part(tmp_path):
    keys = [key for key in KEYS if key != "model.layers.1.self_attn.k_proj.weight"]
    finding = found(analysed(tmp_path, QWEN3, keys), "V05", "k_proj")[0]
    assert "layers 1" in finding.message


def test_an_expert_with_a_missing_part(tmp_path):
    experts = [
        f"model.layers.0.mlp.experts.{e}.{n}.weight" for e in range(4) for n in ("gate_proj", "up_proj", "down_proj")
    ]
    analysis = analysed(tmp_path, QWEN3 | {"num_experts": 4}, KEYS + experts[:-2])
    assert found(analysis, "V05", "up_proj")


def test_a_scale_of_a_layer_that_is_excluded(tmp_path):
    config = QWEN3 | {"quantization_config": {"quant_method": "fp8", "ignored_layers": ["lm_head"]}}
    assert found(analysed(tmp_path, config, [*KEYS, "lm_head.weight_scale"]), "V06", "excludes it")


def test_block_scales_are_rounded_up(tmp_path):
    assert ceil(4304, 32) == 135
    key = "model.layers.0.mlp.down_proj.weight"
    tensors = {key: ("F8_E4M3", [300, 256]), f"{key}_scale_inv": ("F32", [2, 2])}
    analysis = analysed(tmp_path, FP8, None, model__safetensors=safetensors(tensors))
    assert "[3, 2]" in found(analysis, "V06", "round up")[0].message
    tensors[f"{key}_scale_inv"] = ("F32", [3, 2])
    assert not found(analysed(tmp_path, FP8, None, model__safetensors=safetensors(tensors)), "V06")


def test_a_width_that_is_no_multiple_of_the_group(tmp_path):
    groups = {"a": {"weights": {"num_bits": 8, "strategy": "group", "group_size": 32}}}
    config = QWEN3 | {
        "intermediate_size": 4305,
        "quantization_config": {"quant_method": "compressed-tensors", "config_groups": groups},
    }
    assert "135" in found(analysed(tmp_path, config, KEYS), "V06", "4305")[0].message


def test_an_fp8_weight_without_a_scale_by_its_header(tmp_path):
    tensors = {"model.layers.0.mlp.down_proj.weight": ("F8_E4M3", [128, 128])}
    assert found(
        analysed(tmp_path, FP8, None, model__safetensors=safetensors(tensors)), "V06", "fp8 weight without a scale"
    )


def test_pairs_of_every_format():
    module = "a.b"
    for leaves in (
        ("weight", "weight_scale_inv"),
        ("weight_packed", "weight_scale", "weight_shape"),
        ("qweight", "qzeros", "scales", "g_idx"),
        ("weight", "weight_scale", "weight_offset", "quant_bias", "deq_scale"),
        ("weight", "scale"),
    ):
        keys = {f"{module}.{leaf}" for leaf in leaves}
        assert pair_scales(keys).orphans == []
        assert pair_scales(keys - {f"{module}.{leaves[0]}"}).orphans


def test_patterns_from_strangers_are_not_run():
    assert covers("model.layers.0", "model.layers.0.mlp.up_proj")
    assert covers("lm_head", "lm_head")
    assert not covers("model.layers.1", "model.layers.10")
    assert not covers("re:(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")


def test_scales_for_some_of_the_experts(tmp_path):
    experts = [f"model.layers.0.mlp.experts.{e}.up_proj.weight" for e in range(4)]
    experts += [key.replace("up_proj", "gate_proj") for key in experts]
    scales = [f"{key}_scale_inv" for key in experts if "experts.0." in key]
    analysis = analysed(tmp_path, FP8 | {"num_experts": 4}, [*KEYS, *experts, *scales])
    assert len(found(analysis, "V06", "for some of the weights only")) == 2
