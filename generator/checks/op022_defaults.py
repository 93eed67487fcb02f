"""OP022: defaults that the decorator cannot carry."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.literals import carries
from generator.survey.ops_layer import Op3

from .finding import NOTE, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"


def _file(params: str, defaults: str) -> dict[str, str]:
    text = f'@register_custom_op("dlinfer::f", ["x"], default_value={{{defaults}}})\ndef f({params}):\n'
    return {_OPS: text + '    return vendor_ops_registry["f"](x)\n'}


@register
class Defaults(Rule):
    """`register_custom_op` writes the defaults of an op into a function text and runs it with an empty namespace, so a
    default must survive that: None, a flag, a number, a plain string, `tuple()`. `torch.int8` does not, and the import
    of dlinfer fails where graphs are on. It also fails where a parameter without a default follows one with a default.

    A default for something that is no parameter is ignored, which is a note.
    """

    id = "OP022"
    title = "the defaults of an op survive the decorator"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/",)
    VALID = (Case("plain values", _file("x, a, b, c", '"a": None, "b": tuple(), "c": -1')),)
    INVALID = (
        Case("a dtype", _file("x, a", '"a": torch.int8'), ("error dlinfer/ops/llm.py:2",), ("torch.int8",)),
        Case("a quote in a string", _file("x, a", '"a": "it\'s"'), ("error dlinfer/ops/llm.py:2",)),
        Case("one without behind one with", _file("x, a, b", '"a": 1'), ("error dlinfer/ops/llm.py:2",), ("`b`",)),
        Case("no such parameter", _file("x", '"a": 1'), ("note dlinfer/ops/llm.py:2",)),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for op in picture.ops.values():
            place = Place("dlinfer", op.path, op.line)
            for name, text in op.default_value.items():
                if name not in op.signature.names:
                    message = f"the default of `{name}` is ignored: `{op.name}` has no such parameter"
                    yield self.finding(
                        place, op.name, message, "remove it, or correct the name", severity=NOTE, op=op.name
                    )
                elif not carries(text):
                    message = f"the decorator cannot carry the default `{name}={text}`: importing dlinfer.ops fails"
                    yield self.finding(
                        place, op.name, message, "use None, and decide in the vendor's function", op=op.name
                    )
            if late := _without(op):
                message = f"`{late}` has no default and follows a parameter that has one: importing dlinfer.ops fails"
                yield self.finding(place, op.name, message, f'add "{late}" to default_value', op=op.name)


def _without(op: Op3) -> str | None:
    """The first parameter without a default behind one with a default."""
    seen = False
    for param in op.signature.params if op.default_value else ():
        has = param.default is not None or param.name in op.default_value
        if seen and not has:
            return param.name
        seen = seen or has
    return None
