"""`scaffold op` on a sandbox: all layers in one go, only what is missing, and back again."""

import json
import subprocess
import sys

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

OP = "rms_norm_gated"
LMDEPLOY = "lmdeploy/lmdeploy/pytorch"
LLM, CAMB = "dlinfer/dlinfer/ops/llm.py", "dlinfer/dlinfer/vendor/camb/camb_ops.py"


def plan_of(result):
    """The JSON document that a command printed."""
    assert result.code in (0, 1), result.err
    return json.loads(result.out)


def test_all_layers_in_one_go(scaffold, workspace):
    before = snapshot(workspace)
    result = scaffold("op", OP, "--vendor", "camb")
    after = snapshot(workspace)
    assert result.code == 0, result.err
    assert lost_lines(before, after) == []
    compiles(after)
    text = {path: data.decode() for path, data in after.items() if path.endswith(".py")}
    base = text[f"{LMDEPLOY}/backends/base.py"]
    assert base.index("# Gated Delta") < base.index("RMSNormGated = auto()")
    assert "class RMSNormGatedImpl(ABC):" in text[f"{LMDEPLOY}/backends/norm.py"]
    assert "class DefaultRMSNormGatedImpl(RMSNormGatedImpl):" in text[f"{LMDEPLOY}/backends/default/norm.py"]
    for backend, prefix in (("default", "Default"), ("dlinfer", "Dlinfer")):
        dispatcher = text[f"{LMDEPLOY}/backends/{backend}/op_backend.py"]
        branch = f"elif layer_type == OpType.RMSNormGated:\n            from .norm import {prefix}RMSNormGatedBuilder\n"
        assert dispatcher.index(branch) < dispatcher.index("        else:")
    assert "get_layer_impl_builder(OpType.RMSNormGated)" in text[f"{LMDEPLOY}/nn/norm.py"]
    assert "RMSNormGated" in text[f"{LMDEPLOY}/nn/__init__.py"]
    wrappers = text[f"{LMDEPLOY}/kernels/dlinfer/__init__.py"]
    imports = [line for line in wrappers.splitlines() if line.startswith("from .")]
    assert "from .rms_norm_gated import rms_norm_gated" in imports
    assert [i for i in imports if not i.startswith("from ..")] == sorted(
        i for i in imports if not i.startswith("from ..")
    )
    assert "'rms_norm_gated',\n]" in wrappers
    assert f"return ext_ops.{OP}(hidden_states, gate, weight, epsilon)" in text[f"{LMDEPLOY}/kernels/dlinfer/{OP}.py"]
    assert f'@register_custom_op("dlinfer::{OP}", ["hidden_states"])\ndef {OP}(' in text[LLM]
    assert f'    "{OP}",\n]' in text[LLM] and f'    "{OP}",\n]' in text[CAMB]
    assert f"@register_ops(vendor_ops_registry)\ndef {OP}(" in text[CAMB]
    assert "raise NotImplementedError" in text[CAMB].rpartition(f"def {OP}(")[2]


def test_the_second_run_changes_nothing(scaffold, workspace):
    scaffold("op", OP, "--vendor", "camb")
    once = snapshot(workspace)
    result = scaffold("op", OP, "--vendor", "camb")
    assert result.code == 0 and "nothing to write" in result.out
    assert snapshot(workspace) == once


def test_a_second_vendor_adds_its_layer_alone(scaffold, workspace):
    scaffold("op", OP, "--vendor", "camb")
    once = snapshot(workspace)
    scaffold("op", OP, "--vendor", "maca")
    twice = snapshot(workspace)
    assert [p for p in twice if twice[p] != once.get(p)] == ["dlinfer/dlinfer/vendor/maca/maca_ops.py"]


def test_several_vendors_at_once_are_the_same_as_one_by_one(scaffold, workspace, tmp_path):
    scaffold("op", OP, "--vendor", "camb", "--vendor", "maca", "--vendor", "ascend", "--no-native-doc")
    together = snapshot(workspace)
    scaffold("undo", OP)
    for vendor in ("ascend", "maca", "camb"):
        scaffold("op", OP, "--vendor", vendor, "--no-native-doc")
    assert snapshot(workspace) == together


