"""Registered, alias, subclass or new, by probing a small vLLM; and what is easily forgotten."""

import pytest

from generator.survey.vllm_registry import read_registry
from generator.survey.vllm_tree import SourceTree
from generator.vllm.decision.checkouts import Checkouts
from generator.vllm.decision.decide import decide

from .kit import ENDS, LAYER, QWEN3, analysed, layers
from .small_vllm import ASCEND, VLLM, checkouts, lay

LLAMA = tuple(name for name in LAYER if "_norm" not in name)
KEYS = [*layers(), *ENDS]
PLAIN = [*layers(2, LLAMA), *ENDS]


def decided(tmp_path, config, keys=None, **files):
    return decide(analysed(tmp_path / "checkpoint", config, keys, **files), checkouts(tmp_path))


def place(decision, name):
    return next((p.present for p in decision.places if p.name == name), "not asked")


@pytest.mark.parametrize(
    ("arch", "keys", "kind", "how"),
    [
        ("Qwen3ForCausalLM", KEYS, "registered", "exact key"),
        ("Qwen3ForSequenceClassification", KEYS, "registered", "suffix rule"),
        ("DeepSeekMTPModel", KEYS, "registered", "vllm-ascend"),
        ("MineForCausalLM", PLAIN, "alias", None),
        ("MineForCausalLM", [*PLAIN, "model.layers.0.mlp.flux.weight"], "subclass", None),
        ("MineForCausalLM", [f"model.layers.0.{n}.weight" for n in ("a1", "b2", "c3")], "new", None),
        ("OldForCausalLM", [f"model.layers.0.{n}.weight" for n in ("a1", "b2", "c3")], "new", None),
    ],
)
def test_the_four_answers(tmp_path, arch, keys, kind, how):
    decision = decided(tmp_path, QWEN3 | {"architectures": [arch], "model_type": "mine"}, keys)
    assert (decision.kind, decision.how) == (kind, how)
    assert decision.reasons
    assert decision.needs_code == (kind in ("subclass", "new"))


def test_reasons_name_what_was_found(tmp_path):
    assert "0.9.2" in decided(tmp_path, QWEN3 | {"architectures": ["OldForCausalLM"]}).reasons[0]
    assert "example.org/bart" in decided(tmp_path, QWEN3 | {"architectures": ["BartModel"]}).reasons[0]
    subclass = decided(tmp_path, QWEN3 | {"architectures": ["M"]}, [*PLAIN, "model.layers.0.mlp.flux.weight"])
    assert "flux" in " ".join(subclass.reasons)


def test_an_alias_names_the_class_by_its_own_key(tmp_path):
    decision = decided(tmp_path, QWEN3 | {"architectures": ["MineForCausalLM"], "model_type": "llama"}, PLAIN)
    assert (decision.arch, decision.module, decision.cls) == ("LlamaForCausalLM", "llama", "LlamaForCausalLM")
    assert decision.path == "vllm/model_executor/models/llama.py"


def test_experts_are_no_alias_of_a_dense_class(tmp_path):
    config = QWEN3 | {"architectures": ["MineForCausalLM"], "model_type": "llama", "num_experts": 8}
    assert decided(tmp_path, config, PLAIN).kind != "alias"


@pytest.mark.parametrize(
    ("name", "near"), [("Qwen3forCausalLM", "Qwen3ForCausalLM"), ("LLaMAForCausalLM", "LlamaForCausalLM")]
)
def test_near_misses(tmp_path, name, near):
    assert decided(tmp_path, QWEN3 | {"architectures": [name]}, KEYS).near[0] == near


def test_without_a_checkout_the_answer_says_so(tmp_path):
    decision = decide(analysed(tmp_path, QWEN3, KEYS), Checkouts.of(None, None))
    assert decision.kind == "new" and "no vLLM checkout" in decision.reasons[0]


def test_a_transformers_class_with_the_backend_is_registered(tmp_path):
    package = {
        "transformers/__init__.py": '__version__ = "5.9.0"\n',
        "transformers/models/auto/auto_mappings.py": 'CONFIG_MAPPING_NAMES = OrderedDict([("mine", "MineConfig")])\n',
        "transformers/models/mine/modeling_mine.py": "class Base:\n    _supports_attention_backend = True\n\n\n"
        "class MineForCausalLM(Base):\n    pass\n\n\nclass StiffForCausalLM(Other):\n    pass\n"
        "\n\nclass Qwen3ForSequenceClassification(Base):\n    pass\n",
    }
    both = checkouts(tmp_path)
    both = Checkouts.of(both.vllm.root, both.ascend.root, lay(tmp_path / "site", package))
    answers = {
        "MineForCausalLM": "transformers backend",
        "StiffForCausalLM": None,
        "Qwen3ForSequenceClassification": "suffix rule",
    }
    for arch, how in answers.items():
        config = QWEN3 | {"architectures": [arch], "model_type": "mine"}
        decision = decide(analysed(tmp_path / arch, config, KEYS), both)
        assert decision.how == how
        assert not [f for f in decision.findings if f.rule == "V14"]
    config = QWEN3 | {"model_type": "unheard_of", "architectures": ["NoneForCausalLM"]}
    analysis = analysed(tmp_path / "x", config, KEYS, modeling_x__py="from transformers.models.mine import Gone\n")
    found = {f.subject: f.message for f in decide(analysis, both).findings if f.rule == "V14"}
    assert "'unheard_of' is not in transformers 5.9.0" in found["model_type"]
    assert "==5.14.1 (vllm-ascend: requirements.txt:2)" in found["model_type"]
    assert "transformers.models.mine.Gone" in found["Gone"]


