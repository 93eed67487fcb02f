"""OP023: an import within the two repositories that no longer resolves."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import Layers
from generator.survey.lost import Lost, lost_attributes, lost_imports
from generator.survey.patches import ROOT

from .at import vendors_of_path
from .finding import ERROR, NOTE, WARNING, Finding, Place
from .rule import Case, Rule, register

_A = "dlinfer:dlinfer/vendor/camb/a.py"
_B = "dlinfer:dlinfer/vendor/camb/b.py"
_L1 = "lmdeploy:lmdeploy/pytorch/backends/dlinfer/f.py"
_L2 = "lmdeploy:lmdeploy/pytorch/kernels/dlinfer/__init__.py"


@register
class Imports(Rule):
    """Every import of something in lmdeploy or dlinfer, in dlinfer and in lmdeploy's layers 1 and 2, is looked up: the
    module, and the name in it, through re-exports and star imports. A wrapper that `kernels/dlinfer/__init__.py` no
    longer imports is found here, at the Impl that needs it. So is an attribute of an imported module of the two
    repositories that this module does not have.

    In a file that nothing imports it is a warning; inside `try` or under TYPE_CHECKING a note. What dlinfer's patches
    take from lmdeploy is OP018's.
    """

    id = "OP023"
    title = "every import within the two repositories resolves"
    needs = ()
    VALID = (
        Case("there", {_A: "from .b import f\n", _B: "def f():\n    pass\n"}),
        Case(
            "through a star",
            {_A: "from .b import *\n", _B: "f = 1\n", _B.replace("b.py", "c.py"): "from .a import f\n"},
        ),
        Case("another package", {_A: "from torch_mlu_ops import f\n"}),
        Case("a submodule", {_A: "from . import b\n", _B: "", _A.replace("a.py", "__init__.py"): ""}),
    )
    INVALID = (
        Case(
            "a wrapper that is not exported",
            {
                _L1: "from lmdeploy.pytorch.kernels.dlinfer import f\n",
                _L2: "",
                _L1.replace("f.py", "g.py"): "from . import f\n",
            },
            ("error lmdeploy/pytorch/backends/dlinfer/f.py:1",),
        ),
        Case(
            "a module in the place of its function",
            {
                _L1: "from lmdeploy.pytorch.kernels.dlinfer import k\n\n\ndef f(x):\n    return k(x)\n",
                _L2: "",
                _L2.replace("__init__", "k"): "def k(x):\n    return x\n",
                _L1.replace("f.py", "g.py"): "from . import f\n",
            },
            ("error lmdeploy/pytorch/backends/dlinfer/f.py:1",),
        ),
        Case(
            "in a file that nothing imports",
            {_A: "from .b import f\n", _B: ""},
            ("warning dlinfer/vendor/camb/a.py:1",),
        ),
        Case(
            "an attribute of a module",
            {
                _A: "from . import b\n\n\ndef f():\n    return b.g()\n",
                _B: "",
                _A.replace("a.py", "__init__.py"): "from . import a\n",
            },
            ("error dlinfer/vendor/camb/a.py:5",),
        ),
        Case(
            "guarded",
            {_A: "try:\n    from .b import f\nexcept ImportError:\n    f = None\n", _B: ""},
            ("note dlinfer/vendor/camb/a.py:2",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for module in picture.modules:
            reading = module.reading
            for one in lost_attributes(picture.symbols, module):
                yield self._attribute(picture, Place(reading.repo, reading.path, one.line), one)
            for one in lost_imports(picture.symbols, reading):
                if reading.repo == "dlinfer" and one.module.startswith("lmdeploy") and reading.path.startswith(ROOT):
                    continue
                used = picture.is_imported(reading.repo, reading.path)
                yield self._finding(picture, Place(reading.repo, reading.path, one.line), one, used)

    def _attribute(self, picture: Layers, place: Place, one: Lost) -> Finding:
        used = picture.is_imported(place.repo, place.path)
        message = f"{one.module} has no `{one.name}`: AttributeError when this line runs"
        next = "correct the name, or export it there"
        more = {"severity": ERROR if used else WARNING, "vendors": vendors_of_path(place.path), "op": one.name}
        more["other"] = _place(picture, one.module)
        return self.finding(place, one.name, message, next, **more)

    def _finding(self, picture: Layers, place: Place, one: Lost, used: bool) -> Finding:
        what = f"`{one.name}` in {one.module}" if one.name else one.module
        found = picture.symbols.elsewhere(one.module, one.name) if one.name else None
        next = f"import it from {found}, or export it again" if found else "correct the import, or remove it"
        severity = NOTE if one.guarded else ERROR if used else WARNING
        message = f"there is no {what}: ImportError when this line runs"
        subject = one.name or one.module
        more = {"severity": severity, "vendors": vendors_of_path(place.path), "other": _place(picture, one.module)}
        return self.finding(place, subject, message, next, **more)


def _place(picture: Layers, module: str) -> Place | None:
    """Where a module is, if it is there."""
    found = picture.symbols.module(module)
    return Place(found.reading.repo, found.reading.path) if found else None
