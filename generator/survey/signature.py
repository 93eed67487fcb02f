"""A signature as upstream wrote it. There is one idea of it in the house, and this is it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

POSITIONAL_ONLY, PLAIN, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = (
    "positional-only",
    "plain",
    "*args",
    "keyword-only",
    "**kwargs",
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Param:
    """One parameter, as text.

    Attributes:
        name: without stars.
        annotation: source of it, or None.
        default: source of it, or None.
        kind: `positional-only`, `plain` (by position or name), `*args`, `keyword-only` or `**kwargs`.
    """

    name: str
    annotation: str | None = None
    default: str | None = None
    kind: str = PLAIN

    def __str__(self) -> str:
        stars = {VAR_POSITIONAL: "*", VAR_KEYWORD: "**"}.get(self.kind, "")
        text = stars + self.name + (f": {self.annotation}" if self.annotation else "")
        if self.default is None:
            return text
        return f"{text} = {self.default}" if self.annotation else f"{text}={self.default}"


@dataclass(frozen=True)
class Signature:
    """The parameters of a function in order, and its return annotation."""

    params: tuple[Param, ...] = ()
    returns: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters, in order."""
        return tuple(p.name for p in self.params)

    def without_self(self) -> Signature:
        """The same signature as a caller of a bound method sees it."""
        bound = self.params and self.params[0].name in ("self", "cls")
        return Signature(self.params[1:], self.returns) if bound else self

    def __str__(self) -> str:
        parts: list[str] = []
        starred = False
        for i, param in enumerate(self.params):
            if param.kind == KEYWORD_ONLY and not starred:
                parts.append("*")
            starred = starred or param.kind in (VAR_POSITIONAL, KEYWORD_ONLY)
            parts.append(str(param))
            last = i + 1 == len(self.params) or self.params[i + 1].kind != POSITIONAL_ONLY
            if param.kind == POSITIONAL_ONLY and last:
                parts.append("/")
        return f"({', '.join(parts)})" + (f" -> {self.returns}" if self.returns else "")


def signature_of(function: Function, text: Callable[[ast.AST], str] = ast.unparse) -> Signature:
    """Read the signature of a function definition; `text` gives the source of an expression (`Reading.text`)."""
    args = function.args
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
    rows = [
        (arg, default, POSITIONAL_ONLY if i < len(args.posonlyargs) else PLAIN)
        for i, (arg, default) in enumerate(zip(plain, defaults, strict=True))
    ]
    if args.vararg:
        rows.append((args.vararg, None, VAR_POSITIONAL))
    rows += [(arg, default, KEYWORD_ONLY) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    if args.kwarg:
        rows.append((args.kwarg, None, VAR_KEYWORD))

    def source(node: ast.AST | None) -> str | None:
        return None if node is None else text(node)

    params = tuple(Param(arg.arg, source(arg.annotation), source(default), kind) for arg, default, kind in rows)
    return Signature(params, source(function.returns))
