"""`scaffold device-patch`: the signature from lmdeploy, loaded in the style of the checkout's era."""

import ast
import json

import pytest

from tests.conftest import snapshot
from tests.diffs import compiles, lost_lines

DEVICE = "dlinfer/dlinfer/framework/lmdeploy_ext/device"
ENGINE = "lmdeploy/lmdeploy/pytorch/engine"
TARGETS = {
    "method": "gated_delta.CausalConv1d.forward",
    "function": "gated_delta.build_rmsnorm_gated",
    "class": "gated_delta.CausalConv1dFunc",
}
CODE = '''\
from typing import TYPE_CHECKING

import torch

from lmdeploy.pytorch.config import CacheConfig

if TYPE_CHECKING:
    from nowhere import Secret


class Engine:
    """An engine."""

    @classmethod
    def build(cls, config: CacheConfig, *, device: str = 'cpu', **kwargs) -> 'Engine':
        return cls(config, device)

    @staticmethod
    def align(size: int, to=4):
        return size

    @property
    def size(self) -> int:
        return 1

    @size.setter
    def size(self, value):
        pass

    async def swap(self, ids: torch.Tensor, *more, key: "Secret" = None):
        return ids, more, key

    def run(self):
        Engine.build(None, device='npu', extra=1)
        self.align(1, to=2)
        return self.swap(1, 2, key=3)
'''


@pytest.fixture
def engine(workspace):
    """A module with every sort of method."""
    folder = workspace / ENGINE
    folder.mkdir(exist_ok=True)
    (folder / "__init__.py").touch()
    (folder / "patched.py").write_text(CODE)
    return "lmdeploy.pytorch.engine.patched.Engine"


def read(workspace, name):
    return (workspace / DEVICE / name).read_text()


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("vendor", ["camb", "maca"])
def test_patch_and_undo(scaffold, workspace, vendor, target):
    before = snapshot(workspace)
    result = scaffold("device-patch", target, "--vendor", vendor, "--json")
    assert result.code == 0, result.err
    plan, after = json.loads(result.out), snapshot(workspace)
    assert lost_lines(before, after) == []
    compiles(after)
    assert {s["layer"] for s in plan["steps"]} == {"C2"}
    assert plan["id"] == f"device-patch-lmdeploy.pytorch.nn.{target}-{vendor}"
    again = scaffold("device-patch", target, "--vendor", vendor)
    assert again.code == 0 and snapshot(workspace) == after
    assert plan["id"] in scaffold("status").out
    assert scaffold("undo", target).code == 0 and snapshot(workspace) == before


def test_since_august_2025_a_function_of_the_package_applies_it(scaffold, workspace):
    assert scaffold("device-patch", TARGETS["method"], "--vendor", "camb").code == 0
    text = read(workspace, "__init__.py")
    assert "def patch_camb_causal_conv1d_forward():\n    from lmdeploy.pytorch.nn import gated_delta\n" in text
    assert "    original = gated_delta.CausalConv1d.forward\n" in text
    assert "    gated_delta.CausalConv1d.forward = CambCausalConv1d_forward\n" in text
    assert '    if vendor_name == "camb":\n        patch_camb_causal_conv1d_forward()\n' in text
    assert text.index("def patch_camb") < text.index("def vendor_device_init")
    assert scaffold("device-patch", TARGETS["method"], "--vendor", "ascend").code == 0
    text = read(workspace, "__init__.py")
    assert "        patch_gated_delta_net()\n        patch_ascend_causal_conv1d_forward()\n" in text


def test_before_that_the_vendors_module_does(scaffold, workspace):
    init = workspace / DEVICE / "__init__.py"
    init.write_text(
        'import importlib\nfrom dlinfer.vendor import vendor_name\n\nvendor = ["camb", "ascend"]\n\n\n'
        "def vendor_device_init():\n    if vendor_name in vendor:\n"
        '        importlib.import_module(f".{vendor_name}", __package__)\n\n\nvendor_device_init()\n'
    )
    before = snapshot(workspace)
    assert scaffold("device-patch", TARGETS["function"], "--vendor", "camb").code == 0
    text = read(workspace, "camb.py")
    assert "from lmdeploy.pytorch.nn import gated_delta\n" in text
    assert text.endswith("\n\n\ngated_delta.build_rmsnorm_gated = camb_build_rmsnorm_gated\n")
    assert init.read_bytes() == before[f"{DEVICE}/__init__.py"]
    assert scaffold("undo", TARGETS["function"]).code == 0 and snapshot(workspace) == before


