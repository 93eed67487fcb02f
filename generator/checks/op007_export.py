"""OP007: `__all__`, as strict as its consumer is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.survey.layers import LAYER_2, Layers
from generator.survey.ops_layer import Op3
from generator.survey.symbols import Module
from generator.survey.syntax import all_names
from generator.survey.vendor_layer import Op4

from .at import vendors_of_path
from .finding import ERROR, NOTE, Finding, Place
from .remedy import Remedy
from .rule import Case, Rule, register

_OPS = "dlinfer:dlinfer/ops/llm.py"
_STAR = {"dlinfer:dlinfer/ops/__init__.py": "from .llm import *\n"}
_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
_F = 'def f(x):\n    return vendor_ops_registry["f"](x)\n'


@register
class Exports(Rule):
    """Where a forgotten name in `__all__` kills depends on the consumer. `dlinfer/ops/__init__.py` imports everything
    from `llm`: an op that is not in its `__all__` does not exist for lmdeploy, and a name in it that the file lacks
    stops the import. Vendor modules are imported for what their decorators do, and lmdeploy imports wrappers by name:
    there an omission is a note.

    `--fix` adds the missing name, in the list's own style.
    """

    id = "OP007"
    title = "`__all__` lists every op, where a star import needs it"
    needs = ()
    VALID = (
        Case("all listed", {_OPS: '__all__ = ["f"]\n' + _F, **_STAR}),
        Case("no list at all", {_OPS: _F, **_STAR}),
        Case("a helper need not be listed", {_OPS: '__all__ = ["f"]\n' + _F + "def helper():\n    pass\n", **_STAR}),
    )
    INVALID = (
        Case("an op under a star import", {_OPS: "__all__ = []\n" + _F, **_STAR}, ("error dlinfer/ops/llm.py:1",)),
        Case(
            "a name that is not there", {_OPS: '__all__ = ["f", "g"]\n' + _F, **_STAR}, ("error dlinfer/ops/llm.py:1",)
        ),
        Case(
            "a vendor's function",
            {_CAMB: '__all__ = ["f"]\n\n\ndef f():\n    pass\n\n\n@register_ops(r)\ndef g():\n    pass\n'},
            ("note dlinfer/vendor/camb/camb_ops.py:1",),
        ),
        Case(
            "a wrapper that is imported by its file",
            {
                "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/f.py": (
                    "import dlinfer.ops as o\n\n\ndef f(x):\n    o.f(x)\n"
                ),
                "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/__init__.py": "__all__ = []\n",
            },
            ("note lmdeploy/pytorch/kernels/dlinfer/__init__.py:1",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        starred = {star for module in picture.modules for star in module.stars}
        for module in picture.modules:
            yield from self._undefined(picture, module, module.reading.module in starred)
        by_file = {m.reading.path: m for m in picture.modules if m.reading.repo == "dlinfer"}
        for op in picture.ops.values():
            if not op.in_all and (op.forwards or op.qualname):
                severity = ERROR if by_file[op.path].reading.module in starred else NOTE
                yield self._omitted(picture, op, severity)
        for ops in picture.vendors.values():
            for op in ops.values():
                if not op.in_all:
                    yield self._omitted(picture, op, NOTE)
        yield from self._wrappers(picture)

    def _wrappers(self, picture: Layers) -> Iterator[Finding]:
        for wrapper in picture.wrappers.values():
            if wrapper.op_calls and not wrapper.exported and picture.exports.all_names is not None:
                message = f"`{wrapper.name}` is not exported by {LAYER_2}; who wants it imports it from its file"
                next = "nothing, or import it in the package's __init__.py and list it there"
                other = Place("lmdeploy", wrapper.path, wrapper.line)
                place = Place("lmdeploy", f"{LAYER_2}/__init__.py", picture.exports.all_line)
                yield self.finding(place, wrapper.name, message, next, severity=NOTE, other=other)

    def _omitted(self, picture: Layers, op: Op3 | Op4, severity: str) -> Finding:
        message = f"`{op.name}` is not in `__all__`"
        message += ": a star import does not bring it" if severity == ERROR else "; it is registered all the same"
        return self.finding(
            Place("dlinfer", op.path, picture.exports_line(op.path)),
            op.name,
            message,
            f'add "{op.name}" to `__all__`',
            severity=severity,
            other=Place("dlinfer", op.path, op.line),
            vendors=vendors_of_path(op.path),
            op=op.name,
            remedy=Remedy("dlinfer", op.path, "export", (("item", op.name),), op.name),
        )

    def _undefined(self, picture: Layers, module: Module, fatal: bool) -> Iterator[Finding]:
        listed = all_names(module.reading.tree) or {}
        for name, line in listed.items() if not module.dynamic and not _may_bind(module) else ():
            if not module.binds(name) and not picture.symbols.module(f"{module.reading.module}.{name}"):
                message = f"`__all__` lists `{name}`, which the file does not define"
                message += ": `import *` raises AttributeError" if fatal else ""
                place = Place(module.reading.repo, module.reading.path, line)
                severity = ERROR if fatal else NOTE
                yield self.finding(place, name, message, "define it, or take it out of the list", severity=severity)


def _may_bind(module: Module) -> Iterable[object]:
    """What may bind names that the file does not show: star imports, and writes to `globals()`."""
    return [*module.stars, *([module] if b"globals()" in module.reading.data else [])]