@pytest.mark.parametrize(("flag", "how"), [("True", "transformers backend"), ("False", None)])
def test_remote_code_that_supports_the_backend(tmp_path, flag, how):
    config = QWEN3 | {
        "architectures": ["XForCausalLM"],
        "auto_map": {"AutoModelForCausalLM": "org/x--modeling_x.XModel"},
    }
    code = f"raise SystemExit\nclass XModel(Base):\n    _supports_attention_backend = {flag}\n"
    decision = decided(tmp_path, config, KEYS, modeling_x__py=code)
    assert decision.how == how
    assert how is None or "--trust-remote-code" in decision.reasons[0]


def test_the_pin_is_named_and_not_raised(tmp_path):
    config = QWEN3 | {
        "model_type": "unheard_of",
        "architectures": ["NoneForCausalLM"],
        "transformers_version": "5.20.0",
    }
    found = [f for f in decided(tmp_path, config).findings if f.rule == "V14"]
    assert {f.subject for f in found} == {"model_type", "transformers_version"}
    assert all("5.14.1" in f.message for f in found)
    assert any("do not raise the pin" in f.next for f in found)
    assert (tmp_path / "vllm-ascend" / "requirements.txt").read_text() == ASCEND["requirements.txt"]


def test_the_mla_tuple(tmp_path):
    mla = QWEN3 | {"kv_lora_rank": 512, "architectures": ["MineForCausalLM"]}
    assert place(decided(tmp_path, mla | {"model_type": "mine"}), "MLA model types") is False
    assert place(decided(tmp_path, mla | {"model_type": "deepseek_v3"}), "MLA model types") is True
    assert place(decided(tmp_path, QWEN3), "MLA model types") == "not asked"


def test_speculative_names(tmp_path):
    mtp = QWEN3 | {"num_nextn_predict_layers": 1}
    keys = [*KEYS, "model.layers.2.eh_proj.weight"]
    decision = decided(tmp_path, mtp | {"model_type": "mine"}, keys)
    names = ("hf_config_override", "_SPECULATIVE_DECODING_MODELS", "MTPModelTypes", "convertor of the draft model")
    assert [place(decision, name) for name in names] == [False] * 4
    assert [place(decided(tmp_path, mtp | {"model_type": "glm"}, keys), name) for name in names] == [True] * 4
    assert place(decided(tmp_path, mtp, KEYS), "hf_config_override") == "not asked"


def test_packed_modules_for_modelslim(tmp_path):
    description = {"model_quant_type": "W8A8"}
    config = {**QWEN3, "model_type": "mine"}
    decision = decided(tmp_path, config, KEYS, quant_model_description__json=description)
    assert place(decision, "packed_modules_model_mapping") is False
    decision = decided(tmp_path, QWEN3, KEYS, quant_model_description__json=description)
    assert place(decision, "packed_modules_model_mapping") is True


def test_an_unusual_name_asks_for_a_convertor(tmp_path):
    config = {k: v for k, v in QWEN3.items() if k not in ("num_attention_heads", "num_key_value_heads")}
    assert place(decided(tmp_path, config | {"n_heads": 4}), "config convertor") is False


def test_layers_that_this_vllm_ascend_leaves_alone(tmp_path):
    config = {"architectures": ["Mamba2ForCausalLM"], "model_type": "mamba2", "state_size": 128}
    assert [p["name"] for p in decided(tmp_path, config).portability] == ["MambaMixer2"]
    assert decided(tmp_path, QWEN3, KEYS).portability == []


def test_a_prefix_that_the_class_has_no_module_for(tmp_path):
    config = {"architectures": ["Mamba2ForCausalLM"], "model_type": "mamba2", "state_size": 128}
    keys = ["model.layers.0.mixer.A_log", "lm_head.weight"]
    found = [f for f in decided(tmp_path, config, keys).findings if f.rule == "V05"]
    assert "'model.'" in found[0].message and '"model.": "backbone."' in found[0].next
    group = decided(tmp_path, QWEN3, [*KEYS, "mlp_AR.linear_1.weight"]).findings
    assert [f.subject for f in group if f.rule == "V05"] == ["mlp_AR.linear_1.weight"]


def test_sections_are_read_with_their_comments(tmp_path):
    registry = read_registry(SourceTree(lay(tmp_path, VLLM)))
    assert registry.sections("_EMBEDDING_MODELS") == ["Text-only", "Multimodal"]
    assert registry.find("AquilaForCausalLM").section == "Decoder-only"
    assert registry.find("Off") is None
    assert registry.previous == {"OldForCausalLM": "0.9.2"}


def test_a_method_that_vllm_ascend_does_not_accept(tmp_path):
    config = QWEN3 | {"quantization_config": {"quant_method": "awq", "bits": 4}}
    found = [f for f in decided(tmp_path, config, KEYS).findings if f.rule == "V06"]
    assert len(found) == 1 and "ascend, compressed-tensors" in found[0].message


def test_a_rule_that_changes_its_own_result(tmp_path):
    both = checkouts(tmp_path)
    path = both.vllm.root / "vllm/model_executor/models/qwen3.py"
    rules = 'orig_to_new_suffix={".x": ".y.x"}, orig_to_new_prefix={"model.": "language_model.model."}'
    mapper = f"    hf_to_vllm_mapper = WeightsMapper({rules})\n"
    path.write_text(path.read_text().replace("    packed_modules_mapping", mapper + "    packed_modules_mapping", 1))
    both = Checkouts.of(both.vllm.root, both.ascend.root)
    found = [f for f in decide(analysed(tmp_path / "c", QWEN3, KEYS), both).findings if f.subject == ".x"]
    assert len(found) == 1 and "'.y.y.x'" in found[0].message
    assert not [f for f in decide(analysed(tmp_path / "c", QWEN3, KEYS), both).findings if f.subject == "model."]
