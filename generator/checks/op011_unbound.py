"""OP011: a name that is used but never imported."""

from __future__ import annotations

from collections.abc import Iterator

from generator.survey.layers import LAYER_1, LAYER_2, Layers
from generator.survey.unbound import unbound_names, under_condition

from .at import vendors_of_path
from .finding import ERROR, WARNING, Finding, Place
from .remedy import Remedy
from .rule import Case, Rule, register

_CAMB = "dlinfer:dlinfer/vendor/camb/camb_ops.py"
# What these names mean in every file of both repositories.
_USUAL = {
    "F": ("torch.nn.functional", "F"),
    "np": ("numpy", "np"),
    "nn": ("torch.nn", "nn"),
    "dist": ("torch.distributed", "dist"),
    **{name: (name, None) for name in ("torch", "math", "os", "sys", "re", "functools", "itertools", "json", "time")},
}


@register
class Unbound(Rule):
    """A name that nothing binds raises NameError, but only when its line runs: after an import was renamed, one
    function of a file still has the old name.

    All scopes count: parameters, locals, enclosing functions, comprehensions, class bodies, imports anywhere, names
    that a function declares global, builtins, and what star imports within the workspace bring. A file with a star
    import from elsewhere is left alone. A local that is read before the first assignment to it counts as unbound.
    Under a condition it is a warning. `--fix` adds the import of names whose meaning is beyond doubt (`F`, `np`,
    `math`, …).
    """

    id = "OP011"
    title = "every name that is used is bound"
    needs = ()
    reads = ("dlinfer:dlinfer/", f"lmdeploy:{LAYER_1}/", f"lmdeploy:{LAYER_2}/")
    VALID = (
        Case("imported", {_CAMB: "import math\n\n\ndef f(x):\n    return math.sqrt(x)\n"}),
        Case("a closure", {_CAMB: "def f(x):\n    def g():\n        return x\n\n    return g\n"}),
        Case("a comprehension", {_CAMB: "def f(xs):\n    return [x for x in xs if x]\n"}),
        Case("a global", {_CAMB: "def f():\n    global n\n    n = 1\n\n\ndef g():\n    return n\n"}),
        Case("a star import from elsewhere", {_CAMB: "from tmo import *\n\n\ndef f(x):\n    return active(x)\n"}),
        Case(
            "a loop binds it",
            {_CAMB: "def f(n):\n    for i in n:\n        if i:\n            print(x)\n        x = i\n"},
        ),
        Case("a string", {_CAMB: '"""\ncustom_ops.f()\n"""\n'}),
    )
    INVALID = (
        Case(
            "never imported",
            {_CAMB: "def f(x):\n    return custom_ops.f(x)\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:2",),
        ),
        Case(
            "a local that is read before it is bound",
            {_CAMB: "def f(y):\n    x = x.view(y)\n    return x\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:2",),
        ),
        Case(
            "under a condition",
            {_CAMB: "def f(x):\n    if x:\n        return math.sqrt(x)\n"},
            ("warning dlinfer/vendor/camb/camb_ops.py:3",),
        ),
        Case(
            "a name of the class body is not seen in a method",
            {_CAMB: "class C:\n    n = 1\n\n    def f(self):\n        return n\n"},
            ("error dlinfer/vendor/camb/camb_ops.py:5",),
        ),
    )

    def find(self, picture: Layers) -> Iterator[Finding]:
        for module in picture.modules:
            seen: set[str] = set()
            for name, line in unbound_names(module, picture.symbols):
                if name not in seen:
                    seen.add(name)
                    reading = module.reading
                    guarded = under_condition(reading.tree, line)
                    yield self._finding(Place(reading.repo, reading.path, line), name, guarded)

    def _finding(self, place: Place, name: str, guarded: bool) -> Finding:
        message = f"`{name}` is bound nowhere: NameError when this line runs"
        more = {"severity": WARNING if guarded else ERROR, "vendors": vendors_of_path(place.path)}
        if name not in _USUAL:
            return self.finding(place, name, message, "import it, or use the name that the file binds", **more)
        module, alias = _USUAL[name]
        fields = (("module", module), *((("alias", alias),) if alias else ()))
        remedy = Remedy(place.repo, place.path, "import", fields, f"import {module}")
        next = f"import {module}" + (f" as {alias}" if alias else "")
        return self.finding(place, name, message, next, remedy=remedy, **more)
