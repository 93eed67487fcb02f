"""The plan of an adapter: minimal, repeatable, undone exactly; and what it says."""

import ast
import json

import pytest

from generator.cli.main import run
from tests.conftest import snapshot

from .kit import CONFIG, LOOPS, STACKED, checkpoint, generate, keys, vllm


@pytest.fixture
def place(tmp_path):
    checkpoint(tmp_path / "checkpoint")
    vllm(tmp_path / "vllm")
    return tmp_path


def plan(place, capsys, *options):
    capsys.readouterr()
    assert generate(place, "--strategy", "new", "--json", *options) == 0
    return json.loads(capsys.readouterr().out)


def test_a_dry_run_writes_nothing_and_shows_the_same_plan(place, capsys):
    before = snapshot(place)
    dry = plan(place, capsys, "--dry-run")
    assert snapshot(place) == before
    real = plan(place, capsys)
    assert [(s["path"], s["kind"]) for s in dry["steps"]] == [(s["path"], s["kind"]) for s in real["steps"]]
    assert snapshot(place) != before


def test_twice_is_once_and_undo_gives_the_bytes_back(place, capsys):
    before = snapshot(place)
    plan(place, capsys)
    after = snapshot(place)
    assert {s["kind"] for s in plan(place, capsys)["steps"]} == {"present"}
    assert snapshot(place) == after
    assert run(["undo", "mara", "--vllm", str(place / "vllm"), "--yes"]) == 0
    assert snapshot(place) == before


def test_model_registry_tests_and_documentation_are_one_plan(place, capsys):
    paths = {s["path"] for s in plan(place, capsys)["steps"]}
    assert {
        "vllm/model_executor/models/mara.py",
        "vllm/model_executor/models/registry.py",
        "tests/models/registry.py",
        "docs/models/supported_models.md",
    } <= paths
    row = [line for line in (place / "vllm/docs/models/supported_models.md").read_text().splitlines() if "Mara" in line]
    assert row[0].count("\N{WHITE HEAVY CHECK MARK}") == 2, "the class supports LoRA and pipeline parallelism"


def test_todos_raise_by_name_and_are_listed(tmp_path, capsys):
    checkpoint(tmp_path / "checkpoint", CONFIG | {"my_scale": 0.5})
    vllm(tmp_path / "vllm")
    found = plan(tmp_path, capsys)
    assert [t["name"] for t in found["spec"]["todos"]] == ["config.my_scale"]
    assert any(n["level"] == "warning" and "config.my_scale" in n["text"] for n in found["notes"])
    text = (tmp_path / "vllm/vllm/model_executor/models/mara.py").read_text()
    assert "raise NotImplementedError(" in text and "TODO(config.my_scale)" in text


def test_every_rule_is_in_the_file_with_its_count(place, capsys):
    rules = plan(place, capsys)["spec"]["rules"]
    text = (place / "vllm/vllm/model_executor/models/mara.py").read_text()
    assert sum(rule["count"] for rule in rules) == len(keys())
    assert all(f"{rule['source']}  x{rule['count']}" in text for rule in rules)


@pytest.mark.parametrize(
    "era, has, has_not",
    [
        (STACKED, "orig_to_new_stacked", "stacked_params_mapping"),
        (LOOPS, "stacked_params_mapping", "orig_to_new_stacked"),
    ],
)
def test_the_form_of_the_mapping_is_the_checkouts(tmp_path, capsys, era, has, has_not):
    checkpoint(tmp_path / "checkpoint")
    vllm(tmp_path / "vllm", era)
    plan(tmp_path, capsys)
    text = (tmp_path / "vllm/vllm/model_executor/models/mara.py").read_text()
    assert has in text and has_not not in text


def test_a_checkout_without_the_symbols_is_refused(tmp_path, capsys):
    checkpoint(tmp_path / "checkpoint")
    vllm(tmp_path / "vllm", {})
    before = snapshot(tmp_path)
    assert generate(tmp_path, "--strategy", "new") == 2
    assert "Attention in vllm/model_executor/layers/attention/__init__.py" in capsys.readouterr().err
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("name", ["../evil", "Mara", "class", "a b"])
def test_a_name_that_is_no_module_is_refused(place, name):
    assert generate(place, "--strategy", "new", "--name", name) == 2


@pytest.mark.parametrize("arch", ["Ma-ra", "class", "Mara\nimport os", "Mär"])
def test_an_architecture_that_cannot_name_a_class_is_refused(tmp_path, arch):
    checkpoint(tmp_path / "checkpoint", CONFIG | {"architectures": [arch]})
    vllm(tmp_path / "vllm")
    assert generate(tmp_path, "--strategy", "new") == 2


@pytest.mark.parametrize(
    "evil",
    [
        '"""\nimport os\nos.system("boom")\n"""',
        "a\nimport os\n",
        'b"] = 1\\',
        "{{ 7 * 7 }}",
        "\u2028import os",
        "#@ path: x",
    ],
)
def test_texts_of_a_checkpoint_stay_data(tmp_path, capsys, evil):
    """Whatever keys and fields hold, the file is Python and says nothing but literals of it."""
    config = CONFIG | {evil: 3, "hidden_act": evil, "scoring_func": evil, "sliding_window": evil}
    checkpoint(
        tmp_path / "checkpoint", config, keys() | {f"model.layers.0.{evil}.weight": [1], f"{evil}.inv_freq": [1]}
    )
    vllm(tmp_path / "vllm")
    assert generate(tmp_path, "--strategy", "new", "--json") == 0
    module = ast.parse((tmp_path / "vllm/vllm/model_executor/models/mara.py").read_text())
    assert not [n for n in ast.walk(module) if isinstance(n, ast.Import) and n.names[0].name == "os"]
    assert "boom" not in " ".join(
        n.func.attr for n in ast.walk(module) if isinstance(n, ast.Call) and hasattr(n.func, "attr")
    )


def test_a_model_that_is_registered_needs_nothing(tmp_path, capsys):
    checkpoint(tmp_path / "checkpoint", CONFIG | {"architectures": ["LlamaForCausalLM"], "model_type": "llama"})
    vllm(tmp_path / "vllm")
    before = snapshot(tmp_path)
    assert generate(tmp_path) == 0
    assert "no modelling code is needed" in capsys.readouterr().out and snapshot(tmp_path) == before


def test_an_alias_is_an_entry_and_nothing_else(tmp_path, capsys):
    checkpoint(tmp_path / "checkpoint", CONFIG | {"architectures": ["OtherForCausalLM"], "model_type": "llama"})
    vllm(tmp_path / "vllm")
    capsys.readouterr()
    assert generate(tmp_path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["spec"]["strategy"] == "alias" and not [s for s in found["steps"] if s["kind"] == "create"]
    assert (
        '"OtherForCausalLM": ("llama", "LlamaForCausalLM")'
        in (tmp_path / "vllm/vllm/model_executor/models/registry.py").read_text()
    )


def test_the_same_modules_alone_make_no_alias(place, capsys):
    capsys.readouterr()
    assert generate(place, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["spec"]["strategy"] == "new"
    assert any("nothing says that it computes the same" in n["text"] for n in found["notes"])
