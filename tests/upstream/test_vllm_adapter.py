"""Generated adapters run in a real vLLM: they load every key, feed every parameter, and give the right numbers."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator.vllm.proof.run import prove

from . import vllm_env
from .vllm_adapter import mutants
from .vllm_adapter.world import DRAFT, PLAIN, case, failures, generate, make, names

INVENTED, FAMILIES = names("make.py"), names("families.py")
# vLLM 0.24 has no latent attention on a CPU, and its compiled activations do not load beside this torch.
NOT_IN_OLDER = {"latent", "sandwich"}


@pytest.fixture(scope="module")
def invented(tmp_path_factory):
    """Checkpoints of invented architectures."""
    return make("make.py", tmp_path_factory.mktemp("invented"))


@pytest.fixture(scope="module")
def adapted(invented, tmp_path_factory):
    """A checkout with an adapter of each of them."""
    checkout = vllm_env.checkout(tmp_path_factory.mktemp("checkout"))
    for name in INVENTED:
        assert generate(invented / name, checkout, "--strategy", "new") == 0, name
    return checkout


def test_loaded_completely_and_equal_to_plain_torch_alone_and_in_the_engine(invented, adapted):
    cases = [case(n, invented, reference=PLAIN, engine=True) for n in INVENTED]
    answers = prove(vllm_env.environment(), adapted, cases)
    assert [a["name"] for a in answers] == INVENTED and not failures(answers)
    assert all(a["difference"] <= 1e-5 and a["engine"]["difference"] <= 1e-4 for a in answers)


def test_the_module_for_multi_token_prediction_loads_what_the_model_leaves(invented, adapted):
    answers = prove(vllm_env.environment(), adapted, [case("predicting", invented, **DRAFT)])
    assert not failures(answers) and answers[0]["class"].endswith("preda_mtp.PredaMTPModel")


def test_before_the_mappers_had_stacked_parameters(invented, tmp_path):
    checkout = vllm_env.checkout(tmp_path, vllm_env.OLDER)
    wanted = [name for name in INVENTED if name not in NOT_IN_OLDER]
    for name in wanted:
        assert generate(invented / name, checkout, "--strategy", "new") == 0, name
    answers = prove(
        vllm_env.environment(),
        checkout,
        [case(n, invented) for n in wanted] + [case("predicting", invented, title="draft", **DRAFT)],
    )
    assert [a["name"] for a in answers] == [*wanted, "draft"] and not failures(answers)


def test_families_that_vllm_knows_need_nothing_and_can_be_written_anew(tmp_path, capsys):
    checkpoints = make("families.py", tmp_path / "checkpoints")
    checkout = vllm_env.checkout(tmp_path)
    cases = []
    for name in FAMILIES:
        capsys.readouterr()
        assert generate(checkpoints / name, checkout, "--analyze-only", "--json") == 0
        assert '"decision": "registered"' in capsys.readouterr().out, name
        assert generate(checkpoints / name, checkout, "--strategy", "new", "--name", f"tiny_{name}") == 0, name
        source = checkout / "vllm" / "model_executor" / "models" / f"tiny_{name}.py"
        cases.append(case(name, checkpoints, source=str(source), own=True))
    answers = prove(vllm_env.environment(), checkout, cases)
    assert [a["name"] for a in answers] == FAMILIES and not failures(answers)


def test_an_alias_and_a_subclass_are_served_by_the_class_that_they_name(tmp_path):
    checkpoints = make("families.py", tmp_path / "checkpoints", "renamed_llama")
    checkout = vllm_env.checkout(tmp_path)
    assert (
        generate(
            checkpoints / "renamed_llama", checkout, "--strategy", "subclass", "--like", "llama", "--name", "elder"
        )
        == 0
    )
    config = checkpoints / "llama" / "config.json"
    config.write_text(config.read_text().replace("LlamaForCausalLM", "OtherLlamaForCausalLM"))
    assert generate(checkpoints / "llama", checkout) == 0
    answers = prove(vllm_env.environment(), checkout, [case(n, checkpoints) for n in ("renamed_llama", "llama")])
    assert not failures(answers)
    assert [a["class"].rpartition("models.")[2] for a in answers] == [
        "elder.ElderLlamaForCausalLM",
        "llama.LlamaForCausalLM",
    ]


def test_every_mutant_is_caught(invented, adapted, tmp_path):
    models = adapted / "vllm" / "model_executor" / "models"
    cases = []
    for mutant in mutants.MUTANTS:
        module = models / f"{mutants.MODULES[mutant.checkpoint]}.py"
        source = tmp_path / f"{mutant.name}.py"
        source.write_text(mutant.applied(module.read_text()))
        cases.append(case(mutant.checkpoint, invented, title=mutant.name, reference=PLAIN, source=str(source)))
    answers = prove(vllm_env.environment(), adapted, cases)
    survived = [a["name"] for a in answers if a["ok"]]
    broken = [
        f"{a['name']}: {a['error']}"
        for a, m in zip(answers, mutants.MUTANTS, strict=True)
        if a["error"] and not m.raises
    ]
    assert len(answers) >= 20 and not survived and not broken, (survived, broken)


def test_written_files_pass_the_ruff_configuration_of_vllm(adapted, tmp_path):
    """The wheel has no `pyproject.toml`: these are the rules of vLLM's."""
    folder = tmp_path / "vllm" / "model_executor" / "models"
    folder.mkdir(parents=True)
    for module in mutants.MODULES.values():
        shutil.copy(adapted / "vllm" / "model_executor" / "models" / f"{module}.py", folder)
        shutil.copy(
            adapted / "vllm" / "transformers_utils" / "configs" / f"{module}.py", folder / f"config_{module}.py"
        )
    rules = "E,F,UP,B,ISC,SIM,I,G"
    ignored = "F405,F403,E731,B905,B007,UP032"
    check = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--target-version",
        "py310",
        "--line-length",
        "88",
        "--select",
        rules,
        "--ignore",
        ignored,
        "--config",
        'lint.isort.known-first-party=["vllm"]',
        folder,
    ]
    done = subprocess.run(check, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--check", folder], capture_output=True
    )
    assert done.returncode == 0, done.stdout
    for path in folder.iterdir():
        assert path.read_text().startswith("# SPDX-License-Identifier: Apache-2.0\n# SPDX-FileCopyrightText: "), path


def test_nothing_of_a_version_is_written_into_templates_or_names():
    root = Path(__file__).parents[2]
    parts = [root / "templates" / "shared" / "vllm-model", root / "templates" / "ascend" / "vllm-model"]
    for path in (p for part in parts for p in part.rglob("*") if p.is_file()):
        assert "0.2" not in path.read_text() and "0.3" not in path.read_text(), path
