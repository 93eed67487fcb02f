"""Status says what is there now, not what was once written; the bookkeeping survives a clone."""

import json
import shutil

import pytest

from generator.errors import ScaffoldError
from generator.plan.state import export_state, import_state
from generator.plan.status import status

from . import ops
from .faults import changes_of
from .kit import checkout, git, snapshot, write


def states(roots):
    return {(seen.entry.path, seen.entry.kind): seen.state for seen in status(roots).steps}


def test_nothing_applied(tmp_path):
    found = status(ops.make(tmp_path)).to_json()
    assert found == {
        "schema": {"name": "scaffold/status", "version": 1},
        "command": "status",
        "exit": 0,
        "ids": [],
        "conflicts": [],
    }


def test_it_names_every_id_with_its_steps(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    ops.apply_op(roots, "gelu", "ascend")
    found = status(roots).to_json()
    assert [one["id"] for one in found["ids"]] == ["op-gelu-camb", "op-gelu-ascend"]
    (one, other) = found["ids"]
    assert (one["kind"], one["name"], one["vendors"]) == ("op", "gelu", ["camb"])
    assert len(one["steps"]) == len(other["steps"]) == 9
    assert {step["state"] for step in one["steps"]} == {"present"}
    line = next(step["line"] for step in one["steps"] if step["path"] == "pkg/base.py")
    assert "Gelu" in ops.lines(roots, "upper", "pkg/base.py")[line - 1]


def test_each_state(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "maca")
    ops.edit(roots, "lower", "ops/llm.py", b"torch.gelu(x)", b"torch.gelu(x, 1)")
    (roots["upper"] / "pkg/dlinfer/gelu.py").unlink()
    (roots["upper"] / "pkg/base.py").unlink()
    found = states(roots)
    assert found["pkg/dlinfer/gelu.py", "create"] == found["pkg/base.py", "insert"] == "absent"
    assert found["vendor/maca/ops.py", "create"] == found["pkg/backend.py", "insert"] == "present"
    steps = {(seen.entry.path, seen.entry.anchor): seen.state for seen in status(roots).steps}
    assert steps["ops/llm.py", "the end of the file"] == "edited"
    assert steps["ops/llm.py", "`__all__`"] == "present"


def test_a_created_file_is_edited_if_more_than_our_insertions_changed_it(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "maca")
    ops.edit(roots, "lower", "vendor/maca/ops.py", b"__all__", b"x = 1\n__all__")
    assert states(roots)["vendor/maca/ops.py", "create"] == "edited"


def test_conflicts_stay_until_they_are_resolved(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    ops.edit(roots, "lower", "ops/llm.py", b"torch.gelu(x)", b"torch.gelu(x, 1)")
    assert status(roots).conflicts == []
    ops.undo(roots, "gelu")
    (conflict,) = status(roots).to_json()["conflicts"]
    assert (conflict["path"], conflict["reason"]) == ("ops/llm.py", "edited since; an undo kept it")
    ops.edit(roots, "lower", "ops/llm.py", b"torch.gelu(x, 1)", b"torch.gelu(x)")
    assert status(roots).conflicts == []


def test_status_writes_nothing(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    assert changes_of(tmp_path, lambda: status(roots)) == []


def test_an_export_brings_undo_back_after_git_clean(tmp_path):
    roots = ops.make(tmp_path / "here")
    for root in roots.values():
        checkout(root, {})
    before = snapshot(roots)
    ops.apply_op(roots, "gelu", "maca")
    after = snapshot(roots)
    export_state(roots, tmp_path / "state.json")
    assert str(tmp_path) not in (tmp_path / "state.json").read_text()
    for root in roots.values():
        git(root, "clean", "-qfdx", "-e", "pkg", "-e", "vendor")
        assert not (root / ".scaffold").exists()
    import_state(roots, tmp_path / "state.json")
    assert snapshot(roots) == after
    assert (roots["lower"] / ".scaffold/op-gelu-maca/fragment.py").exists()
    assert ops.plan_op(roots, "gelu", "maca").changes == []
    ops.undo(roots, "gelu")
    assert snapshot(roots) == before


def test_an_import_may_be_repeated_but_never_overwrites(tmp_path):
    roots = ops.make(tmp_path)
    ops.apply_op(roots, "gelu", "camb")
    export_state(roots, tmp_path / "state.json")
    assert import_state(roots, tmp_path / "state.json") == []
    ops.apply_op(roots, "silu", "camb")
    with pytest.raises(ScaffoldError, match="other bookkeeping already"):
        import_state(roots, tmp_path / "state.json")
    assert len(status(roots).ids) == 2


def test_nothing_to_export(tmp_path):
    with pytest.raises(ScaffoldError, match="nothing to export"):
        export_state(ops.make(tmp_path), tmp_path / "state.json")
    assert not (tmp_path / "state.json").exists()


@pytest.mark.parametrize(
    "path",
    [
        "../victim",
        "pkg/evil.py",
        ".scaffold/../pkg/evil.py",
        ".scaffold/lock",
        ".scaffold/journal.json",
        ".scaffold/tx/0.new",
        ".scaffold/op-x-y/../../pkg/evil.py",
        ".git/config",
        "/etc/evil",
    ],
)
def test_an_import_reaches_nothing_but_bookkeeping(tmp_path, path):
    roots = ops.make(tmp_path / "here")
    ops.apply_op(roots, "gelu", "camb")
    export_state(roots, tmp_path / "state.json")
    data = json.loads((tmp_path / "state.json").read_text())
    data["checkouts"]["upper"][path] = "evil"
    write(tmp_path, {"state.json": json.dumps(data).encode()})
    for root in roots.values():
        shutil.rmtree(root / ".scaffold")
    before = snapshot(roots)
    with pytest.raises(ScaffoldError):
        import_state(roots, tmp_path / "state.json")
    assert snapshot(roots) == before
    assert not any((root / ".scaffold").exists() for root in roots.values())


@pytest.mark.parametrize("text", [b"", b"[]", b'{"schema": 1}', b'{"checkouts": {}}', b"PK\x03\x04"])
def test_a_file_that_is_no_export_is_an_error(tmp_path, text):
    write(tmp_path, {"state.json": text})
    with pytest.raises(ScaffoldError, match="no export"):
        import_state(ops.make(tmp_path / "here"), tmp_path / "state.json")


def test_an_export_for_a_checkout_that_is_not_here_is_an_error(tmp_path):
    roots = ops.make(tmp_path / "here")
    ops.apply_op(roots, "gelu", "camb")
    export_state(roots, tmp_path / "state.json")
    with pytest.raises(ScaffoldError, match="no lower checkout is known"):
        import_state({"upper": roots["upper"]}, tmp_path / "state.json")
