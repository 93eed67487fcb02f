"""Names of ops in the field's own Pascal case, as lmdeploy's OpType writes them."""

import pytest

from generator.spec.names import pascal, words


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("rms_norm_gated", "RMSNormGated"),
        ("fused_moe_w8a8", "FusedMoEW8A8"),
        ("linear_w4a16", "LinearW4A16"),
        ("lora", "LoRA"),
        ("softmax_topk", "SoftmaxTopK"),
        ("causal_conv1d", "CausalConv1d"),
        ("apply_rotary_emb", "ApplyRotaryEmb"),
        ("mla_kv_cache", "MLAKVCache"),
        ("awq_linear", "AWQLinear"),
        ("gelu_and_mul", "GeluAndMul"),
        ("router_noaux_tc", "RouterNoauxTC"),
    ],
)
def test_both_ways(name, member):
    assert pascal(name) == member
    assert words(member) == words(name)
