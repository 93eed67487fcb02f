"""`copier copy` with the same answers writes the very same bytes as `scaffold op`, for new files and for fragments."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from generator.render.root import template_root
from tests.conftest import snapshot

VENDORS = ("ascend", "camb", "maca")
REQUESTS = {
    "new op": ("rms_norm_gated",),
    "op of an existing OpType": ("layer_norm", "--module", "norm"),
    "abstract function, defaults": ("gelu_and_mul_x", "--body", "torch"),
    "helper module": ("rms_norm_gated", "--helper-module", "gated", "--body", "torch"),
    "plain function": ("fused_thing", "--param", "x: Tensor", "--param", "m: MoeMetadata = None"),
    "new modules": ("thing", "--param", "x: Tensor", "--returns", "Tuple[Tensor, Tensor]", "--shape-from", "x,x"),
    "some layers": ("rms_norm_gated", "--layers", "2,4"),
}


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """The templates alone, so that copier sees no git checkout."""
    folder = tmp_path_factory.mktemp("template")
    shutil.copy(template_root() / "copier.yml", folder)
    shutil.copytree(template_root() / "templates", folder / "templates")
    return folder


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_same_bytes(request_, vendor, scaffold, workspace, template, tmp_path):
    from copier import run_copy

    before = {repo: snapshot(workspace / repo) for repo in ("lmdeploy", "dlinfer")}
    assert scaffold("op", *request_, "--vendor", vendor, "--no-native-doc").code == 0
    id = f"op-{request_[0]}-{vendor}"
    for repo in ("lmdeploy", "dlinfer"):
        ours = _written(workspace / repo, before[repo])
        answers = yaml.safe_load(ours[f".scaffold/{id}/answers.yml"])
        target = tmp_path / repo
        run_copy(str(template), target, data=answers, defaults=True, unsafe=True, quiet=True, skip_tasks=True)
        theirs = {str(p.relative_to(target)): p.read_bytes() for p in target.rglob("*") if p.is_file()}
        assert _comparable(theirs) == _comparable(ours)


def _written(checkout: Path, before: dict[str, bytes]) -> dict[str, bytes]:
    """New files, and the fragments with their answers."""
    files = {p: d for p, d in snapshot(checkout).items() if p not in before}
    fragments = (p for p in (checkout / ".scaffold").rglob("*") if p.is_file() and p.parent.name != ".scaffold")
    return files | {str(p.relative_to(checkout)): p.read_bytes() for p in fragments}


def _comparable(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without where the template was and which version it had: only copier's own run has a path to tell."""
    return {
        path: b"\n".join(line for line in data.split(b"\n") if not line.startswith((b"_src_path", b"_commit")))
        for path, data in files.items()
    }