def test_shared_layers_stay_until_the_last_vendor_goes(scaffold, workspace):
    before = snapshot(workspace)
    scaffold("op", OP, "--vendor", "camb", "--vendor", "maca")
    scaffold("undo", f"op-{OP}-camb")
    assert OP in (workspace / LLM).read_text() and OP not in (workspace / CAMB).read_text()
    assert scaffold("undo", OP).code == 0
    assert snapshot(workspace) == before


def test_dry_run_writes_nothing_and_shows_the_true_diff(scaffold, workspace, tmp_path):
    before = snapshot(workspace)
    dry = scaffold("op", OP, "--vendor", "camb", "--dry-run", "--diff")
    assert dry.code == 0 and snapshot(workspace) == before
    patch = tmp_path / "op.diff"
    patch.write_text(dry.out[dry.out.index("diff --git") :].split("\nnote: ")[0].split("\nwarning: ")[0] + "\n")
    subprocess.run(
        ["git", "apply", "--unsafe-paths", "-p1", f"--directory={workspace}", str(patch)], check=True, cwd=tmp_path
    )
    applied = snapshot(workspace)
    for repo in ("lmdeploy", "dlinfer"):
        subprocess.run(["git", "checkout", "-q", "."], cwd=workspace / repo, check=True)
        subprocess.run(["git", "clean", "-qfd"], cwd=workspace / repo, check=True)
    scaffold("op", OP, "--vendor", "camb")
    assert snapshot(workspace) == applied


def test_the_json_document(scaffold):
    plan = plan_of(scaffold("op", OP, "--vendor", "camb", "--format", "json"))
    assert plan["schema"] == {"name": "scaffold/plan", "version": 1}
    assert (
        plan["id"] == f"op-{OP}-camb" and plan["exit"] == 0 and plan["spec"].startswith(f"{OP}(hidden_states: Tensor")
    )
    assert {s["kind"] for s in plan["steps"]} <= {"create", "insert", "present"}
    assert {s["layer"] for s in plan["steps"]} == {"0", "1", "2", "3", "4"}
    for step in plan["steps"]:
        assert set(step) >= {"repo", "path", "layer", "kind", "name", "line", "anchor", "note"}
        assert not step["path"].startswith("/") and step["repo"] in ("lmdeploy", "dlinfer")


def test_lines_are_true(scaffold, workspace):
    plan = plan_of(scaffold("op", OP, "--vendor", "camb", "--format", "json"))
    for step in plan["steps"]:
        lines = (workspace / step["repo"] / step["path"]).read_text().splitlines()
        near = "\n".join(lines[step["line"] - 1 : step["line"] + 2])
        last = step["name"].rpartition(".")[2].split(",")[0]
        assert last in near or step["kind"] == "create", (step, near)


def test_callers_and_shadows_are_listed_and_left_alone(scaffold, workspace):
    before = snapshot(workspace)
    result = scaffold("op", OP, "--vendor", "camb")
    for path, word in (
        ("lmdeploy/lmdeploy/pytorch/nn/gated_delta.py", "def build_rmsnorm_gated"),
        ("lmdeploy/lmdeploy/pytorch/models/qwen3_next.py", "build_rmsnorm_gated("),
        ("dlinfer/dlinfer/framework/lmdeploy_ext/device/__init__.py", "gated_delta.build_rmsnorm_gated ="),
    ):
        line = 1 + next(i for i, t in enumerate(before[path].decode().splitlines()) if word in t)
        assert f"{path}:{line}" in result.out
        assert (workspace / path).read_bytes() == before[path]


