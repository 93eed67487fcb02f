"""No file of a checkout, whatever is in it, is a crash or a silent gap."""

import os

import pytest

from generator.spec.vendor import VENDORS
from generator.survey.ops_layer import read_ops
from generator.survey.picture import survey_op
from generator.survey.reading import MAX_BYTES, fold, paths, read, read_all
from generator.survey.vendor_layer import read_vendor_ops

from . import world

OP = 'def swap(x: Optional[Tensor] = None):\n    return vendor_ops_registry["swap"](x)\n'
MARK = "# vendor_ops_registry\n"


def ops_of(tmp_path, data: str | bytes):
    return read_ops(world.checkout("dlinfer", world.write(tmp_path, {"dlinfer/ops/llm.py": data})))


@pytest.mark.parametrize(
    "data",
    [
        OP,
        OP.replace("\n", "\r\n"),
        OP.replace("\n", "\r"),
        b"\xef\xbb\xbf" + OP.encode(),
        b"# -*- coding: gbk -*-\n" + "# 交换\n".encode("gbk") + OP.encode(),
        b"# coding: latin-1\nname = '\xe9'\n" + OP.encode(),
        "name = '换'; other = '\\d'\n" + OP,
        OP.rstrip("\n"),
        "\x0c\n" + OP,
        OP.replace("    ", "\t"),
    ],
    ids="plain crlf cr bom gbk latin-1 wide no-newline form-feed tabs".split(),
)
def test_any_encoding_and_line_ends(tmp_path, data):
    ops = ops_of(tmp_path, data)
    assert ops.unreadable == []
    assert str(ops["swap"].signature) == "(x: Optional[Tensor] = None)"
    assert ops["swap"].forwards[0].args == ("x",)


def test_columns_are_counted_in_the_files_own_characters(tmp_path):
    data = 'def swap(x: Tensor, 名: "宽" = "长"):\n    return vendor_ops_registry["swap"](x, 名, "尾")\n'
    op = ops_of(tmp_path, b"# coding: gbk\n" + data.encode("gbk"))["swap"]
    assert str(op.signature) == '(x: Tensor, 名: "宽" = "长")'
    assert op.forwards[0].args == ("x", "名", '"尾"')


@pytest.mark.parametrize(
    "data, line, reason",
    [
        ("def swap(:\n" + MARK, 1, "does not parse"),
        (MARK + "x = 1\ny = = 2\n", 3, "does not parse"),
        (MARK.encode() + b"x = '\xff'\n", None, "does not parse"),
        (MARK.encode() + b"x = 1\0\n", 1, "does not parse"),
        (b"# coding: no-such\n" + MARK.encode(), 1, "does not parse"),
        (MARK + "x = " + "(" * 500 + ")" * 500, None, "does not parse"),
        (MARK + "x = 1" + " + 1" * 9000, 1, "too deeply"),
        (MARK + "x = " + "-" * 100_000 + "1", 1, "too deeply"),
        (MARK + "x = 1\n" * (MAX_BYTES // 6), 1, "MB long"),
    ],
    ids="signature statement bytes nul encoding brackets sum minus long".split(),
)
def test_what_does_not_parse_is_a_record(tmp_path, data, line, reason):
    ops = ops_of(tmp_path, data)
    assert ops == {}
    [record] = ops.unreadable
    assert (record.repo, record.path) == ("dlinfer", "dlinfer/ops/llm.py")
    assert reason in record.reason
    assert line is None or record.line == line


def test_deep_expressions_that_do_parse_are_read(tmp_path):
    deep = OP + "x = " + " + ".join(["1"] * 2000) + "\ny = a" + ".b" * 2000 + "\n"
    deep += "def odd(z=f" + "(0)" * 800 + '\n    .g):\n    return vendor_ops_registry["odd"](z)\n'
    ops = ops_of(tmp_path, deep)
    assert list(ops) == ["swap", "odd"]
    assert ops["odd"].signature.params[0].default.endswith("(0) .g")


def test_one_bad_file_costs_only_itself(tmp_path):
    workspace = world.build(
        tmp_path,
        dlinfer={"dlinfer/vendor/camb/camb_ops.py": "register_ops = (\n"},
        lmdeploy={"lmdeploy/pytorch/kernels/dlinfer/broken.py": b"\xff\xfe\0"},
    )
    picture = survey_op(workspace, "swap_halves")
    assert [u.path for u in picture.unreadable] == [
        "dlinfer/vendor/camb/camb_ops.py",
        "lmdeploy/pytorch/kernels/dlinfer/broken.py",
    ]
    assert list(picture.vendors) == ["ascend"]
    assert list(picture.op_types) == ["SwapRows"]


def test_links_that_lead_out_are_not_followed(tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text(OP)
    checkout = world.checkout("dlinfer", world.write(tmp_path / "d", {"dlinfer/ops/real.py": OP}))
    (tmp_path / "d/dlinfer/ops/llm.py").symlink_to(outside)
    (tmp_path / "d/dlinfer/ops/alias.py").symlink_to("real.py")
    (tmp_path / "d/dlinfer/ops/folder").symlink_to(tmp_path)
    ops = read_ops(checkout)
    assert [(u.path, u.reason) for u in ops.unreadable] == [
        ("dlinfer/ops/llm.py", "is a link that leads out of the checkout")
    ]
    assert list(ops) == ["swap"]
    assert paths(checkout, "dlinfer/ops") == [f"dlinfer/ops/{n}.py" for n in ("alias", "llm", "real")]


def test_what_is_no_file_is_nothing(tmp_path):
    checkout = world.checkout("dlinfer", tmp_path)
    (tmp_path / "dlinfer/ops/llm.py").mkdir(parents=True)
    assert read(checkout, "dlinfer/ops/llm.py") is None
    assert read(checkout, "dlinfer/ops/none.py") is None
    assert read_ops(checkout) == read_vendor_ops(checkout, VENDORS["camb"]) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_is_a_record(tmp_path):
    checkout = world.checkout("dlinfer", world.write(tmp_path, {"dlinfer/ops/llm.py": OP}))
    (tmp_path / "dlinfer/ops/llm.py").chmod(0)
    [record] = read_ops(checkout).unreadable
    assert "cannot be read" in record.reason


def test_only_what_holds_the_needles_is_opened_up(tmp_path):
    files = {"dlinfer/ops/a.py": "x", "dlinfer/ops/b.py": "x y", "dlinfer/ops/deep/c.py": "y x"}
    checkout = world.checkout("dlinfer", world.write(tmp_path, files))
    assert [r.path for r in read_all(checkout, "dlinfer/ops", b"x", b"y")] == [
        "dlinfer/ops/b.py",
        "dlinfer/ops/deep/c.py",
    ]
    assert [r.path for r in read_all(checkout, "dlinfer/ops", b"y", deep=False)] == ["dlinfer/ops/b.py"]


def test_folding_is_what_plain_does_with_names():
    assert fold(b"class RMS_NormGated_2:") == b"class rmsnormgated2:"
