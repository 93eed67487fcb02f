"""Configurations of public models against real vLLM releases."""

from __future__ import annotations

import pytest

from generator.vllm.decision.checkouts import Checkouts
from generator.vllm.decision.decide import decide
from tests.vllm.kit import ENDS, LAYER, QWEN3, analysed, layers

from .vllm_packages import RELEASES, source, vllm

MLA = {"kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
PLAIN = tuple(name for name in LAYER if "_norm" not in name)
CASES = [
    ({"architectures": ["Qwen3ForCausalLM"]}, "registered", "qwen3.py"),
    ({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}, "registered", "llama.py"),
    ({"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", **MLA}, "registered", "deepseek_v2.py"),
    ({"architectures": ["Qwen2ForTokenClassification"], "model_type": "qwen2"}, "registered", "qwen2.py"),
    ({"architectures": ["MineForCausalLM"], "model_type": "llama"}, "alias", "llama.py"),
]


@pytest.mark.parametrize("version", [RELEASES[0], RELEASES[-1]])
@pytest.mark.parametrize(("fields", "kind", "file"), CASES, ids=[c[0]["architectures"][0] for c in CASES])
def test_the_decision(tmp_path, version, fields, kind, file):
    keys = [*layers(2, PLAIN), *ENDS]
    decision = decide(analysed(tmp_path, QWEN3 | fields, keys), Checkouts.of(vllm(version), None))
    assert (decision.kind, decision.path.rpartition("/")[2]) == (kind, file)


def test_layers_without_a_replacement(tmp_path):
    config = {"architectures": ["FalconH1ForCausalLM"], "model_type": "falcon_h1", "mamba_d_ssm": 64}
    both = Checkouts.of(vllm("0.18.0"), source("vllm-ascend", "0.18.0"))
    names = {p["name"] for p in decide(analysed(tmp_path, QWEN3 | config), both).portability}
    assert "MambaMixer2" in names and not names & {"RMSNorm", "SiluAndMul", "QKVParallelLinear"}


@pytest.mark.parametrize("version", RELEASES)
def test_a_new_latent_model_is_missing_from_the_tuple(tmp_path, version):
    config = QWEN3 | MLA | {"architectures": ["NewForCausalLM"], "model_type": "brand_new"}
    places = {p.name: p for p in decide(analysed(tmp_path, config), Checkouts.of(vllm(version), None)).places}
    assert places["MLA model types"].present is False
    text = (vllm(version) / places["MLA model types"].path).read_text().splitlines()
    assert " in (" in text[places["MLA model types"].line - 1]
