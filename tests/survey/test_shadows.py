"""What is called like an op and is none of its layers, who calls it, and who replaces it on which vendor."""

import pytest

from generator.survey.likeness import is_like, names_like
from generator.survey.reading import Reading
from generator.survey.shadows import find_callers, find_shadows
from generator.survey.when import vendors_of

from . import world

DEVICE = "dlinfer/framework/lmdeploy_ext/device/__init__.py"
LMDEPLOY = {
    "lmdeploy/pytorch/nn/halves.py": """\
def build_swaphalves(size, **kwargs):
    from fla.modules import FusedSwapHalves
    return FusedSwapHalves(size)


class Other:
    def swap_halves(self):
        swap_halves = 1
        return swap_halves
""",
    "lmdeploy/pytorch/models/one.py": """\
from lmdeploy.pytorch.nn.halves import build_swaphalves


class Layer:
    def __init__(self):
        self.norm = build_swaphalves(8)
""",
    "lmdeploy/pytorch/models/two.py": """\
from torch import nn
from ..nn import halves
from ..nn.halves import build_swaphalves as make

norm = make(8)
more = halves.build_swaphalves(8)
not_ours = nn.build_swaphalves(8)
method = norm.build_swaphalves(8)
""",
}
DLINFER = {
    "dlinfer/vendor/ascend/triton_ops/swap_halves.py": """\
import triton


@triton.jit
def _swap_halves_kernel(x):
    pass


class SwapHalves:
    pass


def swap_halves_w8a8(x):
    pass
""",
    DEVICE: """\
from dlinfer.vendor import vendor_name


def patch_halves():
    from lmdeploy.pytorch.nn import halves

    def build_swaphalves(size, **kwargs):
        from dlinfer.vendor.ascend.triton_ops.swap_halves import SwapHalves

        return SwapHalves(size)

    try:
        halves.build_swaphalves = build_swaphalves
    except Exception as swap_halves:
        raise swap_halves


def vendor_device_init():
    if vendor_name in ["camb", "ascend"]:
        patch_halves()
""",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return world.build(tmp_path_factory.mktemp("world"), lmdeploy=LMDEPLOY, dlinfer=DLINFER)


def test_definitions_imports_and_patches_but_not_the_layers_of_the_op(workspace):
    found = find_shadows(workspace, "swap_halves")
    assert [(m.kind, m.path.rpartition("pytorch/")[2], m.line, m.name) for m in found] == [
        ("definition", "nn/halves.py", 1, "build_swaphalves"),
        ("import", "nn/halves.py", 2, "FusedSwapHalves"),
        ("import", "models/one.py", 1, "build_swaphalves"),
        ("import", "models/two.py", 3, "build_swaphalves"),
        ("definition", "kernels/cuda/rows.py", 9, "swap_halves"),
        ("definition", DEVICE, 7, "build_swaphalves"),
        ("import", DEVICE, 8, "SwapHalves"),
        ("patch", DEVICE, 13, "build_swaphalves"),
        ("definition", "dlinfer/vendor/ascend/triton_ops/swap_halves.py", 9, "SwapHalves"),
    ]


def test_a_patch_says_what_it_replaces_and_where(workspace):
    [patch] = [m for m in find_shadows(workspace, "swap_halves") if m.kind == "patch"]
    assert patch.note == "replaces lmdeploy.pytorch.nn.halves.build_swaphalves on ascend, camb"


def test_a_patch_by_setattr(tmp_path):
    text = (
        'from lmdeploy.pytorch.nn import halves\nsetattr(halves, "build_swaphalves", print)\nsetattr(halves, name, 1)\n'
    )
    workspace = world.build(tmp_path, dlinfer={"dlinfer/framework/maca.py": text})
    [patch] = [m for m in find_shadows(workspace, "swap_halves") if m.kind == "patch"]
    assert (patch.line, patch.name) == (2, "build_swaphalves")
    assert patch.note == "replaces lmdeploy.pytorch.nn.halves.build_swaphalves on maca"


def test_who_calls_it(workspace):
    found = find_callers(workspace, ["build_swaphalves"])
    assert [(m.path, m.line, m.name) for m in found] == [
        ("lmdeploy/pytorch/models/one.py", 6, "build_swaphalves"),
        ("lmdeploy/pytorch/models/two.py", 5, "build_swaphalves"),
        ("lmdeploy/pytorch/models/two.py", 6, "build_swaphalves"),
    ]
    assert find_callers(workspace, []) == []


def test_nothing_is_called_like_it(workspace):
    assert find_shadows(workspace, "weigh_rows") == []


@pytest.mark.parametrize(
    "name, like",
    [
        ("build_rmsnorm_gated", True),
        ("FusedRMSNormGated", True),
        ("RMSNormGated", True),
        ("DlinferRMSNormGatedImpl", True),
        ("get_rms_norm_gated_fn", True),
        ("rms_norm_gated", True),
        ("rms_norm_gated_w8a8", False),
        ("rms_norm", False),
        ("xrms_norm_gated", False),
        ("gated_rms_norm", False),
        ("", False),
    ],
)
def test_like_an_op(name, like):
    assert is_like(name, "rms_norm_gated") is like


def test_names_in_any_spelling_with_what_is_around_them():
    data = b"x.RMSNormGated(build_rmsnorm_gated)  # rms_norm_gated_x\n\xff RMSnormGated"
    assert names_like(data, "rms_norm_gated") == {"RMSNormGated", "RMSnormGated", "build_rmsnorm_gated"}


@pytest.mark.parametrize(
    "path, text, vendors",
    [
        ("d/__init__.py", "if vendor_name == 'ascend':\n    f()", ("ascend",)),
        ("d/__init__.py", "if vendor_name in ('maca', 'camb'):\n    if x:\n        f()", ("camb", "maca")),
        ("d/__init__.py", "if vendor_name == 'ascend':\n    g()\nelse:\n    f()", ()),
        ("d/__init__.py", "if x:\n    pass\nelif vendor_name == 'camb':\n    f()", ("camb",)),
        ("d/__init__.py", "f()", ()),
        ("d/camb.py", "f()", ("camb",)),
        ("d/ascend_awq.py", "", ("ascend",)),
    ],
)
def test_for_which_vendors(path, text, vendors):
    assert vendors_of(Reading("dlinfer", path, text.encode()), "f") == vendors
