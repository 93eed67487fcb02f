"""OP001: the same key at layers 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.module_names import module_names_compared
from generator.survey.ops_layer import Op3

from .finding import NOTE, WARNING, Finding, Place
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_REGISTERED = "@register_ops(vendor_ops_registry)\ndef {}(x):\n    pass\n"


def _op(name: str, key: str, decorator: str = "") -> str:
    return f'{decorator}def {name}(x):\n    return vendor_ops_registry["{key}"](x)\n'


@register
class Key(Rule):
    """An op of dlinfer is found by one name: the function at layer 3, the key that it looks up, the `dlinfer::` name of
    its decorator, and the vendor's function, which `register_ops` files under its own name. A KeyError on the device
    is what a slip costs.

    A patch of transformers is found by the name of the module that the checkpoint's folder gives: a comparison with a
    whole name, folder and all, is a warning, since it fails for every other folder.

    Reported: a key that no vendor registers, or that is another op's; a `dlinfer::` name that is not the function's;
    and, as a warning, a function that a vendor registers under a name that no op looks up.
    """

    id = "OP001"
    title = "the op, its key, its `dlinfer::` name and the vendor's function have one name"
    needs = ("dlinfer",)
    reads = ("dlinfer:dlinfer/ops/", "dlinfer:dlinfer/vendor/", "dlinfer:dlinfer/framework/")
    VALID = (
        Case(
            "one name",
            {_OPS: _op("f", "f", '@register_custom_op("dlinfer::f", ["x"])\n'), _CAMB: _REGISTERED.format("f")},
        ),
        Case("no vendor at all", {_OPS: _op("f", "f")}),
    )
    INVALID = (
        Case(
            "a key that nobody registers",
            {_OPS: _op("f", "g"), _CAMB: _REGISTERED.format("f")},
            ("error dlinfer/ops/llm.py:2", "warning dlinfer/vendor/camb/camb_ops.py:2"),
            ("`g`",),
        ),
        Case(
            "the folder of a checkpoint",
            {
                "dlinfer:dlinfer/framework/p.py": (
                    'def f(m):\n    return m.__name__ == "transformers_modules.a-7b.modeling_a"\n'
                )
            },
            ("warning dlinfer/framework/p.py:2",),
            ('endswith(".modeling_a")',),
        ),
        Case(
            "another op's key",
            {_OPS: _op("f", "g") + _op("g", "g"), _CAMB: _REGISTERED.format("g")},
            ("error dlinfer/ops/llm.py:2",),
        ),
        Case(
            "another qualified name",
            {_OPS: _op("f", "f", '@register_custom_op("dlinfer::ff", ["x"])\n'), _CAMB: _REGISTERED.format("f")},
            ("error dlinfer/ops/llm.py:2",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for path, line, text in module_names_compared(picture.dlinfer):
            message = f"the module is told by its whole name {text}, the folder of a checkpoint in it"
            next = f'compare its end: module.__name__.endswith(".{text.rpartition(".")[2]}")'
            yield self.finding(Place("dlinfer", path, line), text, message, next, severity=WARNING)
        registered = {name for ops in picture.vendors.values() for name in ops}
        for op in picture.ops.values():
            yield from self._qualname(op)
            for call in op.forwards:
                if call.callee != op.name:
                    yield self._key(op, call.callee, call.line, call.callee in registered)
                elif registered and call.callee not in registered:
                    message = f"no vendor registers `{op.name}`: the op raises KeyError everywhere"
                    next = "register it in a vendor, or remove the op"
                    yield self.finding(Place("dlinfer", op.path, call.line), op.name, message, next, op=op.name)
        looked_up = {call.callee for op in picture.ops.values() for call in op.forwards}
        for vendor, ops in picture.vendors.items() if looked_up else ():
            for target in ops.values():
                if target.name not in looked_up:
                    message = f"{vendor} registers `{target.name}`, which no op of dlinfer/ops looks up"
                    next = "give it the name of the op that it implements, or add the op to dlinfer/ops/llm.py"
                    place = Place("dlinfer", target.path, target.line)
                    severity = NOTE if target.is_stub else WARNING
                    yield self.finding(place, target.name, message, next, severity=severity, vendors=(vendor,))

    def _key(self, op: Op3, key: str, line: int, known: bool) -> Finding:
        message = f"`{op.name}` looks up the key `{key}`, " + ("another op's" if known else "which no vendor registers")
        next = f'look up vendor_ops_registry["{op.name}"]'
        return self.finding(Place("dlinfer", op.path, line), op.name, message, next, op=op.name)

    def _qualname(self, op: Op3) -> Iterator[Finding]:
        if op.qualname and op.qualname.rpartition("::")[2] != op.name:
            message = f"the decorator calls `{op.name}` `{op.qualname}`"
            next = f'write "{op.qualname.rpartition("::")[0] or "dlinfer"}::{op.name}"'
            yield self.finding(Place("dlinfer", op.path, op.line), op.name, message, next, op=op.name)
