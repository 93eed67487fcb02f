"""OP006: builders and Impl classes accept what the `nn` layer passes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.survey.backend_calls import BackendCall
from generator.survey.backend_side import Side
from generator.survey.bind import Bound, bind, misplaced
from generator.survey.callables import signature_for
from generator.survey.classes import is_open, method, stored_names
from generator.survey.layers import Layers
from generator.survey.scope import Callee, Class
from generator.survey.signature import Signature

from .finding import NOTE, WARNING, Finding, Place
from .rule import Case, Rule, register

_BACKEND = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/op_backend.py"
_F = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/f.py"
_NN = "lmdeploy:lmdeploy/pytorch/nn/f.py"
_DISPATCH = (
    "class B:\n    @classmethod\n    def get_layer_impl_builder(cls, t):\n        if t == OpType.F:\n"
    "            from .f import FBuilder\n            return FBuilder\n"
)


def _nn(build: str, forward: str) -> str:
    return (
        "class F:\n    def __init__(self, a, b):\n        builder = get_backend().get_layer_impl_builder(OpType.F)\n"
        f"        self.impl = builder.build({build})\n\n    def forward(self, x, w):\n"
        f"        return self.impl.forward({forward})\n"
    )


def _files(build: str, forward: str, nn: str) -> dict[str, str]:
    text = (
        f"class FImpl:\n    def forward(self, {forward}):\n        pass\n\n\n"
        f"class FBuilder:\n    @staticmethod\n    def build({build}):\n        return FImpl()\n"
    )
    return {_BACKEND: _DISPATCH, _F: text, _NN: nn}


@register
class BuilderAccepts(Rule):
    """The `nn` layer asks the backend for the builder of an `OpType`, calls `build`, keeps the Impl in `self.impl`, and
    calls its methods, also from classes that inherit. Its authors think of CUDA: a keyword that they add reaches the
    dlinfer builder too.

    Every such call is bound to what a dlinfer device would run: dlinfer's branch, or the default backend's where
    dlinfer has none. A call that cannot bind, or a value that lands in another parameter, is an error; a method that
    the Impl lacks is a warning, since the abstract class raises for it or its path is CUDA's alone; a keyword that only
    `**kwargs` takes is a note. Where a builder makes one of several Impl classes, or a local holds one of several
    builders, a call must fit one of them, and each of them some call. A difference to the abstract class is none: what
    counts is the call.
    """

    id = "OP006"
    title = "builders and Impl classes accept what the nn layer passes"
    needs = ("lmdeploy",)
    reads = ("lmdeploy:lmdeploy/pytorch/backends/", "lmdeploy:lmdeploy/pytorch/nn/")
    VALID = (
        Case("they agree", _files("a, b=1", "x, w", _nn("a, b=b", "x, w"))),
        Case("other names by position", _files("weight, eps", "x, qweight", _nn("a, b", "x, w"))),
    )
    INVALID = (
        Case(
            "build lacks a keyword",
            _files("a", "x, w", _nn("a, b=b", "x, w")),
            ("error lmdeploy/pytorch/backends/dlinfer/f.py:8",),
            ("has no parameter `b`",),
        ),
        Case(
            "forward lacks a parameter",
            _files("a, b", "x", _nn("a, b", "x, w")),
            ("error lmdeploy/pytorch/backends/dlinfer/f.py:2",),
        ),
        Case(
            "forward has them swapped",
            _files("a, b", "w, x", _nn("a, b", "x, w")),
            ("error lmdeploy/pytorch/backends/dlinfer/f.py:2",),
        ),
        Case(
            "a keyword is swallowed",
            _files("a, **kwargs", "x, w", _nn("a, b=b", "x, w")),
            ("note lmdeploy/pytorch/backends/dlinfer/f.py:8",),
        ),
        Case(
            "a method that is not there",
            _files("a, b", "x, w", _nn("a, b", "x, w").replace("impl.forward(", "impl.run(")),
            ("warning lmdeploy/pytorch/backends/dlinfer/f.py:1",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        pairs = [pair for call in picture.backend_calls for pair in _pairs(call, picture.sides.get(call.op_type))]
        fits = {key for pair in pairs if pair.fits for key in _keys(pair)}
        for pair in pairs:
            if pair.fits:
                yield from self._remarks(pair)
            elif pair.callee is None:
                if pair.lacks:
                    yield self._lacks(pair.call, pair.impl)
            elif not fits.issuperset(_keys(pair)):
                yield self._finding(pair, f"`{pair.callee.name}` {pair.bound.problem}")

    def _remarks(self, pair: _Pair) -> Iterator[Finding]:
        if wrong := misplaced(pair.bound, pair.signature):
            said = ", ".join(f"`{one.value}` lands in `{one.slot}`" for one in wrong)
            yield self._finding(pair, f"{said} of `{pair.callee.name}`")
        elif pair.backend == "dlinfer" and pair.bound.swallowed:
            names = ", ".join(f"`{name}`" for name in pair.bound.swallowed)
            yield self._finding(pair, f"only `**kwargs` of `{pair.callee.name}` takes {names}", severity=NOTE)

    def _lacks(self, call: BackendCall, impl: Class) -> Finding:
        place = Place("lmdeploy", impl.scope.module.reading.path, impl.node.lineno)
        message = f"`{impl.name}` has no `{call.method}`, which the nn layer calls for OpType.{call.op_type}"
        next = f"add `{call.method}` with the parameters of the call, or make sure that its path is never taken"
        other = Place("lmdeploy", call.path, call.line)
        return self.finding(place, f"OpType.{call.op_type}", message, next, severity=WARNING, other=other)

    def _finding(self, pair: _Pair, message: str, **more: str) -> Finding:
        call, callee = pair.call, pair.callee
        return self.finding(
            Place("lmdeploy", callee.scope.module.reading.path, callee.node.lineno),
            f"OpType.{call.op_type}",
            message,
            f"give `{callee.name}` the parameters that {call.path}:{call.line} passes",
            other=Place("lmdeploy", call.path, call.line),
            here=f"{callee.node.name}{pair.signature}",
            there=f"{call.call.callee}({call.call.args_text})",
            **more,
        )


@dataclass(frozen=True, eq=False)
class _Pair:
    """A call, and one method that may be what it reaches; several Impl classes of one builder are alternatives."""

    call: BackendCall
    backend: str
    callee: Callee | None
    signature: Signature | None = None
    bound: Bound | None = None
    impl: Class | None = None
    lacks: bool = False

    @property
    def fits(self) -> bool:
        return self.bound is not None and self.bound.problem is None


def _keys(pair: _Pair) -> set[tuple]:
    """What some pair must fit: for `build` the call and the builder, else the call with its `OpType`."""
    place = (pair.call.path, pair.call.line)
    if pair.call.method == "build":
        return {place, (pair.callee.node,)}
    return {(*place, pair.call.op_type)}


def _pairs(call: BackendCall, side: Side | None) -> Iterator[_Pair]:
    if side is None or side.builder is None:
        return
    if call.method == "build":
        if side.build:
            yield from _bound(call, side, side.build)
        return
    for impl in side.impls:
        found = method(impl, call.method)
        if found:
            yield from _bound(call, side, found)
        elif call.method not in stored_names(impl):
            yield _Pair(call, side.backend, None, impl=impl, lacks=not is_open(impl))


def _bound(call: BackendCall, side: Side, callee: Callee) -> Iterator[_Pair]:
    signature = signature_for(callee)
    if signature is not None:
        yield _Pair(call, side.backend, callee, signature, bind(call.call, signature))
