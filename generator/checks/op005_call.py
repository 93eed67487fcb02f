"""OP005: calls within dlinfer, and of lmdeploy's layer 1 to layer 2."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.bind import Bound, Misplaced, bind, misplaced
from generator.survey.layers import LAYER_1, LAYER_2, Layers
from generator.survey.sites import Site

from .at import call_place, call_text, target_place, target_text, vendors_of_path
from .finding import ERROR, Finding
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_STAR = {"dlinfer:dlinfer/ops/__init__.py": "from .llm import *\n"}
_EXT = "dlinfer:dlinfer/framework/transformers_ext/m.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_NN = "lmdeploy:lmdeploy/pytorch/nn/g.py"
_DEVICE = "dlinfer:dlinfer/framework/lmdeploy_ext/device/camb.py"
_MODEL = (
    "class G:\n    def __call__(self, q, k, state):\n        pass\n\n\nclass M:\n"
    "    def __init__(self):\n        self.g = G()\n"
)


def _patch(call: str) -> str:
    return (
        f"from lmdeploy.pytorch.nn.g import M\n\n\ndef forward(self, q, k):\n"
        f"    return self.g({call})\n\n\nM.forward = forward\n"
    )


@register
class InternalCall(Rule):
    """Every other call whose callee is known: of dlinfer's framework code to the ops, of a vendor's functions to one
    another, of Impl classes to kernel wrappers. Followed are imports, locals that are bound once, `self.x` where a
    class sets it once, instances (`self.g(…)` is `G.__call__`), `super()`, constructors and dataclasses; in a function
    that a patch puts on a class of lmdeploy, `self` is that class.

    It is an error if Python could not bind the call, if it swaps two values whose names are parameters, or if an Impl
    passes a value to another parameter of a wrapper than the one of its name.
    """

    id = "OP005"
    title = "internal calls bind to what they call"
    VALID = (
        Case(
            "a call that fits",
            {_OPS: "def f(a, b):\n    pass\n", **_STAR, _EXT: "import dlinfer.ops as o\n\no.f(1, 2)\n"},
        ),
        Case("a name that is bound twice", {_CAMB: "def f(a):\n    pass\n\n\nf = other\n\n\ndef g():\n    f(1, 2)\n"}),
        Case("an instance", {_NN: _MODEL, _DEVICE: _patch("q, k, state=None")}),
        Case("an unknown decorator", {_CAMB: "@wrap_it\ndef f(a):\n    pass\n\n\nf(1, 2)\n"}),
        Case("a string that holds code", {_CAMB: 'def f(a):\n    pass\n\n\n"""\nf(1, 2)\n"""\n'}),
    )
    INVALID = (
        Case(
            "framework code",
            {
                _OPS: "def f(a, b):\n    pass\n",
                **_STAR,
                _EXT: "import dlinfer.ops as o\n\n\ndef g(x):\n    return o.f(x)\n",
            },
            ("error dlinfer/framework/transformers_ext/m.py:5",),
            ("`b`",),
        ),
        Case(
            "within one vendor",
            {_CAMB: "def f(a, b, c):\n    pass\n\n\ndef g(x):\n    return f(x, x)\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:6",),
        ),
        Case(
            "an instance of lmdeploy in a patch",
            {_NN: _MODEL, _DEVICE: _patch("q, k")},
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:5",),
            ("`state`",),
        ),
        Case(
            "two values swapped",
            {_CAMB: "def f(a, b):\n    pass\n\n\ndef g(a, b):\n    return f(b, a)\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:6",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for site in picture.sites:
            if site.repo == "lmdeploy" and site.path.startswith(LAYER_2) and site.target_repo == "dlinfer":
                continue
            bound = bind(site.call, site.signature)
            if bound.problem:
                yield self._finding(site, f"`{site.name}` {bound.problem}")
            elif wrong := _wrong(site, bound):
                said = ", ".join(f"`{one.value}` lands in `{one.slot}`" for one in wrong)
                yield self._finding(site, f"{said} of `{site.name}`")

    def _finding(self, site: Site, message: str) -> Finding:
        return self.finding(
            call_place(site),
            site.name,
            message,
            f"pass what {site.target_repo}/{site.target_path}:{site.target_line} declares",
            severity=ERROR,
            other=target_place(site),
            here=call_text(site),
            there=target_text(site),
            vendors=vendors_of_path(site.path),
            op=site.name if site.target_path.startswith("dlinfer/ops/") else None,
        )


def _wrong(site: Site, bound: Bound) -> list[Misplaced]:
    """Between layers every value in another's place; elsewhere only two that change places."""
    layers = site.path.startswith(LAYER_1) and site.target_path.startswith(LAYER_2)
    to_ops = site.target_path.startswith("dlinfer/ops/")
    found = misplaced(bound, site.signature, loose=layers or to_ops)
    if layers or to_ops:
        return found
    pairs = {(one.slot, one.home) for one in found}
    return [one for one in found if (one.home, one.slot) in pairs]
