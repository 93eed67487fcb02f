"""`scaffold graph-buffer`: the places that each owner needs, in each vendor's idiom; what is refused, and why."""

import json

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

FOLDER = "dlinfer/dlinfer/framework/lmdeploy_ext/cudagraph"
VENDORS = ("ascend", "camb", "maca")
GIVEN = ("--size", "max_batches", "--dtype", "int32", "--fill", "-1")


def graph_text(workspace, vendor):
    return (workspace / FOLDER / f"{vendor}_cudagraph.py").read_text()


def plan_of(result):
    assert result.code == 0, result.err
    return json.loads(result.out)


def inserted(before, after):
    """The lines that are new, without indentation."""
    old = before.splitlines()
    lines = after.splitlines()
    for line in old:
        lines.remove(line)
    return [line.strip() for line in lines if line.strip()]


@pytest.mark.parametrize("vendor", VENDORS)
@pytest.mark.parametrize(
    ("owner", "roles", "handed"),
    [
        ("attn_metadata", {"make", "fill"}, "attn_metadata.new_lens = "),
        ("step_context", {"make", "fill", "update"}, "context.new_lens = "),
        ("moe_metadata", {"make", "fill", "update"}, "context.moe_metadata.new_lens = "),
        ("kwarg", {"make", "fill", "update"}, 'new_inputs["new_lens"] = '),
    ],
)
def test_each_owner_gets_the_places_it_needs(scaffold, workspace, vendor, owner, roles, handed):
    before = snapshot(workspace)
    plan = plan_of(scaffold("graph-buffer", "new_lens", "--vendor", vendor, "--owner", owner, *GIVEN, "--json"))
    after = snapshot(workspace)
    steps = [s for s in plan["steps"] if s["name"] == "new_lens"]
    assert len(steps) == len(roles) and {s["layer"] for s in plan["steps"]} == {"C1"}
    assert {s["kind"] for s in steps} == {"insert"} and all(s["line"] for s in steps)
    assert plan["id"] == f"graph-buffer-new_lens-{vendor}"
    assert lost_lines(before, after) == []
    compiles(after)
    path = f"{FOLDER}/{vendor}_cudagraph.py"
    new = inserted(before[path].decode(), after[path].decode())
    assert any(line.startswith(handed) for line in new)
    assert {p for p in after if before.get(p) != after[p]} == {path}


def test_ascend_hands_out_whole_buffers_the_others_slices(scaffold, workspace):
    vendors = [part for v in VENDORS for part in ("--vendor", v)]
    assert scaffold("graph-buffer", "new_lens", *vendors, "--owner", "attn_metadata", *GIVEN).code == 0
    assert 'attn_metadata.new_lens = input_buffers["new_lens"]\n' in graph_text(workspace, "ascend")
    for vendor in ("camb", "maca"):
        assert 'attn_metadata.new_lens = input_buffers["new_lens"][:new_batch_size]\n' in graph_text(workspace, vendor)


def test_condition_and_constant(scaffold, workspace):
    given = ("--owner", "kwarg", "--size", "max_batches", "--dtype", "int64", "--when", "is_ssm")
    assert scaffold("graph-buffer", "new_ids", "--vendor", "camb", *given).code == 0
    assert graph_text(workspace, "camb").count("if graph_meta.is_ssm:\n") == 3
    mask = "torch.triu(torch.ones(64, 64, dtype=torch.bool, device=device), diagonal=1)"
    given = ("--owner", "attn_metadata", "--size", "64, 64", "--dtype", "bool", "--fill", mask)
    result = scaffold("graph-buffer", "attention_mask", "--vendor", "ascend", *given)
    assert result.code == 0 and "never changes" in result.out
    text = graph_text(workspace, "ascend")
    assert "diagonal=1" in text and 'attn_metadata.attention_mask = [input_buffers["attention_mask"]]\n' in text


