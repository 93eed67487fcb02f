"""OP010: the abstract function of a custom op."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.abstract import AbstractUse, read_abstract
from generator.survey.layers import Layers
from generator.survey.ops_layer import Op3

from .finding import NOTE, WARNING, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"


def _file(abstract: str, given: str, params: str = "x") -> dict[str, str]:
    return {
        _OPS: (
            f'{abstract}\n\n@register_custom_op("dlinfer::f", {given})\ndef f({params}):\n'
            f'    return vendor_ops_registry["f"](x)\n'
        )
    }


_GOOD = "def fa(x):\n    return x.new_empty(x.shape)\n"


@register
class AbstractFunction(Rule):
    """In graph mode torch runs an op's abstract function to learn shape, dtype and device of the result.

    Reported: a custom op with neither shape keys nor an abstract function (an assertion at import), a shape key that is
    no parameter (ValueError at the first call), an abstract function that makes its result on the default device
    (`torch.empty(shape)` instead of `x.new_empty(shape)`: a CPU tensor in the graph), and one that is not defined. That
    its parameters are called or counted differently is a note while graph capture does not trace it; so are shape keys
    beside an abstract function, which are ignored, and an abstract function that no op uses.
    """

    id = "OP010"
    title = "a custom op has an abstract function with its parameters and device"
    severity = "error"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/",)
    VALID = (
        Case("the same parameters", _file(_GOOD, "impl_abstract_func=fa")),
        Case("shape keys", _file("", '["x"]')),
        Case(
            "a device is given",
            _file("def fa(x):\n    return torch.empty(1, device=x.device)\n", "impl_abstract_func=fa"),
        ),
    )
    INVALID = (
        Case("neither of both", _file("", "default_value={}"), ("error dlinfer/ops/llm.py:4",)),
        Case("a key that is no parameter", _file("", '["y"]'), ("error dlinfer/ops/llm.py:4",)),
        Case(
            "a CPU tensor",
            _file("def fa(x):\n    return torch.empty(x.shape, dtype=x.dtype)\n", "impl_abstract_func=fa"),
            ("error dlinfer/ops/llm.py:2",),
            ("x.new_empty",),
        ),
        Case("other names", _file(_GOOD.replace("x", "y"), "impl_abstract_func=fa"), ("note dlinfer/ops/llm.py:1",)),
        Case("not defined", _file("", "impl_abstract_func=fb"), ("error dlinfer/ops/llm.py:4",)),
        Case(
            "used by no op",
            {_OPS: "def f_abstract_func(x):\n    vendor_ops_registry\n"},
            ("note dlinfer/ops/llm.py:1",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        if picture.dlinfer is None:
            return
        found = read_abstract(picture.dlinfer)
        for op in picture.ops.values():
            if op.qualname and not op.abstract:
                yield from self._shape_keys(op)
            elif op.qualname:
                yield from self._declared(op, found.get((op.path, op.abstract)))
        used = {(op.path, op.abstract) for op in picture.ops.values()}
        for (path, name), abstract in found.items():
            if name.endswith("abstract_func") and (path, name) not in used:
                message = f"no op uses `{name}`"
                yield self._note(path, abstract.line, name, message, "use it, or remove it")

    def _shape_keys(self, op: Op3) -> Iterator[Finding]:
        place = Place("dlinfer", op.path, op.line)
        if not op.shape_keys and op.form == "one":
            message = "the op has neither shape keys nor an abstract function: its import fails where graphs are on"
            yield self.finding(place, op.name, message, f'give the decorator ["{op.signature.names[0]}"]', op=op.name)
        for key in op.shape_keys:
            if key not in op.signature.names:
                message = f"the shape key `{key}` is no parameter of `{op.name}`"
                next = f"name one of {', '.join(op.signature.names)}"
                yield self.finding(place, op.name, message, next, here=str(op.signature), there=key, op=op.name)

    def _declared(self, op: Op3, abstract: AbstractUse | None) -> Iterator[Finding]:
        if abstract is None:
            message = f"the abstract function `{op.abstract}` is not defined in this file"
            yield self.finding(Place("dlinfer", op.path, op.line), op.name, message, "define or import it", op=op.name)
            return
        for line, text in abstract.on_default_device:
            message = f"`{op.abstract}` makes its result on the default device: {text}"
            next = f"write `{op.signature.names[0]}.new_empty(…)`, which takes device and dtype along"
            yield self.finding(Place("dlinfer", op.path, line), op.name, message, next, op=op.name)
        if op.shape_keys:
            message = f"the shape keys of `{op.name}` are ignored: it has an abstract function"
            yield self._note(op.path, op.line, op.name, message, "remove one of both")
        names = abstract.signature.names
        if names != op.signature.names:
            theirs = ", ".join(op.signature.names)
            message = f"`{op.abstract}` has the parameters ({', '.join(names)}), `{op.name}` ({theirs})"
            severity = NOTE if len(names) == len(op.signature.names) else WARNING
            more = {"severity": severity, "other": Place("dlinfer", op.path, op.line), "op": op.name}
            more |= {"here": f"{op.abstract}{abstract.signature}", "there": f"{op.name}{op.signature}"}
            place = Place("dlinfer", op.path, abstract.line)
            yield self.finding(place, op.name, message, "give both the same parameters", **more)

    def _note(self, path: str, line: int, name: str, message: str, next: str) -> Finding:
        return self.finding(Place("dlinfer", path, line), name, message, next, severity=NOTE)
