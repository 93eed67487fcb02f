"""A name into the `from … import` of its module, or a line of its own."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import libcst as cst

from . import row as rows
from .address import Address, get
from .address import replace as replace_at
from .base import Found
from .dialect import parse
from .errors import Taken
from .guard import edited, refuse_only
from .imports import ImportLine, member_key, module_of, put_line, runtime_statements, take_line
from .lines import line_of
from .text import Source
from .walk import bindings
from .wrap import explode, fits, implode


@dataclass(frozen=True)
class ImportFrom:
    """Insert `from module import item`, at module level, not under `if TYPE_CHECKING:`.

    It joins the statement that imports from `module` already, in isort's order if that one is in it; else it gets a
    line of its own (`imports.put_line`). A `# noqa` that all neighbours carry is copied.

    Attributes:
        module: dotted name, relative ones with their dots (`.rms_norm`).
        item: the name to import.
        alias: `as` name, or None.
        width: a statement on one line that would grow beyond this is put in parentheses, one name a line; taking the
            name out puts it on one line again. (One that had stood in parentheses although it is at most this long,
            and longer with the name, cannot be told from that: it comes back on one line.)
    """

    module: str
    item: str
    alias: str | None = None
    width: str = "120"
    kind: ClassVar[str] = "import-from"

    @property
    def name(self) -> str:
        return f"{self.item} as {self.alias}" if self.alias else self.item

    @property
    def anchor(self) -> str:
        return f"the imports, `from {self.module}`"

    def find(self, source: Source) -> Found | None:
        spot = self._spot(source)
        if spot is None:
            return None
        address, at = spot
        line = line_of(source, (*address, ("names", at)))
        return Found(line, f"from {self.module} import {self.name}", self._is_edited(source, address, at))

    def insert(self, source: Source) -> Source:
        if self._spot(source):
            return source
        self._refuse_taken(source)
        address = self._statement(source)
        if address is not None:
            return self._join(source, address)
        line = parse(f"from {self.module} import {self.name}\n").body[0]
        put = put_line(source, ImportLine(self.module, self.item), line)
        address, _ = self._spot(put) or ((), 0)
        statement = get(put.module, address[:-1])
        if fits(put, statement, self.width):
            return put
        return replace_at(put, address[:-1], explode(statement, put.indent))

    def remove(self, source: Source) -> Source:
        spot = self._spot(source)
        if spot is None:
            return source
        address, at = spot
        if self._is_edited(source, address, at):
            raise edited(source, (*address, ("names", at)), f"the import of `{self.name}`")
        statement, node = get(source.module, address[:-1]), get(source.module, address)
        if len(node.names) == 1 and len(statement.body) == 1:
            refuse_only(source, address[:-1], f"the import of `{self.name}`")
            return take_line(source, address[:-1])
        smaller = _with_row(statement, address, rows.read(node).take(at))
        flat = implode(smaller, source.indent)
        if flat and fits(source, flat, self.width):
            before = implode(statement, source.indent, ignore=at)
            if before and not fits(source, before, self.width):
                smaller = flat
        return replace_at(source, address[:-1], smaller)

    def _spot(self, source: Source) -> tuple[Address, int] | None:
        for address, node in _from_imports(source, self.module):
            for at, alias in enumerate(node.names):
                if alias.evaluated_name == self.item and alias.evaluated_alias == self.alias:
                    return address, at
        return None

    def _statement(self, source: Source) -> Address | None:
        """The module-level statement to join: isort keeps names with an alias on lines of their own."""
        for address, node in _from_imports(source, self.module):
            plain = any(alias.asname is None for alias in node.names)
            if len(address) == 2 and plain and self.alias is None:
                return address
        return None

    def _join(self, source: Source, address: Address) -> Source:
        statement, node = get(source.module, address[:-1]), get(source.module, address)
        row = rows.read(node)
        new = cst.ImportAlias(cst.Name(self.item))
        place = next(at for at in row.places() if at >= self._place(node))
        comments = {row.comment_behind(at) for at in range(len(row.items))}
        comment = next(iter(comments)) if len(comments) == 1 else None
        if comment and not comment.startswith("# noqa"):
            comment = None
        longer = _with_row(statement, address, row.put(place, new, source.indent, comment=comment))
        overflows = fits(source, statement, self.width) and not fits(source, longer, self.width)
        if row.one_line and overflows and len(statement.body) == 1:
            longer = explode(longer, source.indent) if _is_plain(node, row) else _continue(statement, row, new, source)
        return replace_at(source, address[:-1], longer)

    def _place(self, node: Any) -> int:
        names = [alias.evaluated_name for alias in node.names]
        for key in (member_key, str.casefold, str):
            keys: list[Any] = [key(name) for name in names]
            if keys == sorted(keys):
                return bisect_right(keys, key(self.item))
        return len(names)

    def _is_edited(self, source: Source, address: Address, at: int) -> bool:
        statement, node = get(source.module, address[:-1]), get(source.module, address)
        comment = rows.read(node).comment_behind(at)
        if comment is None and len(node.names) == 1 and statement.trailing_whitespace.comment:
            comment = statement.trailing_whitespace.comment.value
        return comment is not None and not comment.startswith("# noqa")

    def _refuse_taken(self, source: Source) -> None:
        local = self.alias or self.item
        for address, statement in runtime_statements(source):
            if local in (name for name, _ in bindings(statement)):
                raise Taken(
                    f"`{local}` is bound to something else already",
                    where=f"{source.path}:{line_of(source, address)}",
                    next="choose another name or an alias",
                )


def _from_imports(source: Source, module: str) -> list[tuple[Address, Any]]:
    return [
        ((*address, ("body", at)), small)
        for address, statement in runtime_statements(source)
        if isinstance(statement, cst.SimpleStatementLine)
        for at, small in enumerate(statement.body)
        if isinstance(small, cst.ImportFrom)
        and not isinstance(small.names, cst.ImportStar)
        and module_of(small) == module
    ]


def _with_row(statement: Any, address: Address, row: rows.Row) -> Any:
    body = list(statement.body)
    at = address[-1][1] or 0
    body[at] = rows.write(body[at], row)
    return statement.with_changes(body=body)


def _is_plain(node: Any, row: rows.Row) -> bool:
    """Whether the statement is laid out as isort does on one line, so that it can be put back from parentheses."""
    spaces = [gap.value for gap in row.gaps]
    commas = [gap.value for gap in row.before_commas]
    return node.lpar is None and spaces == ["", *[" "] * (len(row.items) - 1), ""] and not any(commas)


def _continue(statement: Any, row: rows.Row, new: Any, source: Source) -> Any:
    """A one-line list in another layout: the name goes to a second line, and the first stays as it is."""
    end = len(row.items)
    longer = row.put(end, new, source.indent)
    if statement.body[0].lpar:
        above: rows.Gap = cst.ParenthesizedWhitespace(indent=True, last_line=cst.SimpleWhitespace(source.indent))
    else:
        above = cst.SimpleWhitespace(f" \\{source.newline}{source.indent}")
    longer = replace(longer, gaps=(*longer.gaps[:end], above, *longer.gaps[end + 1 :]))
    return statement.with_changes(body=[rows.write(statement.body[0], longer)])