def test_a_runner_of_the_files_own_learns_the_flag(scaffold, workspace):
    path = workspace / FOLDER / "ascend_cudagraph.py"
    flag = "            use_mrope=self.model_config.use_mrope,\n"
    path.write_text(path.read_text().replace(flag, ""))
    given = ("--owner", "kwarg", "--size", "max_tokens", "--dtype", "int64", "--when", "use_mrope")
    assert scaffold("graph-buffer", "new_ids", "--vendor", "ascend", *given).code == 0
    assert flag in path.read_text()


def test_second_run_second_vendor_and_undo(scaffold, workspace):
    before = snapshot(workspace)
    given = ("--owner", "moe_metadata", "--size", "max_tokens", "--dtype", "bool")
    for name in ("one_mask", "two_mask"):
        for vendor in ("camb", "maca"):
            assert scaffold("graph-buffer", name, "--vendor", vendor, *given).code == 0
    once = snapshot(workspace)
    again = scaffold("graph-buffer", "one_mask", "--vendor", "camb", *given)
    assert again.code == 0 and "nothing to write" in again.out and snapshot(workspace) == once
    status = scaffold("status").out
    assert "graph-buffer-one_mask-camb" in status and "graph-buffer-two_mask-maca" in status
    assert scaffold("undo", "one_mask").code == 0
    compiles(snapshot(workspace))
    assert graph_text(workspace, "camb").count("moe_metadata = getattr(") == 1
    assert scaffold("undo", "two_mask").code == 0
    assert snapshot(workspace) == before


def test_other_answers_than_those_applied(scaffold, workspace):
    assert scaffold("graph-buffer", "new_lens", "--vendor", "camb", "--owner", "attn_metadata", *GIVEN).code == 0
    given = ("--size", "max_batches", "--dtype", "int64", "--fill", "-1")
    result = scaffold("graph-buffer", "new_lens", "--vendor", "camb", "--owner", "attn_metadata", *given)
    assert result.code == 2 and "another dtype" in result.err and "undo" in result.err


def test_only_what_is_missing_is_written(scaffold, workspace):
    path = workspace / FOLDER / "ascend_cudagraph.py"
    lines = path.read_text().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if "context.state_offsets" in line)
    path.write_text("".join(lines[: at - 1] + lines[at + 1 :]))
    given = ("--owner", "kwarg", "--size", "max_batches", "--dtype", "int64", "--fill", "-1", "--when", "is_ssm")
    plan = plan_of(scaffold("graph-buffer", "state_ids", "--vendor", "ascend", *given, "--json"))
    assert [s["kind"] for s in plan["steps"]] == ["present", "present", "insert"]
    assert path.read_text().count("context.state_offsets = ") == 1


def test_notes_name_the_next_command(scaffold):
    result = scaffold("graph-buffer", "new_lens", "--vendor", "camb", "--owner", "attn_metadata", *GIVEN, "--dry-run")
    assert "scaffold context-field new_lens --vendor camb --type Tensor" in result.out
    given = ("--owner", "moe_metadata", "--size", "max_tokens", "--dtype", "bool", "--dry-run")
    assert "maca sets no moe_metadata" in scaffold("graph-buffer", "new_mask", "--vendor", "maca", *given).out


def test_parity(scaffold):
    result = scaffold("graph-buffer", "--parity")
    assert result.code == 0
    (row,) = [line for line in result.out.splitlines() if line.startswith("mrope_position_ids  ")]
    assert "(3, max_tokens) int64" in row and " - " in row
    assert "scaffold graph-buffer mrope_position_ids --vendor camb --vendor maca --like ascend" in result.out
    document = json.loads(scaffold("graph-buffer", "state_ids", "--parity", "--json").out)
    vendors = document["fields"]["state_ids"]["vendors"]
    assert vendors["ascend"]["when"] == "graph_meta.is_ssm" and vendors["camb"] is None
    assert document["fields"]["state_ids"]["owner"] == "kwarg"


