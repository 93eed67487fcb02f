"""A keyword argument into a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import libcst as cst

from . import row as rows
from .address import Address, get, replace
from .base import Found
from .calls import calls
from .dialect import from_file, parse, tidy, to_file
from .errors import AnchorMissing, SourceError
from .guard import edited
from .lines import line_of
from .text import Source, deep_recursion
from .walk import block_of


@dataclass(frozen=True)
class KeywordArgument:
    """Insert `text` (`name=value`) into a call, before `**kwargs`, else to the end.

    One argument a line stays so.

    Attributes:
        scope: dotted name of the function the call stands in; empty for the module.
        call: dotted name of what is called, as written there.
        text: the argument.
        index: which of several such calls in the scope, from 0.
    """

    scope: str
    call: str
    text: str
    index: str = "0"
    kind: ClassVar[str] = "keyword-argument"

    @property
    def name(self) -> str:
        return f"{self._keyword}="

    @property
    def anchor(self) -> str:
        return f"the call of `{self.call}` in `{self.scope}`" if self.scope else f"the call of `{self.call}`"

    def find(self, source: Source) -> Found | None:
        spot = self._spot(source)
        if spot is None:
            return None
        return Found(line_of(source, spot), self._text(source, spot), self._is_edited(source, spot))

    def insert(self, source: Source) -> Source:
        address = self._call(source)
        if self._spot(source):
            return source
        call = get(source.module, address)
        row = rows.read(call)
        if any(isinstance(arg.value, cst.GeneratorExp) and not arg.value.lpar for arg in row.items):
            raise AnchorMissing(
                f"`{self.call}` is called with a generator without brackets, which takes no other argument",
                where=f"{source.path}:{line_of(source, address)}",
                next="put brackets around it",
            )
        stars = next((at for at, arg in enumerate(row.items) if arg.star == "**"), len(row.items))
        at = next(place for place in row.places() if place >= stars)
        longer = row.put(at, cst.Arg(cst.Name("_")), source.indent)
        argument = _argument(self.text, source, longer.pad(at))
        return replace(source, address, rows.write(call, longer.with_item(at, argument)))

    def remove(self, source: Source) -> Source:
        spot = self._spot(source)
        if spot is None:
            return source
        if self._is_edited(source, spot):
            raise edited(source, spot, f"`{self.name}`")
        call = get(source.module, spot[:-1])
        return replace(source, spot[:-1], rows.write(call, rows.read(call).take(spot[-1][1] or 0)))

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other text for the argument."""
        spot = self._spot(source)
        if spot is None:
            return source
        pad = rows.read(get(source.module, spot[:-1])).pad(spot[-1][1] or 0)
        old, new = get(source.module, spot), _argument(text, source, pad)
        return replace(source, spot, old.with_changes(value=new.value, keyword=new.keyword, equal=new.equal))

    @property
    def _keyword(self) -> str:
        keyword, equals, _ = tidy(self.text).partition("=")
        if not equals or not keyword.strip().isidentifier():
            raise SourceError(f"not a keyword argument: {tidy(self.text)}", next="give it as `name=value`")
        return keyword.strip()

    def _call(self, source: Source) -> Address:
        """The call, in the function's own block and everything below it."""
        block = block_of(source, self.scope)
        found = [where for where, _ in calls(get(source.module, block), block, self.call)]
        if int(self.index) >= len(found):
            where = f" in `{self.scope}`" if self.scope else ""
            raise AnchorMissing(
                f"`{self.call}` is called {len(found)} times{where}, so there is no call {self.index}",
                where=source.path,
                next="check that this checkout calls it there; it may have been renamed upstream",
            )
        return found[int(self.index)]

    def _spot(self, source: Source) -> Address | None:
        try:
            address = self._call(source)
        except AnchorMissing:
            return None
        for at, arg in enumerate(get(source.module, address).args):
            if arg.keyword is not None and arg.keyword.value == self._keyword:
                return (*address, ("args", at))
        return None

    def _text(self, source: Source, spot: Address) -> str:
        row, at = rows.read(get(source.module, spot[:-1])), spot[-1][1] or 0
        with deep_recursion():
            code = source.module.code_for_node(row.items[at])
        return from_file(code, source, row.pad(at))

    def _is_edited(self, source: Source, spot: Address) -> bool:
        comment = rows.read(get(source.module, spot[:-1])).comment_behind(spot[-1][1] or 0)
        return comment is not None or self._text(source, spot) != tidy(self.text)


def _argument(text: str, source: Source, pad: str) -> Any:
    """The argument, its lines indented by `pad`."""
    code = to_file(text, source, pad).removeprefix(pad)
    node: Any = parse(f"_({code})\n").body[0]
    args = node.body[0].value.args
    if len(args) != 1 or isinstance(args[0].comma, cst.Comma) or args[0].keyword is None:
        raise SourceError(f"not one argument: {tidy(text)}", next="give one `name=value`, without a comma behind it")
    return args[0].with_changes(whitespace_after_arg=cst.SimpleWhitespace(""))
