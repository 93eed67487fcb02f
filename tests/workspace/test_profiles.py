"""The profile of every era, and the refusal of those before it."""

import json

import pytest

from generator.errors import ScaffoldError
from generator.workspace.checkout import recognise
from generator.workspace.profile import probe_dlinfer, probe_lmdeploy

from . import eras

OLD_MODULE, NEW_MODULE = "dlinfer.utils.graph.custom_op", "dlinfer.graph.custom_op"
ALL = ("ascend", "camb", "maca")

# commits of the real history that have the form, the form, and what it must be found to be
DLINFER = {
    "7859ac2": (eras.TWO, ("ascend",), eras.TYPES, "two", OLD_MODULE, False, []),
    "0819e3d": (eras.DEEPLINK + eras.TWO, ("ascend",), eras.TYPES, "two", OLD_MODULE, False, [eras.DEEPLINK.strip()]),
    "6ec9b58 b2da7c0": (eras.DEEPLINK + eras.ONE, ("ascend",), eras.TYPES, "one", NEW_MODULE, True, None),
    "d8019aa 86cf6fa 943efd2": (eras.DEEPLINK + eras.ONE, ALL, eras.TYPES, "one", NEW_MODULE, True, None),
    "a50184e": (eras.DEEPLINK + eras.ONE, ALL, eras.MOE_TYPES, "one", NEW_MODULE, True, None),
}


@pytest.mark.parametrize("commits", DLINFER)
def test_dlinfer(tmp_path, commits):
    ops, vendors, types, decorator, module, docstrings, header = DLINFER[commits]
    profile = probe_dlinfer(recognise(eras.dlinfer(tmp_path, ops, vendors=vendors, types=types)))
    assert (profile.decorator, profile.custom_op_module, profile.op_docstrings) == (decorator, module, docstrings)
    assert list(profile.header) == ([eras.DEEPLINK.strip()] if header is None else header)
    assert (profile.columns, profile.quotes, profile.annotations, profile.newline) == (88, "double", "typing", "lf")
    assert tuple(profile.vendors) == vendors
    assert profile.vendors["ascend"]["header"] == [eras.DEEPLINK.strip()]
    assert profile.types[:3] == ("Optional", "Sequence", "Tensor")
    assert "auto" not in profile.types
    assert ("MoeMetadata" in profile.types and "scale_type" in profile.types) == (types is eras.MOE_TYPES)


@pytest.mark.parametrize(
    "commits, package, ops, says",
    [
        ("27dba38~1", "infer_ext", eras.NAMELESS_KEY, "called infer_ext"),
        ("27dba38", "infer_ext", eras.TWO, "called infer_ext"),
        ("renamed by hand", "dlinfer", eras.NAMELESS_KEY, "name of the running function"),
        ("22a63d8 cd4a629", "dlinfer", eras.UNFORMATTED, "not formatted by black"),
    ],
)
def test_a_dlinfer_that_is_too_old_says_which_era_it_is(tmp_path, commits, package, ops, says):
    with pytest.raises(ScaffoldError, match=says) as error:
        probe_dlinfer(recognise(eras.dlinfer(tmp_path, ops, package=package)))
    assert error.value.exit_code == 2
    assert "before 2024-08-26" in error.value.what
    assert "update dlinfer" in error.value.next


def test_camb_and_maca_files_have_no_header(tmp_path):
    profile = probe_dlinfer(recognise(eras.dlinfer(tmp_path, eras.ONE, vendors=ALL)))
    assert [profile.vendors[v]["header"] for v in ALL] == [[eras.DEEPLINK.strip()], [], []]


def test_local_edits_do_not_change_the_era(tmp_path):
    edited = eras.DEEPLINK + eras.ONE * 3 + "def rough(x):\n  return x\ndef rougher(x): return x\n"
    assert probe_dlinfer(recognise(eras.dlinfer(tmp_path, edited))).decorator == "one"


def test_a_dlinfer_without_its_file_or_its_decorator(tmp_path):
    root = eras.dlinfer(tmp_path, "def lonely():\n    pass\n")
    with pytest.raises(ScaffoldError, match="of no era that is known"):
        probe_dlinfer(recognise(root))
    (root / "dlinfer/ops/llm.py").unlink()
    with pytest.raises(ScaffoldError, match="has no dlinfer/ops/llm.py"):
        probe_dlinfer(recognise(root))


