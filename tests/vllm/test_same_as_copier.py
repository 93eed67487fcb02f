"""`copier copy` with the same answers writes the very same fragments as `scaffold vllm-register`."""

import shutil

import pytest
import yaml

from generator.plan.apply import apply
from generator.render.root import template_root
from generator.vllm.register.request import RegisterRequest

from .kit import ENDS, analysed, layers
from .test_register import PREDICTS, plan, workspace  # noqa: F401

REQUESTS = [
    RegisterRequest("MineForCausalLM", "mine", "Mine", "text-generation", config_class="C", processor_class="P"),
    RegisterRequest("MineMTPModel", "mine_mtp", "MineMTP", "speculative"),
    RegisterRequest(
        "MineForCausalLM",
        "mine",
        "Mine",
        "text-generation",
        ascend=True,
        packed=(("q", ("a", "b")),),
        prefixes=(("a.", "b."),),
    ),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=["vllm", "draft", "ascend"])
def test_same_bytes(request_, workspace, tmp_path):  # noqa: F811
    from copier import run_copy

    template = tmp_path / "template"
    shutil.copytree(template_root() / "templates", template / "templates")
    shutil.copy(template_root() / "copier.yml", template)
    analysis = analysed(tmp_path / "checkpoint", PREDICTS, [*layers(), *ENDS, "model.layers.2.eh_proj.weight"])
    apply(plan(workspace, request_, analysis))
    compared = 0
    for repo, root in workspace.roots.items():
        folder = root / ".scaffold" / f"vllm-register-{request_.arch}-ascend"
        if not folder.is_dir():
            continue
        target = tmp_path / "copied" / repo
        answers = yaml.safe_load((folder / "answers.yml").read_text())
        run_copy(str(template), target, data=answers, defaults=True, unsafe=True, quiet=True, skip_tasks=True)
        copied = target / folder.relative_to(root)
        assert {p.name for p in copied.iterdir()} == {p.name for p in folder.iterdir()}
        for path in folder.glob("*.txt"):
            assert (copied / path.name).read_bytes() == path.read_bytes()
            compared += 1
    assert compared >= 3