def test_maca_gets_a_module_and_is_registered(scaffold, workspace):
    before = snapshot(workspace)
    for target in (TARGETS["method"], TARGETS["class"]):
        assert scaffold("device-patch", target, "--vendor", "maca").code == 0
    assert 'vendor = ["camb", "ascend", "maca"]\n' in read(workspace, "__init__.py")
    text = read(workspace, "maca.py")
    assert "class MacaCausalConv1dFunc(_lmdeploy_causal_conv1d_func):\n" in text
    assert text.count("from lmdeploy.pytorch.nn import gated_delta\n") == 1
    assert scaffold("undo", TARGETS["method"]).code == 0
    compiles(snapshot(workspace))
    assert "maca" in read(workspace, "__init__.py") and "CausalConv1d.forward" not in read(workspace, "maca.py")
    assert scaffold("undo", TARGETS["class"]).code == 0 and snapshot(workspace) == before


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("build", ["Engine.build.__func__", "@classmethod", "return original(cls, config, device=device, **kwargs)"]),
        ("align", ["@staticmethod", "return original(size, to)"]),
        ("size", ["original = Engine.size.fget", "Engine.size = Engine.size.getter(CambEngine_size)"]),
        ("swap", ["async def CambEngine_swap(", "return await original(self, ids, *more, key=key)"]),
    ],
)
def test_every_sort_of_method(scaffold, workspace, engine, method, expected):
    result = scaffold("device-patch", f"{engine}.{method}", "--vendor", "camb")
    assert result.code == 0, result.err
    text = read(workspace, "__init__.py")
    for line in expected:
        assert line in text
    compiles({"x.py": text.encode()})


def test_annotations_bring_their_imports(scaffold, workspace, engine):
    assert scaffold("device-patch", f"{engine}.build", "--vendor", "camb").code == 0
    assert "    from lmdeploy.pytorch.config import CacheConfig\n" in read(workspace, "__init__.py")
    assert scaffold("device-patch", f"{engine}.swap", "--vendor", "camb").code == 0
    text = read(workspace, "__init__.py")
    assert "ids: torch.Tensor,\n" in text
    assert 'key: "Secret" = None,\n' in text, "a quoted annotation is not evaluated"


def test_the_signature_binds_against_lmdeploys_calls(scaffold, workspace, engine):
    for method, calls in (("build", "1 call "), ("align", "1 call "), ("swap", "1 call ")):
        result = scaffold("device-patch", f"{engine}.{method}", "--vendor", "maca", "--dry-run")
        assert f"binds against {calls}that lmdeploy's own code makes" in result.out


def test_it_does_what_lmdeploy_did_until_it_is_changed(scaffold, workspace, engine):
    """The generated function is run: classmethod, static method, property and coroutine all still work."""
    import asyncio
    import sys
    from types import ModuleType

    for method in ("build", "align", "size", "swap"):
        assert scaffold("device-patch", f"{engine}.{method}", "--vendor", "camb").code == 0
    tree = ast.parse(read(workspace, "__init__.py"))
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("patch_camb")]

    class Engine:
        def __init__(self, config, device):
            self.made = (config, device)

        @classmethod
        def build(cls, config, *, device="cpu", **kwargs):
            return cls(config, device)

        @staticmethod
        def align(size, to=4):
            return size + to

        @property
        def size(self):
            return 7

        async def swap(self, ids, *more, key=None):
            return ids, more, key

    modules = {
        name: ModuleType(name)
        for name in (
            "torch",
            "lmdeploy",
            "lmdeploy.pytorch",
            "lmdeploy.pytorch.config",
            "lmdeploy.pytorch.engine",
            "lmdeploy.pytorch.engine.patched",
        )
    }
    modules["lmdeploy.pytorch.engine.patched"].Engine = Engine
    modules["lmdeploy.pytorch.config"].CacheConfig = modules["torch"].Tensor = object
    with pytest.MonkeyPatch.context() as patch:
        for name, module in modules.items():
            patch.setitem(sys.modules, name, module)
        scope = {}
        exec(compile(ast.Module(functions, []), "patches", "exec"), scope)
        for function in functions:
            scope[function.name]()

    class Child(Engine):
        pass

    child = Child.build(1, device="npu")
    assert type(child) is Child and child.made == (1, "npu")
    assert Engine.align(1) == 5 and child.size == 7
    assert asyncio.run(child.swap(1, 2, key=3)) == (1, (2,), 3)