OPTIONAL = "x: Optional[Tensor], y: Tuple[int, ...]"
LMDEPLOY = {
    "e98ed5b": (OPTIONAL, "own layer backend.", False, "Attention", (), ("ascend",)),
    "96e82eb": (OPTIONAL, "own layer backend.", False, "PagedAttention", (), ("ascend", "maca")),
    "df06ae3~1": (OPTIONAL, "own layer backend.", False, "PagedAttention", (), ALL),
    "df06ae3 f227bc2~1": (OPTIONAL, "own layer backend.", True, "PagedAttention", (), ALL),
    "f227bc2": (OPTIONAL, "Own layer backend.", True, "PagedAttention", (), ALL),
    "151bb8c": (OPTIONAL, "Own layer backend.", True, "PagedAttention", ("linear",), ALL),
    "ec8cb01 c677cdd~1": (OPTIONAL, "Own layer backend.", True, "PagedAttention", ("linear", "moe"), ALL),
    "c677cdd 1263d5c": ("x: Tensor | None", "Own layer backend.", True, "PagedAttention", ("linear", "moe"), ALL),
}


@pytest.mark.parametrize("commits", LMDEPLOY)
def test_lmdeploy(tmp_path, commits):
    annotation, docstring, wide, attention, packages, vendors = LMDEPLOY[commits]
    root = eras.lmdeploy(
        tmp_path,
        annotation=annotation,
        docstring=docstring,
        wide=wide,
        attention=attention,
        packages=packages,
        vendors=vendors,
    )
    profile = probe_lmdeploy(recognise(root))
    assert profile.columns == (120 if wide else 79)
    assert profile.annotations == ("typing" if annotation == OPTIONAL else "pipe")
    assert profile.docstrings == ("lower" if docstring[0].islower() else "capital")
    assert (profile.attention_op, profile.nn_packages, profile.vendors) == (attention, packages, vendors)
    assert (profile.quotes, profile.newline, profile.header) == ("single", "lf", (eras.OPENMMLAB.strip(),))


@pytest.mark.parametrize(
    "commits, backend, says", [("32c858055", None, "no backends/"), ("231e5bbcc", "ascend", "backends/ascend")]
)
def test_an_lmdeploy_that_is_too_old_says_which_era_it_is(tmp_path, commits, backend, says):
    with pytest.raises(ScaffoldError, match=says) as error:
        probe_lmdeploy(recognise(eras.lmdeploy(tmp_path, backend=backend)))
    assert error.value.exit_code == 2
    assert "before 2024-10-18" in error.value.what


def test_an_lmdeploy_that_is_too_new_says_so(tmp_path):
    root = eras.lmdeploy(tmp_path)
    (root / "lmdeploy/pytorch/backends/base.py").write_text("class BuildSpec(Generic[T]):\n    pass\n")
    with pytest.raises(ScaffoldError, match="newer than what is known.*BuildSpec") as error:
        probe_lmdeploy(recognise(root))
    assert error.value.exit_code == 2


def test_an_lmdeploy_without_its_dispatcher_or_its_enum(tmp_path):
    root = eras.lmdeploy(tmp_path)
    (root / "lmdeploy/pytorch/backends/base.py").write_text("")
    with pytest.raises(ScaffoldError, match="no OpType"):
        probe_lmdeploy(recognise(root))
    (root / "lmdeploy/pytorch/backends/dlinfer/op_backend.py").unlink()
    with pytest.raises(ScaffoldError, match="has no .*dlinfer/op_backend.py"):
        probe_lmdeploy(recognise(root))


def test_crlf_is_seen(tmp_path):
    eras.lmdeploy(tmp_path / "l", newline="\r\n")
    eras.dlinfer(tmp_path / "d", eras.DEEPLINK + eras.TWO, newline="\r\n")
    assert probe_lmdeploy(recognise(tmp_path / "l")).newline == "crlf"
    profile = probe_dlinfer(recognise(tmp_path / "d"))
    assert (profile.newline, profile.decorator, profile.header) == ("crlf", "two", (eras.DEEPLINK.strip(),))


def test_profiles_are_json(tmp_path):
    profiles = (
        probe_dlinfer(recognise(eras.dlinfer(tmp_path / "d", eras.ONE))),
        probe_lmdeploy(recognise(eras.lmdeploy(tmp_path / "l"))),
    )
    for profile in profiles:
        assert json.loads(json.dumps(profile.as_json())) == profile.as_json()
