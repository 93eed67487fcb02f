"""Bad input: exit 2, one clear line, nothing written."""

import json

import pytest

from tests.conftest import snapshot

REFUSED = {
    "not an identifier": (("2x",), "cannot be the name of an op"),
    "a keyword": (("class",), "Python keyword"),
    "a path": (("../x",), "cannot be the name of an op"),
    "a newline": (("x\ny",), "cannot be the name of an op"),
    "a builtin": (("print",), "Python builtin"),
    "an unknown vendor": (("thing", "--vendor", "cambrian"), "unknown vendor `cambrian`"),
    "an unknown type": (("thing", "--param", "x: Foo"), "no op schema knows the type `Foo`"),
    "a default before none": (
        ("thing", "--param", "x: Tensor", "--param", "k: int = 1", "--param", "z: int"),
        "no default",
    ),
    "a default that is no value": (
        ("thing", "--param", "x: Tensor", "--param", "t: torch.dtype = torch.int8"),
        "does not survive",
    ),
    "an op type that is taken": (("thing", "--op-type", "RMSNorm"), "served by DlinferRMSNormBuilder"),
    "a module that is taken": (("thing", "--module", "op_backend"), "something else than Impl and Builder"),
    "a helper that is taken": (("thing", "--helper-module", "camb_ops"), "holds the ops of Cambricon MLU"),
    "another signature": (("rms_norm", "--param", "x: Tensor"), "exists with other parameters"),
    "an unknown like": (("thing", "--like", "rms_nrm"), "no op is called `rms_nrm`"),
    "a strange native root": (("thing", "--native", "os.system('x')"), "`os` is not imported"),
    "a strange native value": (("thing", "--native", "tmo.f(nothing)"), "is no parameter of thing"),
    "both bodies": (("thing", "--native", "tmo.f", "--body", "torch"), "both say what layer 4 does"),
    "no layers": (("thing", "--layers", "9"), "names no layers"),
    "no such file": (("--spec", "nowhere.toml"), "cannot be read"),
}


@pytest.mark.parametrize(("args", "says"), REFUSED.values(), ids=REFUSED)
def test_refused(scaffold, workspace, args, says):
    before = snapshot(workspace)
    vendor = () if "--vendor" in args else ("--vendor", "camb")
    result = scaffold("op", *args, *vendor)
    assert result.code == 2 and says in result.err, (result.code, result.err)
    assert result.err.startswith("error: ") and "Traceback" not in result.err
    assert result.out == "" and snapshot(workspace) == before


@pytest.mark.parametrize("args", [("op",), ("op", "thing"), ("op", "--vendor", "camb")])
def test_without_a_terminal_nothing_prompts(scaffold, args):
    result = scaffold(*args)
    assert result.code == 2 and "no terminal to ask on" in result.err


@pytest.mark.parametrize(
    ("path", "old", "new", "says"),
    [
        ("dlinfer/dlinfer/ops/llm.py", "__all__ = [", "names = [", "__all__"),
        ("dlinfer/dlinfer/vendor/camb/camb_ops.py", "__all__ = [", "names = [", "__all__"),
        (
            "lmdeploy/lmdeploy/pytorch/backends/dlinfer/op_backend.py",
            "def get_layer_impl_builder",
            "def other",
            "get_layer",
        ),
        ("lmdeploy/lmdeploy/pytorch/backends/base.py", "class OpType(", "class Types(", "OpType"),
        ("dlinfer/dlinfer/ops/llm.py", "def rms_norm(", "def rms_norm((", "dlinfer/ops/llm.py"),
    ],
)
def test_a_missing_anchor_is_named_and_nothing_is_written(scaffold, workspace, path, old, new, says):
    file = workspace / path
    file.write_text(file.read_text().replace(old, new, 1))
    before = snapshot(workspace)
    result = scaffold("op", "rms_norm_gated", "--vendor", "camb")
    assert result.code == 2 and says in result.err, result.err
    assert snapshot(workspace) == before


def test_a_checkout_is_missing(scaffold, workspace):
    import shutil

    shutil.rmtree(workspace / "lmdeploy")
    result = scaffold("op", "rms_norm_gated", "--vendor", "camb")
    assert result.code == 2 and "no lmdeploy checkout found" in result.err


def test_new_answers_to_an_applied_op_are_refused(scaffold, workspace):
    scaffold("op", "rms_norm_gated", "--vendor", "camb")
    before = snapshot(workspace)
    for args in (("--body", "torch"), ("--helper-module", "gated"), ("--op-type", "Other"), ("--native", "tmo.f")):
        result = scaffold("op", "rms_norm_gated", "--vendor", "camb", *args)
        assert result.code == 2 and "undo" in result.err, args
    assert snapshot(workspace) == before


def test_near_names_are_asked_for(scaffold):
    assert "did you mean `silu_and_mul`?" in scaffold("op", "silu_and_mull", "--vendor", "camb", "--dry-run").out
    result = scaffold("op", "thing", "--op-type", "FusedMoEE", "--vendor", "camb", "--dry-run", "--json")
    assert any("did you mean `FusedMoE`?" in n["text"] for n in json.loads(result.out)["notes"])
