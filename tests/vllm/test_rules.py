"""Every V rule against its own cases; those that need a checkpoint against small ones."""

import subprocess

import pytest

from generator.errors import ScaffoldError
from generator.vllm.check.rule import rules
from generator.vllm.check.run import check_model
from generator.vllm.check.subject import Subject

from .kit import ENDS, QWEN3, analysed, layers

CASES = [(id, case) for id, rule in rules().items() for case in (*rule.VALID, *rule.INVALID)]
REGISTRY = "vllm/model_executor/models/registry.py"
ENTRY = '_TEXT_GENERATION_MODELS = {\n    "MyForCausalLM": ("my", "MyForCausalLM"),\n}\n'


def world(tmp_path, files):
    """Write `repo:path` files (those that begin with `HEAD ` are committed first) and return the checkouts."""
    roots = {key.removeprefix("HEAD ").split(":")[0] for key in files}
    for repo in roots:
        (tmp_path / repo).mkdir(exist_ok=True)
        if any(key.startswith(f"HEAD {repo}:") for key in files):
            _put(tmp_path, {k.removeprefix("HEAD "): v for k, v in files.items() if k.startswith("HEAD ")})
            for command in (
                ["init", "-q"],
                ["add", "-A"],
                ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
            ):
                subprocess.run(["git", "-C", str(tmp_path / repo), *command], check=True, capture_output=True)
    _put(tmp_path, {k: v for k, v in files.items() if not k.startswith("HEAD ")})
    return {repo: tmp_path / repo for repo in roots}


def _put(tmp_path, files):
    for key, text in files.items():
        repo, path = key.split(":", 1)
        (tmp_path / repo / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / repo / path).write_text(text)


@pytest.mark.parametrize(("id", "case"), CASES, ids=[f"{id} {case.name}" for id, case in CASES])
def test_a_case(tmp_path, id, case):
    subject = Subject("MyForCausalLM", "MyForCausalLM", *_checkouts(world(tmp_path, case.files)))
    findings = list(rules()[id].find(subject))
    assert sorted(f"{f.severity} {f.place}" for f in findings) == sorted(case.finds)
    said = " ".join(f"{f.subject} {f.message} {f.next}" for f in findings)
    assert all(word in said for word in case.says)


def _checkouts(roots):
    from generator.vllm.decision.checkouts import Checkouts

    return roots, Checkouts.of(roots.get("vllm"), roots.get("vllm-ascend"))


def test_the_rules_are_seventeen():
    assert list(rules()) == [f"V{number:02}" for number in range(1, 18)]
    assert all(rule.title and rule.documentation for rule in rules().values())


def test_rules_without_what_they_want_are_skipped_with_the_reason(tmp_path):
    roots = world(tmp_path, {f"vllm:{REGISTRY}": ENTRY})
    report = check_model(Subject.of("MyForCausalLM", roots, None))
    assert report.exit == 1
    assert report.rules_skipped["V05"] == "no --checkpoint was given"
    assert report.rules_skipped["V11"] == "no vllm-ascend checkout"
    assert "V01" in report.rules_run


def test_an_unknown_name_is_refused_with_the_nearest(tmp_path):
    roots = world(tmp_path, {f"vllm:{REGISTRY}": ENTRY})
    with pytest.raises(ScaffoldError) as error:
        Subject.of("MyforCausalLM", roots, None)
    assert "MyForCausalLM" in error.value.next


def test_the_keys_of_a_checkpoint(tmp_path):
    roots = world(tmp_path, {f"vllm:{REGISTRY}": ENTRY})
    config = QWEN3 | {"quantization_config": {"quant_method": "fp8"}, "num_nextn_predict_layers": 1}
    keys = [*layers(), *ENDS, "model.layers.0.flux.weight", "model.layers.0.mlp.gone.weight_scale"]
    subject = Subject.of("MyForCausalLM", roots, analysed(tmp_path / "checkpoint", config, keys))
    found = {(f.rule, f.severity, f.subject) for f in check_model(subject).findings}
    assert ("V05", "warning", "model.layers.0.flux.weight") in found
    assert ("V06", "error", "model.layers.0.mlp.gone.weight_scale") in found
    assert any(rule == "V09" for rule, _, _ in found)


def test_a_placeholder_that_the_tokenizer_does_not_know(tmp_path):
    model = "class MyForCausalLM(SupportsMultiModal):\n    def get_placeholder_str(self):\n        return '<image>'\n"
    roots = world(tmp_path, {f"vllm:{REGISTRY}": ENTRY, "vllm:vllm/model_executor/models/my.py": model})
    for token, number in (("<image>", 0), ("<|image_pad|>", 1)):
        tokens = {"added_tokens_decoder": {"1": {"content": token}, "2": 3}}
        analysis = analysed(tmp_path / str(number), QWEN3, tokenizer_config__json=tokens)
        findings = check_model(Subject.of("MyForCausalLM", roots, analysis), ("V08",)).findings
        assert len([f for f in findings if f.subject == "<image>"]) == number


def test_a_latent_model_that_vllm_takes_for_an_ordinary_one(tmp_path):
    test = 'if self.c.model_type in ("a", "b"):\n            return True\n'
    convertor = f"class Base:\n    def is_deepseek_mla(self):\n        {test}"
    path = "vllm/transformers_utils/model_arch_config_convertor.py"
    roots = world(tmp_path, {f"vllm:{REGISTRY}": ENTRY, f"vllm:{path}": convertor})
    for kind, errors in (("mine", 1), ("a", 0)):
        config = QWEN3 | {"kv_lora_rank": 512, "model_type": kind}
        subject = Subject.of("MyForCausalLM", roots, analysed(tmp_path / kind, config))
        assert len([f for f in check_model(subject, ("V10",)).findings if f.severity == "error"]) == errors