def test_who_copied_the_name(scaffold):
    result = scaffold("device-patch", TARGETS["function"], "--vendor", "camb", "--dry-run")
    assert "was copied by `from … import` in" in result.out and "qwen3_next.py:" in result.out
    assert "scaffold device-patch lmdeploy.pytorch.models." in result.out


@pytest.mark.parametrize("target", ["gated_delta.build_rmsnorm_gated", "gated_delta.GatedDeltaMeta.__init__"])
def test_patched_already(scaffold, workspace, target):
    before = snapshot(workspace)
    result = scaffold("device-patch", target, "--vendor", "ascend")
    assert result.code == 2 and "patched" in result.err and "device/__init__.py:" in result.err
    assert snapshot(workspace) == before
    result = scaffold("device-patch", target, "--vendor", "ascend", "--stack")
    assert result.code == 0 and "is patched on ascend already" in result.out
    text = read(workspace, "__init__.py")
    entry = text[text.index("def vendor_device_init") :]
    assert entry.index("patch_gated_delta_net()") < entry.index("patch_ascend_")
    compiles(snapshot(workspace))
    assert scaffold("undo", target).code == 0 and snapshot(workspace) == before


def test_a_patch_of_another_vendor_is_no_hindrance(scaffold):
    assert scaffold("device-patch", "gated_delta.build_rmsnorm_gated", "--vendor", "camb", "--dry-run").code == 0


def test_stacked_on_what_all_vendors_get_it_is_applied_last(scaffold, workspace):
    init = workspace / DEVICE / "__init__.py"
    patch = "    from lmdeploy.pytorch.nn import gated_delta\n\n    gated_delta.CausalConv1d.forward = keep_eager\n"
    last = "    torch.compile = keep_eager\n"
    init.write_text(init.read_text().replace(last, last + patch))
    assert scaffold("device-patch", TARGETS["method"], "--vendor", "maca").code == 2
    assert scaffold("device-patch", TARGETS["method"], "--vendor", "maca", "--stack").code == 0
    text = init.read_text()
    assert text.index("    patch_compiled_func()") < text.index("        patch_maca_causal_conv1d_forward()")
    assert not (workspace / DEVICE / "maca.py").exists(), "modules are imported before the functions are called"


REFUSED = {
    "no such method": ("gated_delta.CausalConv1d.forwards", "`gated_delta.CausalConv1d.forward`"),
    "no such class": ("lmdeploy.pytorch.nn.gated_delta.GatedDelt", "GatedDelta"),
    "a module": ("lmdeploy.pytorch.nn.gated_delta", "name a function, class or method"),
    "no name": ("gated delta", "package.module.Class.method"),
    "code": ("os.system('x')", "package.module.Class.method"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refused(scaffold, workspace, case):
    target, reason = case
    before = snapshot(workspace)
    result = scaffold("device-patch", target, "--vendor", "camb")
    assert result.code == 2 and reason in result.err, result.err
    assert snapshot(workspace) == before


def test_ambiguous_names_are_listed(scaffold, workspace, engine):
    (workspace / ENGINE / "second.py").write_text(CODE)
    result = scaffold("device-patch", "Engine.build", "--vendor", "camb")
    assert result.code == 2 and "several things" in result.err
    assert "engine.patched.Engine.build" in result.err and "engine.second.Engine.build" in result.err
