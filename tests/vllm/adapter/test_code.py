"""Modelling code is read for what a configuration does not say, and never run."""

import pytest

from generator.survey.modelling import read_modelling
from generator.survey.vllm_tree import SourceTree

from .kit import CONFIG, NAMES, checkpoint, generate, keys, vllm
from .test_layout import composed, todos

CODE = """
import os
raise RuntimeError("this was run")


def rotate_half(x):
    {rotate}


class NovaRMSNorm(nn.Module):
    def forward(self, x):
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
        return {gain}


class NovaAttention(nn.Module):
    def __init__(self, config):
        self.scaling = {scaling}


class NovaMLP(nn.Module):
    def __init__(self, config):
        self.act = ACT2FN[config.mlp_activation]


class NovaDecoderLayer(nn.Module):
    def __init__(self, config):
        self.attn = NovaAttention(config)
        self.ffn = NovaMLP(config)
        self.alpha_norm = NovaRMSNorm(config.hidden_size)
        self.beta_norm = NovaRMSNorm(config.hidden_size)
        self.factor = config.halves_factor

    def forward(self, hidden_states):
        residual = hidden_states
        hidden_states = self.attn({before}(hidden_states))
        hidden_states = residual + hidden_states * self.factor
        residual = hidden_states
        hidden_states = self.ffn(self.beta_norm(hidden_states))
        return residual + self.factor * hidden_states


class NovaModel(nn.Module):
    def __init__(self, config):
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList([])
        self.root = math.sqrt(config.hidden_size)

    def forward(self, input_ids):
        hidden_states = self.embed_tokens(input_ids)
        hidden_states = hidden_states * self.root
        return hidden_states


class NovaForCausalLM(nn.Module):
    def __init__(self, config):
        self.lm_head = nn.Linear(1, 1)

    def forward(self, x):
        logits = self.lm_head(x)
        logits = logits / config.logits_divisor
        return logits
"""
HALVES = "return torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), dim=-1)"
PAIRS = "return torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).flatten(-2)"
PLAIN = {"rotate": HALVES, "gain": "self.weight * x", "scaling": "self.head_dim**-0.5", "before": "self.alpha_norm"}


def code(tmp_path, **parts):
    (tmp_path / "modeling_nova.py").write_text(CODE.format(**PLAIN | parts))
    return read_modelling(SourceTree(tmp_path), "modeling_nova.py")


def test_what_a_plain_file_says(tmp_path):
    found = code(tmp_path)
    assert found.norm_places == {"alpha_norm": "attn_pre", "beta_norm": "mlp_pre"} and not found.parallel
    assert (found.norm_kind, found.rope_style, found.scaling) == ("RMSNorm", "halves", "head")
    assert found.activation_field == "mlp_activation"
    assert found.embed_scale == "config.hidden_size**0.5"
    assert found.residual_scale == "config.halves_factor"
    assert found.logits_scale == "1 / config.logits_divisor"
    line = CODE.split("class NovaDecoderLayer")[0].count("\n") + 1
    assert found.where == f"modeling_nova.py:{line}"


@pytest.mark.parametrize(
    "parts, name, wanted",
    [
        ({"rotate": PAIRS}, "rope_style", "pairs"),
        ({"rotate": "return something_else(x)"}, "rope_style", None),
        ({"gain": "(1.0 + self.weight) * x"}, "norm_kind", "GemmaRMSNorm"),
        ({"gain": "(x - mean) * self.weight"}, "norm_kind", "LayerNorm"),
        ({"scaling": "config.my_scale * 2"}, "scaling", "config.my_scale * 2"),
        ({"scaling": "compute(config)"}, "scaling", None),
        ({"before": "self.gamma"}, "norm_places", {"beta_norm": "mlp_pre"}),
    ],
)
def test_what_other_files_say(tmp_path, parts, name, wanted):
    assert getattr(code(tmp_path, **parts), name) == wanted


def test_remote_code_decides_and_is_never_run(tmp_path):
    names = {k: v for k, v in NAMES.items() if "norm" not in k} | {
        "input_layernorm": [64],
        "post_attention_layernorm": [64],
    }
    text = (
        CODE.format(**PLAIN | {"rotate": PAIRS})
        .replace("alpha_norm", "input_layernorm")
        .replace("beta_norm", "post_attention_layernorm")
    )
    config = CONFIG | {
        "mlp_activation": "gelu",
        "halves_factor": 0.5,
        "logits_divisor": 2.0,
        "unread": 7,
        "auto_map": {"AutoModelForCausalLM": "modeling_nova.NovaForCausalLM"},
    }
    config.pop("hidden_act")
    checkpoint(tmp_path / "checkpoint", config, keys(names), modeling_nova__py=text)
    vllm(tmp_path / "vllm")
    assert generate(tmp_path, "--strategy", "new") == 0
    written = (tmp_path / "vllm/vllm/model_executor/models/mara.py").read_text()
    for piece in (
        "is_neox_style=False",
        "GeluAndMul()",
        "self.residual_scale = config.halves_factor",
        "scale=1 / config.logits_divisor",
        "self.config.hidden_size**0.5",
        "modeling_nova.py:",
    ):
        assert piece in written, piece
    assert "TODO" not in written, "a field that the code does not read changes nothing"


def test_code_that_is_there_but_unclear_is_a_todo_and_no_convention(tmp_path):
    found = code(tmp_path, rotate="return something_else(x)", scaling="compute(config)")
    assert {"rope style", "softmax scale"} <= todos(composed(tmp_path, code=found))


def test_the_structure_of_a_registered_model_can_be_asked_for(tmp_path, capsys):
    place = tmp_path
    checkpoint(place / "checkpoint")
    vllm(place / "vllm")
    gemma = (
        CODE.format(**PLAIN | {"gain": "(1.0 + self.weight) * x"})
        .replace("alpha_norm", "input_layernorm")
        .replace("beta_norm", "post_attention_layernorm")
        .replace("raise RuntimeError", "print")
        .replace("Nova", "Qwen3")
    )
    (place / "vllm/vllm/model_executor/models/qwen3.py").write_text(
        gemma.replace(
            "self.lm_head = nn.Linear(1, 1)",
            "self.lm_head, self.model, self.layer = L(), Qwen3Model(), Qwen3DecoderLayer()",
        )
    )
    assert generate(place, "--like", "qwen3") == 0
    written = (place / "vllm/vllm/model_executor/models/mara.py").read_text()
    assert "GemmaRMSNorm(" in written and "vllm/model_executor/models/qwen3.py:" in written
    assert generate(place, "--like", "qwen33") == 2
    assert "did you mean qwen3" in capsys.readouterr().err
