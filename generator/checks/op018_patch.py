"""OP018: a patch of dlinfer against what lmdeploy is today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from generator.survey.bind import bind, misplaced
from generator.survey.layers import Layers
from generator.survey.lost import lost_imports
from generator.survey.patch_calls import PatchCall, read_patch_calls
from generator.survey.patched import Patched
from generator.survey.patches import ROOT, return_sizes
from generator.survey.signature import Signature, signature_of

from .at import vendors_of_path
from .finding import ERROR, NOTE, Finding, Place
from .rule import Case, Rule, register

_ENGINE = "lmdeploy:lmdeploy/pytorch/engine/e.py"
_DEVICE = "dlinfer:dlinfer/framework/lmdeploy_ext/device/camb.py"


def _lmdeploy(method: str, call: str) -> dict[str, str]:
    return {
        _ENGINE: f"class E:\n    {method}\n        return 1, 2\n\n"
        f"    def run(self, a, b):\n        return self.{call}\n"
    }


def _patch(definition: str, returns: str = "1, 2") -> dict[str, str]:
    text = f"from lmdeploy.pytorch.engine.e import E\n\n\n{definition}\n    return {returns}\n\n\nE.f = f\n"
    return {_DEVICE: text}


@register
class Patch(Rule):
    """dlinfer replaces methods, functions and classes of lmdeploy when it is imported. lmdeploy changes every day and
    knows nothing of it.

    Reported: an import of lmdeploy that no longer resolves; a target that is gone (what is assigned is never called); a
    replacement that lmdeploy's own call cannot bind to, or that gets a value in another parameter than the one of its
    name; a method that lmdeploy calls and a replacing class lacks; a replacement that returns another number of values
    than the original. Calls from methods that the same vendor replaces as well do not count. Parameters that only the
    original has, and that no call passes, are notes. A patch under a condition is reported where it is assigned: the
    condition is there.
    """

    id = "OP018"
    title = "a patch fits what lmdeploy is today"
    # Nothing is patched in the layers that are dlinfer's own.
    reads = (
        "dlinfer:dlinfer/framework/",
        *(
            f"lmdeploy:lmdeploy/pytorch/{f}"
            for f in ("engine", "models", "nn", "spec_decode", "con", "backends/default")
        ),
        *(f"lmdeploy:lmdeploy/pytorch/{f}" for f in ("strategies", "model_inputs", "distributed", "disagg", "weight")),
        "lmdeploy:lmdeploy/lite/",
        "lmdeploy:lmdeploy/vl/",
        "lmdeploy:lmdeploy/utils.py",
    )
    VALID = (
        Case("the same signature", {**_lmdeploy("def f(self, a, b):", "f(a, b=b)"), **_patch("def f(self, a, b):")}),
        Case(
            "a class attribute",
            {_ENGINE: "class E:\n    n = 1\n", _DEVICE: "from lmdeploy.pytorch.engine.e import E\n\nE.n = 2\n"},
        ),
        Case("a name that another package has", {_DEVICE: "import lmdeploy_plugin\nfrom torch import nothing\n"}),
    )
    INVALID = (
        Case(
            "lmdeploy passes a keyword that the patch lacks",
            {**_lmdeploy("def f(self, a, b=1):", "f(a, b=b)"), **_patch("def f(self, a):")},
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:4",),
            ("has no parameter `b`", "engine/e.py:6"),
        ),
        Case(
            "another order",
            {**_lmdeploy("def f(self, a, b):", "f(a, b)"), **_patch("def f(self, b, a):")},
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:4",),
            ("gets `a` in `b`",),
        ),
        Case(
            "another number of values",
            {**_lmdeploy("def f(self, a, b):", "f(a, b)"), **_patch("def f(self, a, b):", "1, 2, 3")},
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:4",),
            ("returns 3 values",),
        ),
        Case(
            "the target is gone",
            {_ENGINE: "class E:\n    pass\n", **_patch("def f(self):")},
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:8",),
        ),
        Case(
            "the import no longer resolves",
            {_ENGINE: "class E:\n    pass\n", _DEVICE: "from lmdeploy.pytorch.engine.e import G\n"},
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:1",),
        ),
        Case(
            "a replacing class whose call differs",
            {
                _ENGINE: "class G:\n    def __call__(self, x, k):\n        pass\n\n\n"
                "class E:\n    def __init__(self):\n"
                "        self.g = G()\n\n    def run(self, x):\n        return self.g(x, k=1)\n",
                _DEVICE: "from lmdeploy.pytorch.engine import e\n\n\n"
                "class H:\n    def __call__(self, x):\n        pass\n\n\n"
                "e.G = H\n",
            },
            ("error dlinfer/framework/lmdeploy_ext/device/camb.py:5",),
        ),
        Case(
            "a parameter that no call passes",
            {**_lmdeploy("def f(self, a, b=1):", "f(a)"), **_patch("def f(self, a):")},
            ("note dlinfer/framework/lmdeploy_ext/device/camb.py:4",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        if picture.dlinfer is None or picture.lmdeploy is None:
            return
        yield from self._imports(picture)
        calls = read_patch_calls(picture)
        for patched in picture.patches:
            if patched.target is None:
                if patched.owner is not None and not patched.is_value and patched.patch.value_kind:
                    yield self._gone(patched)
            elif patched.patch.value_kind:
                yield from self._compare(patched, calls.get(id(patched), []))

    def _imports(self, picture: Layers) -> Iterator[Finding]:
        for path in picture.dlinfer.list(ROOT):
            for one in lost_imports(picture.symbols, picture.dlinfer.open(path), "lmdeploy"):
                message = f"lmdeploy has no `{one.module}.{one.name}` any more: ImportError when this line runs"
                found = picture.symbols.elsewhere(one.module, one.name)
                next = f"import `{one.name}` from {found}" if found else f"look where `{one.name}` went, and use that"
                module = picture.symbols.module(one.module)
                other = Place("lmdeploy", module.reading.path) if module else None
                more = {"vendors": vendors_of_path(path), "other": other}
                yield self.finding(Place("dlinfer", path, one.line), one.name, message, next, **more)

    def _gone(self, patched: Patched) -> Finding:
        patch = patched.patch
        message = f"lmdeploy has no `{patched.name}` any more: what is put there is never called"
        next = "patch what took its place, or remove the patch"
        return self.finding(
            Place("dlinfer", patch.path, patch.line), patched.name, message, next, vendors=patch.vendors
        )

    def _compare(self, patched: Patched, calls: list[PatchCall]) -> Iterator[Finding]:
        rejected: dict[tuple[str, int], list[tuple[PatchCall, str]]] = {}
        for call in calls:
            bound = bind(call.call, call.signature)
            wrong = misplaced(bound, call.signature) if bound.problem is None else []
            said = bound.problem or ", ".join(f"gets `{one.value}` in `{one.slot}`" for one in wrong)
            if said:
                rejected.setdefault((call.name, call.at), []).append((call, said))
        for hits in rejected.values():
            yield self._rejects(patched, hits)
        if patched.patch.value_kind == "function" and not isinstance(patched.target.node, ast.ClassDef):
            if not rejected:
                yield from self._drifted(patched)
            yield from self._returns(patched)

    def _rejects(self, patched: Patched, hits: list[tuple[PatchCall, str]]) -> Finding:
        call, said = hits[0]
        where = ", ".join(dict.fromkeys(f"{one.path}:{one.line}" for one, _ in hits))
        message = f"the replacement of `{call.name}` {said}, at lmdeploy's own call ({where})"
        path, line = (patched.patch.value_path, call.at)
        if patched.patch.condition:
            path, line = patched.patch.path, patched.patch.line
            message += f"; it is in place only if {patched.patch.condition}"
        return self.finding(
            Place("dlinfer", path, line),
            call.name,
            message,
            "give it the parameters of lmdeploy's own method",
            other=Place("lmdeploy", call.path, call.line),
            here=f"{call.name}{call.signature}",
            there=f"{call.call.callee}({call.call.args_text})",
            vendors=patched.patch.vendors,
        )

    def _drifted(self, patched: Patched) -> Iterator[Finding]:
        ours, theirs = patched.patch.signature, self._original(patched)
        taken = any(p.kind.startswith("*") for p in ours.params)
        lacking = [n for n in theirs.names if n not in ours.names and n not in ("self", "cls")] if not taken else []
        if lacking:
            names = ", ".join(f"`{name}`" for name in lacking)
            message = f"the replacement of `{patched.name}` lacks {names}; no call of lmdeploy passes it today"
            yield self._beside(patched, message, "add it, with lmdeploy's default", NOTE)

    def _returns(self, patched: Patched) -> Iterator[Finding]:
        ours = {n for n in patched.patch.returns if n > 1}
        theirs = {n for n in return_sizes(patched.target.node) if n > 1}
        if ours and theirs and not ours & theirs:
            message = (
                f"the replacement of `{patched.name}` returns {_sizes(ours)} values, lmdeploy's own {_sizes(theirs)}"
            )
            yield self._beside(patched, message, "return what lmdeploy's callers unpack", ERROR)

    def _beside(self, patched: Patched, message: str, next: str, severity: str) -> Finding:
        reading = patched.target.module.reading
        return self.finding(
            Place("dlinfer", patched.patch.value_path, patched.patch.value_line or patched.patch.line),
            patched.name,
            message,
            next,
            severity=severity,
            other=Place("lmdeploy", reading.path, patched.target.node.lineno),
            here=f"{patched.name}{patched.patch.signature}",
            there=f"{patched.name}{self._original(patched)}",
            vendors=patched.patch.vendors,
        )

    def _original(self, patched: Patched) -> Signature:
        return signature_of(patched.target.node, patched.target.module.reading.text)


def _sizes(numbers: set[int]) -> str:
    return " or ".join(map(str, sorted(numbers)))
