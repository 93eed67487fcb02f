"""`copier copy` with the same answers writes the very same adapter."""

import shutil

import yaml

from generator.render.root import template_root

from .kit import checkpoint, generate, vllm


def test_same_bytes(tmp_path):
    from copier import run_copy

    checkpoint(tmp_path / "checkpoint")
    vllm(tmp_path / "vllm")
    assert generate(tmp_path, "--strategy", "new") == 0
    template, target = tmp_path / "template", tmp_path / "copied"
    shutil.copytree(template_root() / "templates", template / "templates")
    shutil.copy(template_root() / "copier.yml", template)
    answers = yaml.safe_load((tmp_path / "vllm/.scaffold/vllm-model-mara-ascend/answers.yml").read_text())
    run_copy(str(template), target, data=answers, defaults=True, unsafe=True, quiet=True, skip_tasks=True)
    path = "vllm/model_executor/models/mara.py"
    assert (target / path).read_bytes() == (tmp_path / "vllm" / path).read_bytes()