@pytest.mark.parametrize(
    ("args", "files"),
    [
        (("--layers", "4"), {CAMB}),
        (("--layers", "3"), {LLM}),
        (("--layers", "2"), {f"{LMDEPLOY}/kernels/dlinfer/__init__.py", f"{LMDEPLOY}/kernels/dlinfer/{OP}.py"}),
    ],
)
def test_layers_narrow(scaffold, workspace, args, files):
    before = snapshot(workspace)
    assert scaffold("op", OP, "--vendor", "camb", *args).code == 0
    after = snapshot(workspace)
    assert {p for p in after if after[p] != before.get(p)} == files


def test_narrow_first_and_the_rest_later(scaffold, workspace):
    scaffold("op", OP, "--vendor", "camb", "--layers", "3,4")
    scaffold("op", OP, "--vendor", "camb")
    in_two = snapshot(workspace)
    assert scaffold("undo", OP).code == 0
    scaffold("op", OP, "--vendor", "camb")
    assert snapshot(workspace) == in_two


def test_an_op_that_exists_gets_only_what_is_missing(scaffold, workspace):
    before = snapshot(workspace)
    result = scaffold("op", "layer_norm", "--vendor", "camb")
    if result.code == 2:
        pytest.fail(result.err)
    after = snapshot(workspace)
    base = f"{LMDEPLOY}/backends/base.py"
    if b"LayerNorm = auto()" in before[base]:
        assert after[base] == before[base]
    everything = scaffold("op", "rms_norm", "--vendor", "camb")
    assert everything.code == 0 and snapshot(workspace) == after


def test_param_returns_and_shape(scaffold, workspace):
    args = [
        "--param",
        "x: Tensor",
        "--param",
        "w: torch.Tensor",
        "--param",
        "k: int",
        "--param",
        "bias: Tensor | None = None",
    ]
    result = scaffold(
        "op", "thing", "--vendor", "camb", *args, "--returns", "Tuple[Tensor, Tensor]", "--shape-from", "x,w"
    )
    assert result.code == 0, result.err
    text = (workspace / LLM).read_text()
    assert '"dlinfer::thing", ["x", "w"], default_value={"bias": None}' in text
    signature = "    x: Tensor,\n    w: Tensor,\n    k: int,\n    bias: Optional[Tensor],\n) -> Tuple[Tensor, Tensor]:"
    assert signature in text.rpartition("def thing(")[2]
    assert signature in (workspace / CAMB).read_text().rpartition("def thing(")[2]
    wrapper = (workspace / f"{LMDEPLOY}/kernels/dlinfer/thing.py").read_text()
    assert "return ext_ops.thing(x, w, k, bias)" in wrapper


def test_a_type_that_is_no_schema_type_makes_a_plain_function(scaffold, workspace):
    scaffold("op", "thing", "--vendor", "camb", "--param", "x: Tensor", "--param", "meta: MoeMetadata")
    head = (workspace / LLM).read_text().rpartition("def thing(")[0]
    assert head.endswith("\n\n\n")


def test_like_takes_the_signature_of_another_op(scaffold, workspace):
    plan = plan_of(scaffold("op", "thing", "--vendor", "camb", "--like", "add_rms_norm", "--json"))
    assert plan["spec"].startswith("thing(hidden_states: Tensor, residual: Tensor, weight: Tensor, epsilon: float)")


def test_a_declaration_file(scaffold, tmp_path):
    spec = tmp_path / "thing.toml"
    spec.write_text(
        'name = "thing"\nparams = ["x: Tensor", "dim: int = -1"]\nshape_from = ["x"]\nop_type = "MyThing"\n'
    )
    plan = plan_of(scaffold("op", "--spec", str(spec), "--vendor", "camb", "--json"))
    assert plan["spec"] == "thing(x: Tensor, dim: int = -1) -> Tensor like {x}"
    assert any(s["name"] == "OpType.MyThing" for s in plan["steps"])


