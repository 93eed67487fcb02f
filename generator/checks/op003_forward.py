"""OP003: the call of layer 3 bound to the vendor's signature, slot by slot."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.bind import Bound, Misplaced, bind, is_tensor, misplaced
from generator.survey.calls import Call
from generator.survey.layers import Layers
from generator.survey.ops_layer import Op3
from generator.survey.vendor_layer import Op4

from .finding import NOTE, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_MACA = "dlinfer:dlinfer/vendor/maca/maca_ops.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"


def _op(params: str, args: str) -> str:
    return f'def f({params}):\n    return vendor_ops_registry["f"]({args})\n'


def _vendor(params: str) -> str:
    return f"@register_ops(vendor_ops_registry)\ndef f({params}):\n    pass\n"


@register
class Forward(Rule):
    """Layer 3 forwards by position, so the order of a vendor's parameters is the contract, and nothing raises when a
    value lands in the wrong one.

    The call that the op makes, seen through locals and argument tuples, is bound to each vendor's signature. It is an
    error if Python could not bind it, or if a value whose name the vendor has as a parameter lands in another one (with
    a default in between even the number of arguments fits), or if a tensor lands where a number is declared.

    Pure renames are notes: the forward is positional. So is a second form of the call under a condition that only some
    vendors ever meet, as long as another form binds.
    """

    id = "OP003"
    title = "the call of the ops layer binds to the vendor's signature by name"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/", "dlinfer:dlinfer/vendor/")
    VALID = (
        Case("same order", {_OPS: _op("a, b", "a, b"), _MACA: _vendor("a, b")}),
        Case("fewer values, the rest has defaults", {_OPS: _op("a, b", "a"), _MACA: _vendor("a, b=None")}),
        Case("an unknown tuple", {_OPS: _op("a, *r", "a, *r"), _MACA: _vendor("a, b")}),
    )
    INVALID = (
        Case(
            "a default in the middle takes the value",
            {_OPS: _op("x, k, meta", "x, k, meta"), _MACA: _vendor("x, k, renorm=False, meta=None")},
            ("error dlinfer/vendor/maca/maca_ops.py:2",),
            ("`meta` lands in `renorm`",),
        ),
        Case(
            "one vendor kept the old order",
            {
                _OPS: _op("h, gate, topk", "h, gate, topk"),
                _MACA: _vendor("h, gate, topk"),
                _CAMB: _vendor("h, topk, gate"),
            },
            ("error dlinfer/vendor/camb/camb_ops.py:2",),
        ),
        Case(
            "through a local and a tuple",
            {
                _OPS: 'def f(a, b):\n    g = vendor_ops_registry["f"]\n    args = (a, b)\n    return g(*args)\n',
                _MACA: _vendor("a"),
            },
            ("error dlinfer/vendor/maca/maca_ops.py:2",),
            ("takes 1 positional argument, 2 are given",),
        ),
        Case(
            "a tensor where a number is declared",
            {_OPS: _op("a: Tensor, n: int", "a, n"), _MACA: _vendor("n_: int, a_: Tensor")},
            ("error dlinfer/vendor/maca/maca_ops.py:2",),
        ),
        Case(
            "a rename",
            {_OPS: _op("x, dim", "x, dim"), _MACA: _vendor("y, dim")},
            ("note dlinfer/vendor/maca/maca_ops.py:2",),
        ),
        Case(
            "a guarded second form",
            {
                _OPS: 'def f(a, b=None):\n    g = vendor_ops_registry["f"]\n    if b is None:\n        return g(a)\n'
                "    return g(a, b)\n",
                _MACA: _vendor("a"),
            },
            ("note dlinfer/vendor/maca/maca_ops.py:2",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for op in picture.ops.values():
            for ops in picture.vendors.values():
                for target in {call.callee for call in op.forwards} & ops.keys():
                    yield from self._compare(op, ops[target], [c for c in op.forwards if c.callee == target])

    def _compare(self, op: Op3, target: Op4, calls: list[Call]) -> Iterator[Finding]:
        bounds = [(call, bind(call, target.signature)) for call in calls]
        some_bind = any(bound.problem is None for _, bound in bounds)
        for call, bound in bounds:
            if bound.problem:
                guarded = some_bind and len(calls) > 1
                yield self._rejects(op, target, call, bound.problem, guarded)
                continue
            wrong = misplaced(bound, target.signature)
            if wrong:
                yield self._lands(op, target, call, wrong)
            elif mixed := self._mixed(op, target, call, bound):
                yield mixed
            elif call is calls[0]:
                yield from self._renames(op, target, call, bound)

    def _rejects(self, op: Op3, target: Op4, call: Call, problem: str, guarded: bool) -> Finding:
        message = f"{target.vendor} cannot take the call of the ops layer: it {problem}"
        if guarded:
            message += "; the op has another form of the call that it can take"
        next = f"give `{target.name}` of {target.vendor} the parameters that dlinfer/ops forwards, in that order"
        return self._between(op, target, call, message, next, severity=NOTE if guarded else self.severity)

    def _lands(self, op: Op3, target: Op4, call: Call, wrong: list[Misplaced]) -> Finding:
        said = ", ".join(f"`{one.value}` lands in `{one.slot}`" for one in wrong)
        message = f"{said} on {target.vendor}, silently: the forward is positional"
        next = f"put the parameters of `{target.name}` in the order of the forward: ({call.args_text})"
        return self._between(op, target, call, message, next)

    def _mixed(self, op: Op3, target: Op4, call: Call, bound: Bound) -> Finding | None:
        kinds = {p.name: is_tensor(p) for p in op.signature.params}
        for param in target.signature.params:
            value = bound.slots.get(param.name, "")
            if kinds.get(value) is not None and is_tensor(param) is not None and kinds[value] != is_tensor(param):
                what = "a tensor" if kinds[value] else "no tensor"
                message = f"`{value}` is {what} and lands in `{param.name}: {param.annotation}` of {target.vendor}"
                next = f"put the parameters of `{target.name}` in the order of the forward: ({call.args_text})"
                return self._between(op, target, call, message, next)
        return None

    def _renames(self, op: Op3, target: Op4, call: Call, bound: Bound) -> Iterator[Finding]:
        names = [(text, slot) for slot, text in bound.slots.items() if text.isidentifier() and text != slot]
        if names:
            said = ", ".join(f"`{text}` is `{slot}`" for text, slot in names)
            next = "nothing: the forward is positional; one name on all layers reads better"
            yield self._between(op, target, call, f"on {target.vendor} {said}", next, severity=NOTE)

    def _between(self, op: Op3, target: Op4, call: Call, message: str, next: str, **more: str) -> Finding:
        return self.finding(
            Place("dlinfer", target.path, target.line),
            target.name,
            message,
            next,
            other=Place("dlinfer", op.path, call.line),
            here=f"{target.name}{target.signature}",
            there=f"{call.callee}({call.args_text})",
            vendors=(target.vendor,),
            op=op.name,
            **more,
        )
