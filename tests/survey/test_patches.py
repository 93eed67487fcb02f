"""What dlinfer replaces in lmdeploy, and for whom."""

import pytest

from generator.survey.patches import DEVICE, QUANTS, patch_imports, patches_in, read_init, read_patches
from generator.survey.reading import Reading
from generator.workspace.checkout import recognise

INIT = """\
import importlib
from dlinfer.vendor import vendor_name

vendor = ["camb", "ascend"]


def patch_all():
    from lmdeploy.pytorch import engine

    class Meta:
        def __init__(self, n: int, *, flag=True):
            self.n = n

        def run(self, x):
            return x

    @staticmethod
    def allocate(a, b=1):
        if a:
            return a, b
        return

    async def step(self, logits):
        def inner():
            return 1, 2, 3

        return logits, 1, None

    engine.Meta = Meta
    engine.Cache.allocate = allocate
    engine.Agent.step = step


def patch_ascend():
    import lmdeploy.pytorch.nn as nn

    nn.helper = lambda x: x
    nn.Linear.build = classmethod(build)


def build(cls, x):
    return cls(x)


def vendor_device_init():
    patch_all()
    if vendor_name in ["camb", "ascend"]:
        patch_both()
    if vendor_name == "ascend":
        patch_ascend()


def patch_both():
    from os import path
    path.sep = "/"


vendor_device_init()
"""


@pytest.fixture(scope="module")
def patches():
    return {p.target: p for p in patches_in(Reading("dlinfer", f"{DEVICE}/__init__.py", INIT.encode()))}


def test_targets_are_absolute_and_lmdeploys_only(patches):
    assert list(patches) == [
        "lmdeploy.pytorch.engine.Meta",
        "lmdeploy.pytorch.engine.Cache.allocate",
        "lmdeploy.pytorch.engine.Agent.step",
        "lmdeploy.pytorch.nn.helper",
        "lmdeploy.pytorch.nn.Linear.build",
    ]


def test_what_replaces(patches):
    meta, allocate, step, helper, build = patches.values()
    assert meta.value_kind == "class" and str(meta.signature) == "(self, n: int, *, flag=True)"
    assert [name for name, _ in meta.methods] == ["__init__", "run"]
    assert allocate.decorators == ("staticmethod",) and allocate.returns == (2, 0)
    assert step.is_async and step.returns == (3,), "a nested function's returns are its own"
    assert helper.signature is None and helper.value == "lambda x: x"
    assert build.decorators == ("classmethod",) and build.signature.names == ("cls", "x")


def test_for_whom(patches):
    assert patches["lmdeploy.pytorch.engine.Meta"].vendors == ()
    build = patches["lmdeploy.pytorch.nn.Linear.build"]
    assert build.vendors == ("ascend",) and build.inside == "patch_ascend"
    assert build.applies_to("ascend") and not build.applies_to("camb")


def test_a_condition_that_names_no_vendor():
    code = "from lmdeploy import engine\nif soc() == 310:\n    engine.run = run\n"
    (patch,) = patches_in(Reading("dlinfer", f"{DEVICE}/ascend.py", code.encode()))
    assert patch.condition == "soc() == 310" and patch.vendors == ("ascend",)


def test_imports_inside_functions_count():
    found = patch_imports(Reading("dlinfer", f"{DEVICE}/__init__.py", INIT.encode()))
    assert [(i.target, i.inside) for i in found] == [
        ("lmdeploy.pytorch.engine", "patch_all"),
        ("lmdeploy.pytorch.nn", "patch_ascend"),
    ]


def test_the_sandbox(pristine):
    dlinfer = recognise(pristine / "dlinfer")
    device, quants = read_init(dlinfer, DEVICE), read_init(dlinfer, QUANTS)
    assert (device.era, device.listed, device.entry) == ("functions", ("camb", "ascend"), "vendor_device_init")
    assert device.calls["ascend"] == ("patch_gated_delta_net()",)
    assert (quants.era, quants.list_name, quants.listed) == ("list", "awq_vendor", ("ascend",))
    targets = {p.target for p in read_patches(dlinfer).values()}
    assert "lmdeploy.pytorch.nn.gated_delta.build_rmsnorm_gated" in targets