@pytest.mark.parametrize("vendor", ["ascend", "camb", "maca"])
def test_bodies(scaffold, workspace, vendor):
    from generator.spec.vendor import VENDORS

    path = workspace / "dlinfer" / VENDORS[vendor].ops_file

    def body(*args):
        result = scaffold("op", OP, "--vendor", vendor, "--no-native-doc", *args)
        assert result.code == 0, result.err
        text = path.read_text().rpartition(f"def {OP}(")[2].partition(") -> Tensor:\n")[2]
        assert scaffold("undo", OP).code == 0
        return text, result

    text, result = body()
    assert text.startswith("    raise NotImplementedError(") and VENDORS[vendor].document in text
    assert result.out.count("is a stub") == 1
    text, result = body("--body", "compose")
    assert (
        "normed = rms_norm(hidden_states, weight, epsilon)" in text and "silu_and_mul(torch.cat([gate, normed]" in text
    )
    text, result = body("--body", "torch")
    assert text.startswith("    # Reference in plain torch") and "torch.rsqrt" in text
    root = {"ascend": "torch.ops.npu", "camb": "tmo", "maca": "torch.ops._C"}[vendor]
    text, result = body("--native", f"{root}.f(hidden_states, gate, weight, eps=epsilon)")
    assert text == f"    return {root}.f(hidden_states, gate, weight, eps=epsilon)\n"


def test_a_helper_module(scaffold, workspace):
    before = snapshot(workspace)
    scaffold("op", OP, "--vendor", "camb", "--helper-module", "gated", "--body", "torch")
    text = (workspace / CAMB).read_text()
    assert f"from .gated import {OP}_impl" in text
    assert f"return {OP}_impl(hidden_states, gate, weight, epsilon)" in text
    helper = (workspace / "dlinfer/dlinfer/vendor/camb/gated.py").read_text()
    assert f"def {OP}_impl(" in helper and "torch.rsqrt" in helper
    compiles(snapshot(workspace))
    scaffold("undo", OP)
    assert snapshot(workspace) == before


@pytest.mark.parametrize("vendor", ["ascend", "camb", "maca"])
@pytest.mark.parametrize("name", [OP, "gelu_and_mul_x", "thing", "add_rms_norm_x", "moe_gating_x"])
def test_the_checkouts_own_linters_pass(scaffold, workspace, vendor, name):
    assert scaffold("op", name, "--vendor", vendor, "--no-native-doc", "--body", "torch").code == 0
    black = [sys.executable, "-m", "black", "--check", "-q", str(workspace / "dlinfer/dlinfer")]
    assert subprocess.run(black, check=False).returncode == 0
    ruff = [sys.executable, "-m", "ruff", "check", "-q", "lmdeploy"]
    done = subprocess.run(ruff, cwd=workspace / "lmdeploy", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_status_and_undo(scaffold, workspace):
    before = snapshot(workspace)
    scaffold("op", OP, "--vendor", "camb")
    status = json.loads(scaffold("status", "--json").out)
    assert [i["id"] for i in status["ids"]] == [f"op-{OP}-camb"]
    assert {s["state"] for s in status["ids"][0]["steps"]} == {"present"}
    assert scaffold("undo", f"op-{OP}-camb").code == 0
    assert snapshot(workspace) == before
    assert json.loads(scaffold("status", "--json").out)["ids"] == []


def test_git_sees_only_the_users_files(scaffold, workspace):
    scaffold("op", OP, "--vendor", "camb")
    for repo in ("lmdeploy", "dlinfer"):
        done = subprocess.run(
            ["git", "status", "--porcelain"], cwd=workspace / repo, capture_output=True, text=True, check=True
        )
        assert ".scaffold" not in done.stdout and ".gitignore" not in done.stdout


def test_an_edited_function_is_kept_by_undo_and_listed(scaffold, workspace):
    scaffold("op", OP, "--vendor", "camb")
    path = workspace / CAMB
    path.write_text(
        path.read_text().replace("raise NotImplementedError(", "return None  # mine\n    raise NotImplementedError(")
    )
    result = scaffold("undo", OP)
    assert result.code == 1 and CAMB in result.out
    assert "return None  # mine" in path.read_text()
