"""OP008: builder branch, import target and `OpType` agree."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.dispatch import Branch, dispatcher_path
from generator.survey.layers import Layers

from .finding import WARNING, Finding, Place
from .rule import Case, Rule, register

_PATH = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/op_backend.py"
_BASE = {"lmdeploy:lmdeploy/pytorch/backends/base.py": "class OpType(Enum):\n    F = auto()\n    G = auto()\n"}
_F = {
    "lmdeploy:lmdeploy/pytorch/backends/dlinfer/f.py": (
        "class FBuilder:\n    @staticmethod\n    def build():\n        pass\n"
    )
}


def _dispatcher(member: str, module: str, builder: str) -> dict[str, str]:
    text = (
        "class B:\n    @classmethod\n    def get_layer_impl_builder(cls, t):\n"
        f"        if t == OpType.{member}:\n            from {module} import {builder}\n            return {builder}\n"
    )
    return {_PATH: text}


@register
class Dispatch(Rule):
    """A branch of `get_layer_impl_builder` imports its builder when it is taken, so a slip shows on the device only.

    Reported for the dlinfer and default backends: an `OpType` that has no such member, a module or class that is not
    there, a branch that returns no class with `build`, an `OpType` that two branches test. A builder of dlinfer that no
    branch returns is a warning: its op falls back to the default implementation without a word, or fails. An `OpType`
    that the `nn` layer asks for and only CUDA has is none: that is a gap of a model, not of a layer.
    """

    id = "OP008"
    title = "builder branch, import target and OpType agree"
    needs = ("lmdeploy",)
    reads = ("lmdeploy:lmdeploy/pytorch/backends/", "lmdeploy:lmdeploy/pytorch/nn/")
    VALID = (Case("they agree", {**_BASE, **_F, **_dispatcher("F", ".f", "FBuilder")}),)
    INVALID = (
        Case(
            "no such member",
            {**_BASE, **_F, **_dispatcher("H", ".f", "FBuilder")},
            ("error lmdeploy/pytorch/backends/dlinfer/op_backend.py:4",),
        ),
        Case(
            "no such module",
            {**_BASE, **_dispatcher("F", ".g", "FBuilder")},
            ("error lmdeploy/pytorch/backends/dlinfer/op_backend.py:4",),
        ),
        Case(
            "no such class, and one that nobody returns",
            {**_BASE, **_F, **_dispatcher("F", ".f", "GBuilder")},
            (
                "error lmdeploy/pytorch/backends/dlinfer/op_backend.py:4",
                "warning lmdeploy/pytorch/backends/dlinfer/f.py:1",
            ),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for backend in ("dlinfer", "default"):
            for branch in picture.dispatchers.get(backend, {}).values():
                yield from self._branch(picture, backend, branch)
        yield from self._unreturned(picture)

    def _branch(self, picture: Layers, backend: str, branch: Branch) -> Iterator[Finding]:
        place = Place("lmdeploy", dispatcher_path(backend), branch.line)
        subject = f"OpType.{branch.op_type}"
        if picture.op_types and branch.op_type not in picture.op_types:
            message = (
                f"`OpType` has no member `{branch.op_type}`: the comparison raises AttributeError for every op below"
            )
            yield self.finding(place, subject, message, "add the member to backends/base.py, or correct the name")
        if branch.builder and branch.module and not picture.symbols.offers(branch.module, branch.builder):
            message = f"{branch.module} has no `{branch.builder}`: the branch raises ImportError"
            yield self.finding(place, subject, message, "correct the import, or add the class there")
            return
        side = picture.sides.get(branch.op_type)
        if side and side.branch is branch and side.build is None:
            message = f"`{branch.builder}` has no `build`" if branch.builder else "the branch returns no class"
            yield self.finding(place, subject, message, "return the builder class", severity=WARNING)

    def _unreturned(self, picture: Layers) -> Iterator[Finding]:
        returned = {branch.builder for branch in picture.dispatchers.get("dlinfer", {}).values()}
        bases = {base.rpartition(".")[2] for cls in picture.impls.values() for base in cls.bases}
        for cls in picture.impls.values() if returned else ():
            builds = cls.name.endswith("Builder") and "build" in cls.methods
            if builds and cls.name not in returned and cls.name not in bases:
                message = f"no branch of the dlinfer dispatcher returns `{cls.name}`"
                next = f"add its branch to {dispatcher_path('dlinfer')}, or remove the class"
                more = {"severity": WARNING, "other": Place("lmdeploy", dispatcher_path("dlinfer"))}
                yield self.finding(Place("lmdeploy", cls.path, cls.line), cls.name, message, next, **more)
