"""The same for buffers, fields and patches: `copier copy` with their answers writes the very same bytes."""

from __future__ import annotations

import pytest
import yaml

from tests.conftest import snapshot

from .test_same_as_copier import _comparable, _written, template  # noqa: F401

VENDORS = ("ascend", "camb", "maca")
IDS = ("graph-buffer", "ids", "--size", "3, max_tokens", "--dtype", "int64", "--owner")
LENS = ("graph-buffer", "lens", "--size", "max_batches", "--dtype", "int32", "--owner")
REQUESTS = {
    "buffer of the attention metadata": (*LENS, "attn_metadata", "--fill", "-1"),
    "buffer of the MoE metadata": (*LENS, "moe_metadata"),
    "buffer of the step context": (*LENS, "step_context", "--when", "is_ssm"),
    "buffer of a forward argument": (*IDS, "kwarg"),
    "field with a helper": ("context-field", "lens", "--type", "Any", "--value", "step_context.q_seqlens + 1"),
    "field passed as it is": ("context-field", "lens", "--type", "Tensor", "--value", "None", "--kv-block-shape"),
    "method": ("device-patch", "gated_delta.CausalConv1d.forward"),
    "class": ("device-patch", "gated_delta.CausalConv1dFunc"),
    "stacked": ("device-patch", "gated_delta.build_rmsnorm_gated", "--stack"),
    "quantised layer": ("quant-patch", "AwqLinear.create_weights", "--stack"),
}


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_same_bytes(request_, vendor, scaffold, workspace, template, tmp_path):  # noqa: F811
    from copier import run_copy

    before = {repo: snapshot(workspace / repo) for repo in ("lmdeploy", "dlinfer")}
    result = scaffold(*request_, "--vendor", vendor)
    assert result.code == 0, result.err
    compared = 0
    for repo in ("lmdeploy", "dlinfer"):
        ours = _written(workspace / repo, before[repo])
        for path in [p for p in ours if p.endswith("/answers.yml")]:
            answers = yaml.safe_load(ours[path])
            target = tmp_path / repo
            run_copy(str(template), target, data=answers, defaults=True, unsafe=True, quiet=True, skip_tasks=True)
            theirs = {str(p.relative_to(target)): p.read_bytes() for p in target.rglob("*") if p.is_file()}
            assert _comparable(_created(theirs)) == _comparable(_created(ours))
            compared += 1
    assert compared


def _created(files: dict[str, bytes]) -> dict[str, bytes]:
    """Without the modules that insertions have gone into since they were created."""
    return {path: data for path, data in files.items() if path.startswith(".scaffold/")}
