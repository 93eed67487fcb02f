"""What layer 3 passes on to layer 4, where it is not simply all its parameters."""

from __future__ import annotations

from generator.spec.param import Param
from generator.survey.ops_layer import Op3


def forwarded(op: Op3, params: tuple[Param, ...]) -> tuple[Param, ...]:
    """The parameters of layer 4, in the order in which layer 3 passes them; empty if they are those of layer 3.

    Of several calls the longest counts; what only it passes gets the default None, since the shorter call leaves it
    out. An argument that is no bare parameter ends the reading: then layer 4 is given all parameters.
    """
    if not op.forwards:
        return ()
    known = {p.name: p for p in params}
    calls = sorted(op.forwards, key=lambda c: len(c.args) + len(c.keywords))
    longest, always = calls[-1], len(calls[0].args) + len(calls[0].keywords)
    names = [*longest.args, *(value for _, value in longest.keywords)]
    if any(name not in known for name in names):
        return ()
    plain = tuple(
        Param(n, known[n].type, None if i < always else known[n].default or "None") for i, n in enumerate(names)
    )
    same = [p.name for p in plain] == [p.name for p in params] and always == len(names)
    return () if same else plain
