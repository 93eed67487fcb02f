"""What a name in a module refers to, by its import statements."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .reading import Reading

# The fields of a statement that hold statements.
BODIES = ("finalbody", "orelse", "cases", "handlers", "body")


@dataclass(frozen=True)
class Import:
    """A name that an import statement binds.

    Attributes:
        module: absolute dotted name of the module.
        name: the imported name, or None where the module itself is bound.
        line: 1-based line of the alias.
    """

    module: str
    name: str | None
    line: int

    @property
    def target(self) -> str:
        """`module.name`, or the module."""
        return f"{self.module}.{self.name}" if self.name else self.module


def imports_in(nodes: Iterable[ast.AST], reading: Reading) -> dict[str, Import]:
    """The names that import statements bind anywhere under `nodes`; a star import is under its `module.*`."""
    found: dict[str, Import] = {}
    for root in nodes:
        for node in statements(root):
            if isinstance(node, ast.Import):
                found |= _plain(node)
            elif isinstance(node, ast.ImportFrom):
                found |= _from(node, reading)
    return found


def resolve(name: str, imports: dict[str, Import]) -> str:
    """The absolute dotted name that a dotted name of the module means, as far as its imports say."""
    head, _, rest = name.partition(".")
    longest = next((n for n in _prefixes(name) if n in imports and imports[n].name is None), None)
    if longest and imports[longest].module == longest:
        return name
    if head not in imports:
        return name
    return imports[head].target + (f".{rest}" if rest else "")


def absolute(node: ast.ImportFrom, reading: Reading) -> str:
    """The absolute module of a `from … import`, which may be relative."""
    if not node.level:
        return node.module or ""
    parts = reading.module.split(".")
    up = node.level - (1 if reading.is_package else 0)
    base = parts[: len(parts) - up] if up else parts
    return ".".join([*base, *([node.module] if node.module else [])])


def statements(root: ast.AST) -> Iterator[ast.AST]:
    """A node and the statements in it; expressions hold no imports and are most of a tree."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for name in BODIES:
            waiting.extend(reversed(getattr(node, name, ())))


def _prefixes(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:i]) for i in range(len(parts), 0, -1)]


def _plain(node: ast.Import) -> dict[str, Import]:
    return {a.asname or a.name: Import(a.name, None, node.lineno) for a in node.names}


def _from(node: ast.ImportFrom, reading: Reading) -> dict[str, Import]:
    module = absolute(node, reading)
    return {
        f"{module}.*" if a.name == "*" else a.asname or a.name: Import(module, a.name, a.lineno) for a in node.names
    }
