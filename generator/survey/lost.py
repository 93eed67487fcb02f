"""Imports that nothing answers any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .imports import BODIES, absolute
from .reading import Reading
from .symbols import Module, Symbols


@dataclass(frozen=True)
class Lost:
    """An import that fails: `from module import name` at a line, or `import module` where `name` is empty.

    Attributes:
        module: absolute dotted name.
        name: the imported name, or "".
        line: of the statement.
        guarded: True inside a `try`, or under `if TYPE_CHECKING`; also under any other `if` if the module is gone
            altogether, as code for a device that went away is.
        conditional: True under an `if`.
    """

    module: str
    name: str
    line: int
    guarded: bool
    conditional: bool


def lost_imports(symbols: Symbols, reading: Reading | None, package: str | None = None) -> Iterator[Lost]:
    """The imports of a file that fail, as far as the checkouts tell; those of one package, if it is given."""
    for node, guarded, conditional in _imports(reading.tree) if reading else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _wanted(alias.name, package) and symbols.known(alias.name) and not _there(symbols, alias.name):
                    yield Lost(alias.name, "", node.lineno, guarded or conditional, conditional)
            continue
        module = absolute(node, reading)
        if _wanted(module, package):
            excused = guarded or conditional and not _there(symbols, module)
            for alias in node.names:
                lost = symbols.offers(module, alias.name) is False or _is_namesake(symbols, module, alias, reading)
                if alias.name != "*" and lost:
                    yield Lost(module, alias.name, node.lineno, excused, conditional)


def _is_namesake(symbols: Symbols, module: str, alias: ast.alias, reading: Reading) -> bool:
    """True where the import gets a module for a function of its name, which the package no longer passes on."""
    package, inner = symbols.module(module), symbols.module(f"{module}.{alias.name}")
    if package is None or inner is None or package.binds(alias.name) or alias.name not in inner.definitions:
        return False
    used_as_module = re.search(rb"\b" + (alias.asname or alias.name).encode() + rb"\.", reading.data)
    return not package.stars and not package.dynamic and used_as_module is None


def lost_attributes(symbols: Symbols, module: Module) -> Iterator[Lost]:
    """The attributes of imported modules of the checkouts that these modules do not have: `ops.rms_norm_` of `ops`."""
    taken = {name: found for name, item in module.imports.items() if (found := symbols.find(item.target))}
    modules = {name: m for name, m in taken.items() if isinstance(m, Module) and name not in module.rebound}
    for node in ast.walk(module.reading.tree) if _may_lack(symbols, module, modules) else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            other = modules[node.value.id].reading.module
            if isinstance(node.ctx, ast.Load) and symbols.offers(other, node.attr) is False:
                yield Lost(other, node.attr, node.lineno, False, False)


def _may_lack(symbols: Symbols, module: Module, modules: Mapping[str, Module]) -> bool:
    """True if the bytes of a file have an attribute of one of these modules that it does not offer."""
    for name, other in modules.items():
        written = re.findall(rb"\b" + name.encode() + rb"\.([A-Za-z_]\w*)", module.reading.data)
        if any(symbols.offers(other.reading.module, attr.decode()) is False for attr in set(written)):
            return True
    return False


def _wanted(name: str, package: str | None) -> bool:
    return package is None or name == package or name.startswith(f"{package}.")


def _there(symbols: Symbols, name: str) -> bool:
    return symbols.module(name) is not None or symbols.is_package(name)


def _imports(tree: ast.Module) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool, bool]]:
    """The import statements anywhere in a file; whether they may fail without harm; whether an `if` is around them."""
    waiting: list[tuple[ast.AST, bool, bool]] = [(tree, False, False)]
    while waiting:
        node, guarded, conditional = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, guarded, conditional
            continue
        harmless = guarded or isinstance(node, ast.Try) or _type_checking(node)
        inner = conditional or isinstance(node, ast.If)
        for name in BODIES:
            waiting.extend((child, harmless, inner) for child in getattr(node, name, ()))


def _type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
