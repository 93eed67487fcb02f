"""What each layer is read to be, on the small workspace."""

import pytest

from generator.spec.vendor import VENDORS
from generator.survey.dispatch import read_dispatcher, read_op_types
from generator.survey.impls import read_backend_classes
from generator.survey.kernels import read_kernels
from generator.survey.nn_layer import read_nn
from generator.survey.ops_layer import read_ops
from generator.survey.vendor_layer import read_vendor_ops
from generator.survey.wrapper_layer import read_exports, read_wrappers

from . import world


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return world.build(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def dlinfer(workspace):
    return workspace["dlinfer"]


@pytest.fixture(scope="module")
def lmdeploy(workspace):
    return workspace["lmdeploy"]


class TestLayer3:
    def test_ops_in_source_order_without_ghosts_and_helpers(self, dlinfer):
        ops = read_ops(dlinfer)
        assert list(ops) == ["swap_halves", "weigh_rows", "hidden_turn", "turn_over"]
        assert ops.unreadable == []

    def test_the_decorator_with_shape_keys(self, dlinfer):
        op = read_ops(dlinfer)["swap_halves"]
        assert (op.form, op.qualname, op.shape_keys, op.abstract) == ("one", "dlinfer::swap_halves", ("x",), None)
        assert (op.path, op.line, op.docstring) == ("dlinfer/ops/llm.py", 13, "Swap the halves of a tensor.")
        assert str(op.signature) == "(x: Tensor, dim: int) -> Tensor"

    def test_defaults_are_kept_as_they_are_written(self, dlinfer):
        op = read_ops(dlinfer)["weigh_rows"]
        assert op.default_value == {"scale": "None", "group": '""', "sizes": "tuple()"}
        assert op.abstract == "weigh_rows_impl_abstract_func"
        assert op.abstract_signature.names == ("x", "weight")
        assert op.signature.returns == "Tuple[Tensor, Tensor]"
        [forward] = op.forwards
        assert (forward.callee, forward.args, forward.keywords) == (
            "weigh_rows",
            ("x", "weight", "scale"),
            (("group", "group"),),
        )

    def test_a_forward_through_a_local_and_a_tuple(self, dlinfer):
        op = read_ops(dlinfer)["hidden_turn"]
        assert [(c.callee, c.args) for c in op.forwards] == [
            ("hidden_turn", ("x", "topk")),
            ("hidden_turn", ("x", "topk", "layout")),
        ]
        assert (op.form, op.in_all) == ("plain", False)

    def test_a_name_in_all_that_forwards_nothing(self, dlinfer):
        assert read_ops(dlinfer)["turn_over"].forwards == ()

    def test_the_form_with_two_decorators(self, tmp_path):
        text = (
            '@register_custom_op_default_value({"scale": None})\n'
            '@register_custom_op("dlinfer::x", ("a", "b"))\ndef x(a, b, scale):\n'
            '    return vendor_ops_registry["x"](a, b, scale)\n'
            '@register_custom_op_default_value({"scale": bool})\ndef y(scale):\n'
            "    return vendor_ops_registry['y'](scale)\n"
        )
        root = world.write(tmp_path, {"dlinfer/ops/llm.py": text})
        ops = read_ops(world.checkout("dlinfer", root))
        assert (ops["x"].form, ops["x"].shape_keys, ops["x"].default_value) == ("two", ("a", "b"), {"scale": "None"})
        assert (ops["y"].form, ops["y"].qualname, ops["y"].default_value) == ("two", None, {"scale": "bool"})


class TestLayer4:
    def test_registered_functions_without_ghosts(self, dlinfer):
        ops = read_vendor_ops(dlinfer, VENDORS["ascend"])
        assert {n: (o.line, o.in_all, o.is_stub) for n, o in ops.items()} == {
            "swap_halves": (9, True, False),
            "hidden_turn": (22, False, True),
        }

    def test_native_calls_and_the_others(self, dlinfer):
        op = read_vendor_ops(dlinfer, VENDORS["ascend"])["swap_halves"]
        assert [(c.callee, c.args_text, c.line) for c in op.native_calls] == [
            ("torch.ops.npu.npu_swap", "x.contiguous(), dim=dim", 10),
            ("torch.ops.atb._npu_view", "out", 11),
        ]
        assert "x.contiguous" in [c.callee for c in op.calls]

    def test_native_calls_under_any_import_and_a_dotted_decorator(self, dlinfer):
        ops = read_vendor_ops(dlinfer, VENDORS["camb"])
        assert list(ops) == ["swap_halves"]
        assert [c.callee for c in ops["swap_halves"].native_calls] == ["tmo.swap", "torch_mlu_ops.rows", "act"]
        assert ops["swap_halves"].in_all

    def test_a_vendor_that_is_not_there(self, dlinfer):
        assert read_vendor_ops(dlinfer, VENDORS["maca"]) == {}

    def test_other_files_of_the_vendor_count_after_its_own(self, tmp_path):
        text = "@register_ops(r)\ndef {0}(x):\n    return {1}\n"
        files = {
            "dlinfer/vendor/camb/a.py": text.format("both", "0") + text.format("other", "0"),
            "dlinfer/vendor/camb/camb_ops.py": text.format("both", "1"),
        }
        ops = read_vendor_ops(world.checkout("dlinfer", world.write(tmp_path, files)), VENDORS["camb"])
        assert {n: o.path.rpartition("/")[2] for n, o in ops.items()} == {"both": "camb_ops.py", "other": "a.py"}


class TestLayer2:
    def test_wrappers_their_ops_and_each_other(self, lmdeploy):
        wrappers = read_wrappers(lmdeploy)
        assert {n: ([c.callee for c in w.op_calls], w.wrapper_calls) for n, w in wrappers.items()} == {
            "inner_swap": (["swap_halves"], ()),
            "swap_rows": ([], ("inner_swap",)),
            "weigh": (["weigh_rows"], ()),
        }
        assert wrappers["weigh"].op_calls[0].args_text == "x, weight, scale=None"

    def test_exports(self, lmdeploy):
        wrappers = read_wrappers(lmdeploy)
        assert [n for n, w in wrappers.items() if w.exported] == ["swap_rows"]
        assert [n for n, w in wrappers.items() if w.in_all] == ["swap_rows"]
        exports = read_exports(lmdeploy)
        assert exports.imports["per_row"].target == "lmdeploy.pytorch.kernels.default.per_row"
        assert list(exports.all_names) == ["swap_rows", "per_row"]

    @pytest.mark.parametrize(
        "head, call",
        [
            ("import dlinfer.ops as ext_ops", "ext_ops.swap_halves(x)"),
            ("import dlinfer.ops", "dlinfer.ops.swap_halves(x)"),
            ("from dlinfer import ops", "ops.swap_halves(x)"),
            ("from dlinfer.ops import swap_halves as s", "s(x)"),
            ("from dlinfer.ops.llm import swap_halves", "swap_halves(x)"),
            ("import dlinfer.ops as o", "[o.swap_halves(i) for i in x]"),
        ],
    )
    def test_an_op_under_any_import(self, tmp_path, head, call):
        path = "lmdeploy/pytorch/kernels/dlinfer/a.py"
        root = world.write(tmp_path, {path: f"{head}\ndef f(x):\n    return {call}\n"})
        [wrapper] = read_wrappers(world.checkout("lmdeploy", root)).values()
        assert [c.callee for c in wrapper.op_calls] == ["swap_halves"]

    def test_two_files_with_one_name(self, tmp_path):
        folder = "lmdeploy/pytorch/kernels/dlinfer"
        files = {f"{folder}/a.py": "def f(x): ...\n", f"{folder}/b.py": "def f(x, y): ...\n"}
        root = world.write(tmp_path, files | {f"{folder}/__init__.py": "from .b import f\n"})
        wrappers = read_wrappers(world.checkout("lmdeploy", root))
        assert wrappers["f"].path.endswith("b.py") and wrappers["a.f"].path.endswith("a.py")


class TestLayer1:
    def test_branches(self, lmdeploy):
        branches = read_dispatcher(lmdeploy, "dlinfer")
        folder = "lmdeploy/pytorch/backends/dlinfer"
        assert {n: (b.line, b.builder, b.file) for n, b in branches.items()} == {
            "SwapRows": (10, "DlinferSwapRowsBuilder", f"{folder}/rows.py"),
            "WeighRows": (13, "WeighBuilder", f"{folder}/package/inside.py"),
            "Last": (16, "ownlessBuilder", None),
            "HiddenTurn": (16, "ownlessBuilder", None),
        }
        assert branches["WeighRows"].module == "lmdeploy.pytorch.backends.dlinfer.package"

    def test_a_backend_that_is_not_there(self, lmdeploy):
        assert read_dispatcher(lmdeploy, "cuda") == {}

    def test_five_hundred_branches(self, tmp_path):
        head = "class B:\n    def get_layer_impl_builder(cls, layer_type):\n        if layer_type == OpType.Op0:\n"
        rest = "".join(
            f"        elif layer_type == OpType.Op{i}:\n            from .many import B{i}\n            return B{i}\n"
            for i in range(1, 500)
        )
        text = head + "            from .many import B0\n            return B0\n" + rest
        path = "lmdeploy/pytorch/backends/dlinfer/op_backend.py"
        branches = read_dispatcher(world.checkout("lmdeploy", world.write(tmp_path, {path: text})), "dlinfer")
        assert [b.builder for b in branches.values()] == [f"B{i}" for i in range(500)]

    def test_members_and_their_groups(self, lmdeploy):
        members = read_op_types(lmdeploy)
        assert {n: (m.line, m.group) for n, m in members.items()} == {
            "SwapRows": (6, None),
            "WeighRows": (7, None),
            "TurnOver": (12, "Turning"),
            "HiddenTurn": (13, "Turning"),
            "Last": (15, None),
        }

    def test_classes(self, lmdeploy):
        classes = read_backend_classes(lmdeploy, "dlinfer")
        impl = classes["DlinferSwapRowsImpl"]
        assert (impl.bases, impl.attributes, impl.kernels) == (("SwapRowsImpl",), ("dim", "swap_rows"), ("swap_rows",))
        assert impl.methods["forward"].reads == ("swap_rows", "dim")
        assert impl.methods["forward"].signature.without_self().names == ("x", "dim")
        assert classes["DlinferSwapRowsBuilder"].methods["build"].static
        assert not classes["DlinferSwapRowsBuilder"].methods["build"].abstract

    def test_kernels_through_a_function_of_the_file(self, lmdeploy):
        [call] = read_backend_classes(lmdeploy, "dlinfer")["WeighImpl"].kernel_calls
        assert (call.callee, call.args_text) == ("weigh", "x, weight, out=x")

    def test_abstract_classes_without_the_backends_below(self, lmdeploy):
        classes = read_backend_classes(lmdeploy, "")
        assert "DlinferSwapRowsImpl" not in classes
        assert classes["SwapRowsImpl"].methods["forward"].abstract
        assert classes["TurnOverImpl"].methods["forward"].abstract


class TestAround:
    def test_nn(self, lmdeploy):
        items = read_nn(lmdeploy)
        assert {n: (i.op_types, i.exported) for n, i in items.items()} == {
            "SwapRows": (("SwapRows", "Last"), True),
            "turn_over": (("TurnOver",), False),
        }
        assert items["turn_over"].signature.names == ("x",)

    def test_kernels_of_other_backends(self, lmdeploy):
        [kernel] = read_kernels(lmdeploy, "swap_halves").values()
        assert (kernel.name, kernel.line, kernel.signature.names) == ("swap_halves", 9, ("x", "dim", "out"))
