"""Blocks, and the names that their statements bind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import libcst as cst

from .address import Address, get
from .errors import AnchorMissing
from .text import Source

_COMPOUND = (cst.If, cst.Try, cst.TryStar, cst.With, cst.For, cst.While, cst.Match)


def blocks(block: Any, address: Address = ()) -> Iterator[tuple[Address, Any]]:
    """Yield a block and, in file order, every block nested in its `if`, `try`, `with` … but not in a def or class."""
    yield address, block
    for index, statement in enumerate(block.body):
        if isinstance(statement, _COMPOUND):
            for below, suite in suites(statement):
                if isinstance(suite, cst.IndentedBlock):
                    yield from blocks(suite, (*address, ("body", index), *below))


def suites(statement: Any) -> Iterator[tuple[Address, Any]]:
    """Yield the suites of one compound statement with their addresses below it; an `elif` chain in a loop."""
    if isinstance(statement, cst.Match):
        for index, case in enumerate(statement.cases):
            yield (("cases", index), ("body", None)), case.body
        return
    below: Address = ()
    while isinstance(statement, cst.If):
        yield (*below, ("body", None)), statement.body
        below, statement = (*below, ("orelse", None)), statement.orelse
    if statement is not None:
        yield (*below, ("body", None)), statement.body
    for index, handler in enumerate(getattr(statement, "handlers", ())):
        yield (("handlers", index), ("body", None)), handler.body
    for field in ("orelse", "finalbody"):
        part = getattr(statement, field, None)
        if part is not None:
            yield ((field, None), ("body", None)), part.body


def statements(block: Any, address: Address = ()) -> Iterator[tuple[Address, Any]]:
    """Yield every statement of a block and of the blocks nested in it, each with its address."""
    for where, inner in blocks(block, address):
        for index, statement in enumerate(inner.body):
            yield (*where, ("body", index)), statement


def bindings(statement: Any) -> list[tuple[str, str]]:
    """Return the names that a statement binds, each with what binds it: function, class, assignment or import."""
    if isinstance(statement, cst.FunctionDef):
        return [(statement.name.value, "function")]
    if isinstance(statement, cst.ClassDef):
        return [(statement.name.value, "class")]
    if not isinstance(statement, cst.SimpleStatementLine):
        return []
    return [bound for small in statement.body for bound in _small_bindings(small)]


def _small_bindings(small: Any) -> list[tuple[str, str]]:
    if isinstance(small, cst.Assign):
        return [(name, "assignment") for target in small.targets for name in _targets(target.target)]
    if isinstance(small, cst.AnnAssign):
        return [(name, "assignment") for name in _targets(small.target)]
    if isinstance(small, (cst.Import, cst.ImportFrom)) and not isinstance(small.names, cst.ImportStar):
        return [(_local_name(alias), "import") for alias in small.names]
    return []


def _targets(target: Any) -> list[str]:
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in _targets(element.value)]
    return []


def _local_name(alias: cst.ImportAlias) -> str:
    if alias.asname is not None:
        return alias.asname.name.value  # type: ignore[union-attr]
    return dotted(alias.name).partition(".")[0]


def dotted(node: Any) -> str:
    """Return `a.b.c` for a name or attribute, else an empty string."""
    parts = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join([node.value, *reversed(parts)])


def block_of(source: Source, scope: str) -> Address:
    """Return the address of the block of a dotted scope (`Cls.method.inner`; an empty scope is the module).

    A definition may stand inside an `if` or `try`; where there are several, the last counts, as in Python.

    Raises:
        AnchorMissing: no such def or class, or its body stands on its header line.
    """
    address: Address = ()
    seen: list[str] = []
    for name in filter(None, scope.split(".")):
        block = get(source.module, address)
        hits = [
            where
            for where, node in statements(block, address)
            if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.name.value == name
        ]
        if not hits:
            raise AnchorMissing(
                f"no class or function `{'.'.join([*seen, name])}`",
                where=source.path,
                next="check that this checkout has it; it may have been renamed upstream",
            )
        address = (*hits[-1], ("body", None))
        seen.append(name)
        if not isinstance(get(source.module, address), cst.IndentedBlock):
            raise AnchorMissing(
                f"the body of `{'.'.join(seen)}` stands on the line of its header",
                where=source.path,
                next="put its body on lines of its own",
            )
    return address
