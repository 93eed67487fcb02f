"""What a user did to generated code, and what a newer template version makes of it."""

from __future__ import annotations

import ast
import json

import pytest

from tests.conftest import snapshot

from .kit import change, release

OPS = "dlinfer/dlinfer/ops/llm.py"
CAMB = "dlinfer/dlinfer/vendor/camb/camb_ops.py"
KERNEL = "lmdeploy/lmdeploy/pytorch/kernels/dlinfer/rms_norm_gated.py"
CALL = '    return vendor_ops_registry["rms_norm_gated"]'
NEW = "    # One call a vendor.\n" + CALL
FUNCTION = "templates/shared/op/layer3/function.py.txt.jinja"


def test_untouched_code_follows(scaffold, applied, newer):
    done = scaffold("update", "--template", newer)
    assert done.code == 0, done.err
    assert NEW in (applied / OPS).read_text()
    assert "RMS norm gated wrapper." in (applied / KERNEL).read_text()
    assert "no native call is known yet" in (applied / CAMB).read_text()


def test_a_second_update_changes_nothing(scaffold, applied, newer):
    scaffold("update", "--template", newer)
    before = snapshot(applied), _kept(applied)
    done = scaffold("update", "--template", newer)
    assert (done.code, snapshot(applied), _kept(applied)) == (0, *before)
    assert "nothing to write" in done.out


def test_undo_after_an_update_gives_back_every_byte(scaffold, workspace, templates, pristine, request):
    before = snapshot(workspace)
    scaffold("op", "rms_norm_gated", "--vendor", "camb", "--vendor", "maca", "--no-native-doc", "--template", templates)
    newer = request.getfixturevalue("newer_only")
    assert scaffold("update", "--template", newer).code == 0
    assert scaffold("undo", "rms_norm_gated").code == 0
    assert snapshot(workspace) == before


@pytest.fixture
def newer_only(templates):
    from .kit import V11

    release(templates, "1.1.0", V11)
    return templates


def test_edited(scaffold, applied, newer):
    change(applied / OPS, "    Apply Root Mean Square", "    My own words: apply Root Mean Square")
    change(applied / KERNEL, "import Tensor\n", "import Tensor\n\n# mine\n")
    done = scaffold("update", "--template", newer)
    text = (applied / OPS).read_text()
    assert done.code == 0, done.out
    assert "My own words" in text and NEW in text
    assert "# mine" in (applied / KERNEL).read_text() and "wrapper." in (applied / KERNEL).read_text()
    assert "your edits are kept" in done.out


def test_moved(scaffold, applied, newer):
    text = (applied / OPS).read_text()
    start = text.index('@register_custom_op("dlinfer::rms_norm_gated"')
    function = text[start:]
    head, sep, tail = text[:start].partition("\n\n@register_custom_op")
    (applied / OPS).write_text(f"{head}\n\n{function.rstrip()}\n\n{sep}{tail}".rstrip() + "\n")
    assert scaffold("update", "--template", newer).code == 0
    after = (applied / OPS).read_text()
    assert after.count("def rms_norm_gated(") == 1 and NEW in after
    assert after.index(NEW) < len(after) / 2
    ast.parse(after)


def test_reformatted(scaffold, applied, newer):
    text = (applied / OPS).read_text()
    start = text.index("def rms_norm_gated(")
    call = text[start:].replace(
        '["rms_norm_gated"](hidden_states, gate, weight, epsilon)',
        '["rms_norm_gated"](\n        hidden_states,\n        gate,\n        weight,\n        epsilon)',
    )
    (applied / OPS).write_text(text[:start] + call)
    done = scaffold("update", "--template", newer)
    after = (applied / OPS).read_text()
    assert done.code == 0, done.out
    assert "# One call a vendor." in after
    ast.parse(after)


def test_crlf(scaffold, applied, newer):
    for path in (OPS, KERNEL):
        (applied / path).write_bytes((applied / path).read_bytes().replace(b"\n", b"\r\n"))
    assert scaffold("update", "--template", newer).code == 0
    for path, text in ((OPS, b"# One call a vendor.\r\n"), (KERNEL, b"wrapper.")):
        data = (applied / path).read_bytes()
        assert text in data and data.count(b"\n") == data.count(b"\r\n")


def test_renamed_by_the_user(scaffold, applied, newer):
    change(applied / OPS, "def rms_norm_gated(", "def rms_norm_gated_mine(")
    done = scaffold("update", "--template", newer)
    after = (applied / OPS).read_text()
    assert "def rms_norm_gated_mine(" in after and "def rms_norm_gated(" not in after
    assert done.code == 1 and "another name" in done.out
    assert scaffold("update", "--template", newer).code == 1
    next(applied.glob("dlinfer/.scaffold/*/layer3/*.conflict")).unlink()
    assert scaffold("update", "--template", newer).code == 0
    assert "def rms_norm_gated_mine(" in (applied / OPS).read_text()


def test_deleted_by_the_user(scaffold, applied, newer):
    text = (applied / OPS).read_text()
    (applied / OPS).write_text(text[: text.index('@register_custom_op("dlinfer::rms_norm_gated"')].rstrip() + "\n")
    (applied / KERNEL).unlink()
    done = scaffold("update", "--template", newer)
    assert done.code == 0 and "not there under that name" in done.out
    assert "def rms_norm_gated(" not in (applied / OPS).read_text()
    assert not (applied / KERNEL).exists()
    assert "was deleted" in done.out
    assert scaffold("update", "--template", newer).out.count("was deleted") == 0


def test_a_registration_that_the_user_took_out_is_not_put_back(scaffold, applied, newer):
    change(applied / OPS, '    "rms_norm_gated",\n', "")
    assert scaffold("update", "--template", newer).code == 0
    assert '"rms_norm_gated",' not in (applied / OPS).read_text()


def test_everything_at_once_or_nothing(scaffold, applied, newer):
    change(applied / CAMB, "def rms_norm_gated(", "def rms_norm_gated((")
    before = snapshot(applied), _kept(applied)
    done = scaffold("update", "--template", newer)
    assert done.code == 2 and "camb_ops.py" in done.err
    assert (snapshot(applied), _kept(applied)) == before


def test_dry_run_writes_nothing(scaffold, applied, newer):
    before = snapshot(applied), _kept(applied)
    done = scaffold("update", "--template", newer, "--dry-run", "--diff")
    assert "+    # One call a vendor." in done.out
    assert (snapshot(applied), _kept(applied)) == before


def test_plan_as_json(scaffold, applied, newer):
    document = json.loads(scaffold("update", "--template", newer, "--json").out)
    assert document["schema"] == {"name": "scaffold/plan", "version": 1}
    step = next(step for step in document["steps"] if step["path"] == "dlinfer/ops/llm.py")
    assert (step["kind"], step["repo"], step["name"]) == ("update", "dlinfer", "rms_norm_gated")


def _kept(workspace) -> dict[str, bytes]:
    kept = (p for repo in ("lmdeploy", "dlinfer") for p in (workspace / repo / ".scaffold").rglob("*"))
    return {str(p): p.read_bytes() for p in kept if p.is_file() and p.name not in ("lock", "holder")}
