"""Native calls are bound by name, and never invented."""

import pytest

from generator.errors import ScaffoldError
from generator.native.call import bind_call, bind_document
from generator.spec.op import OpSpec
from generator.spec.vendor import VENDORS

ASCEND, CAMB = VENDORS["ascend"], VENDORS["camb"]
SPEC = OpSpec.parse("op(x: Tensor, weight: Tensor, epsilon: float) -> Tensor")


@pytest.mark.parametrize(
    ("vendor", "text", "call"),
    [
        (ASCEND, "torch.ops.npu.npu_f(x, weight, epsilon)[0]", "torch.ops.npu.npu_f(x, weight, epsilon)[0]"),
        (CAMB, "tmo.f", "tmo.f(x=x, weight=weight, epsilon=epsilon)"),
        (CAMB, "torch_mlu_ops.f", "tmo.f(x=x, weight=weight, epsilon=epsilon)"),
        (
            ASCEND,
            "npu_f(Tensor x, Tensor weight, float epsilon=1e-6) -> Tensor",
            "torch.ops.npu.npu_f(x, weight, epsilon)",
        ),
        (ASCEND, "npu_f(Tensor x, *, Tensor weight) -> (Tensor, Tensor)", "torch.ops.npu.npu_f(x, weight=weight)[0]"),
        (
            ASCEND,
            "npu_f(Tensor x, int[]? k=None, Tensor? weight=None) -> Tensor",
            "torch.ops.npu.npu_f(x, weight=weight)",
        ),
        (CAMB, "tmo.f(Tensor x, Tensor(a!) weight) -> Tensor", "tmo.f(x, weight)"),
    ],
)
def test_bound(vendor, text, call):
    assert bind_call(text, SPEC, vendor) == call


@pytest.mark.parametrize(
    ("vendor", "text", "says"),
    [
        (ASCEND, "npu_f(Tensor self, Tensor gamma) -> Tensor", "npu_f needs `input`, `gamma`"),
        (CAMB, "f(Tensor x) -> Tensor", "does not say where Cambricon MLU keeps it"),
        (ASCEND, "npu_f(Tensor x) -> ()", "returns 0 value(s)"),
        (ASCEND, "lambda: 1", "more than a call"),
        (ASCEND, "__import__('os').system('x')", "more than a call"),
        (ASCEND, "[i for i in x]", "more than a call"),
        (ASCEND, "f(", "no Python expression"),
        (ASCEND, "1 + 2", "calls nothing"),
        (ASCEND, "a -> b", "neither a native call nor an op schema"),
    ],
)
def test_refused(vendor, text, says):
    with pytest.raises(ScaffoldError) as caught:
        bind_call(text, SPEC, vendor)
    assert says in caught.value.what


def test_the_prototype_in_a_document():
    prototype = "torch_npu.npu_op(x, weight,\n    epsilon=1e-06) -> (Tensor, Tensor)"
    text = f"# f\n\n## Prototype\n```\n{prototype}\n```\nsome prose (with a bracket)\n"
    assert bind_document(text, "f.md", SPEC, ASCEND) == "torch.ops.npu.npu_op(x, weight, epsilon)[0]"


@pytest.mark.parametrize("text", ["", "prose", "a(b) -> c and then d(e) -> f"])
def test_a_document_without_the_op(text):
    with pytest.raises(ScaffoldError):
        bind_document(text, "f.md", SPEC, ASCEND)
