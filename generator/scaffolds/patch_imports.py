"""The names that a signature of lmdeploy needs where dlinfer repeats it, and what each of them is imported from."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from generator.survey.expression import free_names, parse_expression
from generator.survey.signature import Param, Signature
from generator.survey.symbols import Module, Symbol, Symbols

# Module, name or "" for the module itself, alias or "".
Needed = tuple[str, str, str]


@dataclass(frozen=True)
class Bound:
    """The names that a file binds before anything is added.

    Attributes:
        symbols: what dotted names mean.
        imports: local name to absolute dotted target.
        names: what is bound otherwise.
    """

    symbols: Symbols
    imports: Mapping[str, str] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    def has(self, needed: Needed) -> bool:
        """True if the file imports the very thing under that name already, perhaps through another module."""
        there = self.imports.get(local_name(needed))
        if there is None:
            return False
        wanted = ".".join(filter(None, needed[:2]))
        return there == wanted or self._same(there, wanted)

    def clashes(self, needed: Needed) -> bool:
        """True if the name means something else in the file."""
        name = local_name(needed)
        return (name in self.names or name in self.imports) and not self.has(needed)

    def without_clash(self, needed: Needed) -> Needed:
        """The same import, under another name if its own is taken."""
        return (needed[0], needed[1], f"lmdeploy_{needed[1]}") if self.clashes(needed) else needed

    def _same(self, one: str, other: str) -> bool:
        first, second = self.symbols.find(one), self.symbols.find(other)
        if isinstance(first, Symbol) and isinstance(second, Symbol):
            return first.node is second.node
        return first is not None and first is second


def portable(signature: Signature, home: Module, bound: Bound) -> tuple[Signature, list[Needed]]:
    """A signature that can be written in another file, and the imports for it that the file lacks.

    An annotation whose names cannot be told, or mean something else there, is left out; a default of that sort makes
    it `*args, **kwargs`.
    """
    needed: dict[str, Needed] = {}
    params = []
    for param in signature.params:
        annotation = _kept(param.annotation, home, needed, bound)
        default = _kept(param.default, home, needed, bound)
        if param.default is not None and default is None:
            return Signature((*_receiver(signature), Param("args", kind="*args"), Param("kwargs", kind="**kwargs"))), []
        params.append(replace(param, annotation=annotation, default=default))
    returns = _kept(signature.returns, home, needed, bound)
    return Signature(tuple(params), returns), sorted(needed.values())


def _receiver(signature: Signature) -> tuple[Param, ...]:
    return tuple(p for p in signature.params[:1] if p.name in ("self", "cls"))


def _kept(text: str | None, home: Module, needed: dict[str, Needed], bound: Bound) -> str | None:
    """The text if all its names can be imported, which are put into `needed`; else None."""
    if text is None:
        return None
    found = {name: _origin(name, home) for name in free_names(parse_expression(text, home.reading.path))}
    if any(origin is None or bound.clashes(origin) for origin in found.values()):
        return None
    needed |= {name: origin for name, origin in found.items() if origin is not None and not bound.has(origin)}
    return text


def _origin(name: str, home: Module) -> Needed | None:
    if name in home.imports:
        taken = home.imports[name]
        if taken.name is None:
            return (taken.module, "", name if name != taken.module.partition(".")[0] else "")
        return (taken.module, taken.name, name if name != taken.name else "")
    if name in home.definitions or (name in home.values and not _is_type_variable(home.values[name])):
        return (home.reading.module, name, "")
    return None


def _is_type_variable(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "TypeVar"


def local_name(needed: Needed) -> str:
    """The name that an import binds."""
    module, name, alias = needed
    return alias or name or module.partition(".")[0]


def passed_on(signature: Signature) -> str:
    """The arguments that hand every parameter of a signature on."""
    return ", ".join(_arguments(signature))


def _arguments(signature: Signature) -> Iterator[str]:
    for param in signature.params:
        forms = {"*args": "*{0}", "**kwargs": "**{0}", "keyword-only": "{0}={0}"}
        yield forms.get(param.kind, "{0}").format(param.name)