OWNER = ("--owner", "attn_metadata")
LENS = ("lens", *OWNER, "--size", "max_batches", "--dtype", "int32")
ONE = ("lens", *OWNER, "--size", "1", "--dtype", "int32")
REFUSED = {
    "by batch, filled by token": (
        ("mrope_position_ids", "--owner", "kwarg", "--size", "3, max_batches", "--dtype", "int64"),
        "filled by token",
        "ascend_cudagraph.py:",
    ),
    "uninitialised": ((*LENS, "--fill", "empty"), "uninitialised", ""),
    "torch.empty": ((*LENS, "--fill", "torch.empty(max_batches)"), "uninitialised", ""),
    "a Python field": (
        ("max_kv_seq_len", *OWNER, "--size", "1", "--dtype", "int32"),
        "keeps the value it had at capture",
        "attention.py:",
    ),
    "a Python dtype": (("lens", *OWNER, "--size", "max_batches", "--dtype", "int"), "Python scalar", ""),
    "a scalar": (("lens", *OWNER, "--size", "()", "--dtype", "int32"), "is a scalar", ""),
    "speculative tokens": (("lens", *OWNER, "--size", "max_batches * 2", "--dtype", "int32"), "speculative tokens", ""),
    "the size of a step": (("lens", *OWNER, "--size", "batch_size", "--dtype", "int32"), "size of one step", ""),
    "an unknown name": (("lens", *OWNER, "--size", "max_thing", "--dtype", "int32"), "`max_thing` is not known", ""),
    "code for a size": (("lens", *OWNER, "--size", "__import__('os')", "--dtype", "int32"), "is no size", ""),
    "no Python": (("lens", *OWNER, "--size", "1 +", "--dtype", "int32"), "no Python expression", ""),
    "an unknown dtype": (("lens", *OWNER, "--size", "max_batches", "--dtype", "int33"), "no dtype", ""),
    "code for a fill": ((*ONE, "--fill", "os.getcwd()"), "no value", ""),
    "a fraction": ((*ONE, "--fill", "0.5"), "is no int32", ""),
    "an unknown flag": ((*ONE, "--when", "is_odd"), "not known in all three", ""),
    "a flag of one method": ((*ONE, "--when", "attn_metadata.is_decoding"), "not known in all three methods", ""),
    "an unknown owner": (("lens", "--owner", "model", "--size", "1", "--dtype", "int32"), "unknown owner", ""),
    "no owner": (("lens", "--size", "1", "--dtype", "int32"), "--owner", ""),
    "a name that is none": (("class", *OWNER, "--size", "1", "--dtype", "int32"), "Python keyword", ""),
    "like a vendor without it": (("nothing", "--like", "ascend"), "ascend has no buffer `nothing`", ""),
    "like itself": (("lens", "--like", "camb"), "is the vendor itself", ""),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused_with_a_reason(scaffold, workspace, case):
    arguments, reason, where = case
    before = snapshot(workspace)
    result = scaffold("graph-buffer", *arguments, "--vendor", "camb")
    assert result.code == 2 and reason in result.err and where in result.err, result.err
    assert snapshot(workspace) == before


def test_a_broken_buffer_is_not_built_on(scaffold, workspace):
    path = workspace / FOLDER / "maca_cudagraph.py"
    text = path.read_text()
    make = '    input_buffers["lens"] = torch.zeros(max_batches, dtype=torch.int32)\n    return input_buffers\n'
    assert text.count("    return input_buffers\n") == 1
    copy = '    input_buffers["lens"][:num_tokens] = attn_metadata.lens\n    new_batch_size'
    path.write_text(text.replace("    return input_buffers\n", make).replace("    new_batch_size", copy, 1))
    result = scaffold("graph-buffer", "lens", "--vendor", "maca", *OWNER, *GIVEN)
    assert result.code == 2 and "made by batch" in result.err and "filled by token" in result.err
    assert "maca_cudagraph.py:" in result.err


def test_without_a_terminal_nothing_is_asked(scaffold):
    result = scaffold("graph-buffer", *GIVEN, *OWNER)
    assert result.code == 2 and "no terminal to ask on" in result.err
