"""`import module`, as a line of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import libcst as cst

from .address import Address, get, replace
from .base import Found
from .dialect import parse
from .errors import Taken
from .guard import edited, refuse_only
from .imports import ImportLine, put_line, runtime_statements, take_line
from .lines import line_of
from .text import Source
from .walk import bindings


@dataclass(frozen=True)
class Import:
    """Insert `import module`, at module level, in the block where it belongs (`imports.put_line`).

    Attributes:
        module: dotted name.
        alias: `as` name, or None.
    """

    module: str
    alias: str | None = None
    kind: ClassVar[str] = "import"

    @property
    def name(self) -> str:
        return f"{self.module} as {self.alias}" if self.alias else self.module

    @property
    def anchor(self) -> str:
        return "the imports"

    def find(self, source: Source) -> Found | None:
        spot = self._spot(source)
        if spot is None:
            return None
        return Found(line_of(source, spot[:-2]), f"import {self.name}", self._is_edited(source, spot))

    def insert(self, source: Source) -> Source:
        if self._spot(source):
            return source
        self._refuse_taken(source)
        return put_line(source, ImportLine(self.module), parse(f"import {self.name}\n").body[0])

    def remove(self, source: Source) -> Source:
        spot = self._spot(source)
        if spot is None:
            return source
        if self._is_edited(source, spot):
            raise edited(source, spot[:-2], f"`import {self.name}`")
        statement, node = get(source.module, spot[:-2]), get(source.module, spot[:-1])
        if len(node.names) == 1 and len(statement.body) == 1:
            refuse_only(source, spot[:-2], f"`import {self.name}`")
            return take_line(source, spot[:-2])
        names = [alias for at, alias in enumerate(node.names) if at != spot[-1][1]]
        names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return replace(source, spot[:-1], node.with_changes(names=names))

    def _spot(self, source: Source) -> Address | None:
        for address, statement in runtime_statements(source):
            for at, small in enumerate(getattr(statement, "body", ()) if _is_line(statement) else ()):
                if not isinstance(small, cst.Import):
                    continue
                for index, alias in enumerate(small.names):
                    if alias.evaluated_name == self.module and alias.evaluated_alias == self.alias:
                        return (*address, ("body", at), ("names", index))
        return None

    def _is_edited(self, source: Source, spot: Address) -> bool:
        statement = get(source.module, spot[:-2])
        comment = statement.trailing_whitespace.comment
        alone = len(statement.body) == 1 and len(statement.body[0].names) == 1
        return alone and comment is not None and not comment.value.startswith("# noqa")

    def _refuse_taken(self, source: Source) -> None:
        local = self.alias or self.module.partition(".")[0]
        for address, statement in runtime_statements(source):
            for name, binds in bindings(statement):
                if name == local and (self.alias or binds != "import"):
                    raise Taken(
                        f"`{local}` is bound to something else already",
                        where=f"{source.path}:{line_of(source, address)}",
                        next="choose an alias",
                    )


def _is_line(statement: Any) -> bool:
    return isinstance(statement, cst.SimpleStatementLine)
