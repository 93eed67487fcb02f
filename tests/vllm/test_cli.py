"""The commands as a user types them, in a process of their own, without a terminal."""

import json
import os
import subprocess
import sys

import pytest

from .kit import ENDS, QWEN3, layers, write
from .small_vllm import ASCEND, VLLM, lay

KEYS = [*layers(), *ENDS]


@pytest.fixture
def home(tmp_path):
    lay(tmp_path / "work" / "vllm", VLLM)
    lay(tmp_path / "work" / "vllm-ascend", ASCEND)
    write(tmp_path / "work" / "Qwen3-8B", QWEN3, KEYS)
    return tmp_path / "work"


def call(home, *args):
    code = "import sys; from generator.cli.main import main; main(sys.argv[1:])"
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_text_names_the_resolved_path_and_that_no_code_is_needed(home):
    done = call(home, "vllm-model", "Qwen3-8B", "--analyze-only")
    assert done.returncode == 0, done.stderr
    assert str(home / "Qwen3-8B") in done.stdout
    assert "registered (exact key)" in done.stdout and "no modelling code needed" in done.stdout
    assert "num_key_value_heads = 2" in done.stdout


def test_a_bare_name_means_models(home):
    done = call(home, "vllm-model", "Nothing", "--analyze-only")
    assert done.returncode == 2 and done.stdout == ""
    assert "/models/Nothing" in done.stderr and "Traceback" not in done.stderr


def test_without_an_argument_and_a_terminal(home):
    done = call(home, "vllm-model", "--analyze-only")
    assert done.returncode == 2 and "no terminal" in done.stderr


def test_json_has_the_documented_keys(home):
    done = call(home, "vllm-model", "Qwen3-8B", "--analyze-only", "--json")
    document = json.loads(done.stdout)
    assert {
        "schema",
        "command",
        "exit",
        "architecture",
        "decision",
        "attention",
        "moe",
        "rope",
        "qk_norm",
        "quantization",
        "multimodal",
        "mtp",
        "tied_embeddings",
        "max_length",
        "keys",
        "findings",
    } <= set(document)
    assert document["decision"] == "registered" and document["attention"]["variant"] == "GQA"
    assert document["keys"]["total"] == document["keys"]["explained"] == len(KEYS)
    assert document["keys"]["unexplained"] == []
    assert [split["tp"] for split in document["tensor_parallel"]] == [1, 2, 4, 8, 16]


@pytest.mark.parametrize(("language", "heading"), [("en", "## What it is"), ("zh", "## 架构摘要")])
def test_markdown_in_two_languages(home, language, heading):
    done = call(home, "vllm-model", "Qwen3-8B", "--analyze-only", "--format", "markdown", "--language", language)
    assert done.returncode == 0 and heading in done.stdout


def test_findings_are_answers(home):
    write(home / "Broken", QWEN3, layers())
    done = call(home, "vllm-model", "Broken", "--analyze-only")
    assert done.returncode == 0 and "is false, but no key is an output head" in done.stdout


def test_register_check_and_dry_run(home):
    args = (
        "vllm-register",
        "MineForCausalLM",
        "--module",
        "llama",
        "--class",
        "LlamaForCausalLM",
        "--kind",
        "text-generation",
    )
    dry = call(home, *args, "--dry-run", "--diff")
    assert dry.returncode == 0 and '+    "MineForCausalLM": ("llama", "LlamaForCausalLM"),' in dry.stdout
    registry = home / "vllm" / "vllm" / "model_executor" / "models" / "registry.py"
    assert registry.read_text() == VLLM["vllm/model_executor/models/registry.py"]
    assert call(home, *args).returncode == 0
    assert '"MineForCausalLM"' in registry.read_text()
    done = call(home, "vllm-check", "MineForCausalLM", "--checkpoint", "Qwen3-8B", "--json")
    document = json.loads(done.stdout)
    assert {"findings", "rules_run", "files_read"} <= set(document)
    assert "V01" in document["rules_run"] and not [f for f in document["findings"] if f["rule"] in ("V01", "V03")]


def test_check_of_an_unknown_name(home):
    done = call(home, "vllm-check", "Qwen3forCausalLM")
    assert done.returncode == 2 and "did you mean Qwen3ForCausalLM" in done.stderr
    done = call(home, "vllm-check", "Qwen3ForCausalLM", "--rule", "V99")
    assert done.returncode == 2 and "V01" in done.stderr


def test_wrong_usage(home):
    assert call(home, "vllm-register", "A", "--module", "a", "--class", "A", "--kind", "poem").returncode == 2
    assert call(home, "vllm-register", "A", "--module", "a", "--class", "A").returncode == 2
    done = call(home, "vllm-model", "Qwen3-8B", "--vllm", str(home))
    assert done.returncode == 2 and "--vllm" in done.stderr
