"""The calls that a function makes, seen through its locals and argument tuples."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from .reading import Reading
from .signature import Function
from .syntax import dotted, function_nodes


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        callee: dotted text of what is called; where it is not dotted, its source.
        args: source of the positional arguments; a `*name` stays where its parts are not known.
        keywords: names and sources of the keyword arguments; `**` is the name of an unpacked mapping.
        line: 1-based.
    """

    callee: str
    args: tuple[str, ...]
    keywords: tuple[tuple[str, str], ...]
    line: int

    @property
    def args_text(self) -> str:
        """The arguments as one line."""
        named = [f"**{text}" if name == "**" else f"{name}={text}" for name, text in self.keywords]
        return ", ".join([*self.args, *named])


def calls_in(function: Function, reading: Reading) -> list[tuple[ast.expr, Call]]:
    """The calls in a function's body in source order, each with the expression that is called.

    A local that is bound once stands for its value: `f = registry["x"]; f(*args)` is a call of `registry["x"]` with
    the parts of the tuple `args`.
    """
    locals_ = single_locals(function)
    nodes = [n for n in function_nodes(function) if n.__class__ is ast.Call]
    nodes.sort(key=lambda n: (n.lineno, n.col_offset, -(n.end_lineno or 0), -(n.end_col_offset or 0)))
    return [call_of(node, locals_, reading) for node in nodes]


def single_locals(function: Function) -> dict[str, ast.expr]:
    """Names that a function binds exactly once, by a plain assignment, with the assigned expression."""
    args = function.args
    params = {a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg) if a}
    nodes = function_nodes(function)
    bound = Counter(n.id for n in nodes if n.__class__ is ast.Name and n.ctx.__class__ is not ast.Load)
    plain = (n for n in nodes if n.__class__ is ast.Assign and len(n.targets) == 1)
    found = {n.targets[0].id: n.value for n in plain if isinstance(n.targets[0], ast.Name)}
    return {name: value for name, value in found.items() if bound[name] == 1 and name not in params}


def call_of(node: ast.Call, locals_: dict[str, ast.expr], reading: Reading) -> tuple[ast.expr, Call]:
    """The expression that is called and the call, seen through the locals of `single_locals`."""
    func = node.func
    if isinstance(func, ast.Name) and isinstance(locals_.get(func.id), ast.Attribute | ast.Subscript | ast.Name):
        func = locals_[func.id]
    args = [part for arg in node.args for part in _parts(arg, locals_)]
    keywords = tuple((k.arg or "**", reading.text(k.value)) for k in node.keywords)
    return func, Call(dotted(func) or reading.text(func), tuple(map(reading.text, args)), keywords, node.lineno)


def _parts(arg: ast.expr, locals_: dict[str, ast.expr]) -> list[ast.expr]:
    """The positional arguments that one argument expression stands for: more than one for a starred tuple."""
    if not isinstance(arg, ast.Starred):
        return [arg]
    value = arg.value
    if isinstance(value, ast.Name):
        value = locals_.get(value.id, value)
    if isinstance(value, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in value.elts):
        return value.elts
    return [arg]
