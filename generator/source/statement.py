"""Statements into a function, or into the module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import libcst as cst

from . import body as bodies
from .address import Address, get, indentation, replace
from .base import Found
from .dialect import statements, text_of, tidy
from .errors import AnchorMissing
from .guard import edited, missing, refuse_only
from .lines import line_of
from .statement_key import code_key, head_key, key_of, looks_alike
from .text import Source
from .walk import block_of, blocks
from .walk import statements as statements_of

Run = tuple[Address, int, int]


@dataclass(frozen=True)
class Statement:
    """Insert the statements `text` into a function, without blank lines around them unless `blanks` says so.

    They go behind or before the first statement whose code starts with `after` or `before` (layout does not count),
    also in a nested block; else to the end of the function, but above a `return` that ends it. They are found by their
    code, and if that was edited, by what they assign, call or test.

    Attributes:
        scope: dotted name of the function (`f.inner`); empty for the module.
        text: the statements.
        before: how the statement below the place starts, or None.
        after: how the statement above the place starts, or None.
        blanks: how many blank lines are put above; behind a function of a module that is two.
    """

    scope: str
    text: str
    before: str | None = None
    after: str | None = None
    blanks: str = "0"
    kind: ClassVar[str] = "statement"

    @property
    def name(self) -> str:
        """The first line, and where that only opens a block, the first line in it: what tells two `if`s apart."""
        lines = [line.strip() for line in tidy(self.text).split("\n")]
        code = [line for line in lines if line and not line.startswith("#")]
        opens = next((at for at, line in enumerate(code) if not line.endswith(":")), len(code) - 1)
        return " ".join(code[: opens + 1])

    @property
    def anchor(self) -> str:
        where = f"`{self.scope}`" if self.scope else "the file"
        if self.after or self.before:
            return f"{where}, {'behind' if self.after else 'before'} `{self.after or self.before}`"
        return f"the end of {where}"

    def find(self, source: Source) -> Found | None:
        run = self._run(source)
        if run is None:
            return None
        block, start, _ = run
        text = self._text(source, run)
        line = line_of(source, (*block, ("body", start)), self._own(source, run))
        return Found(line, text, text != tidy(self.text))

    def insert(self, source: Source) -> Source:
        block = block_of(source, self.scope)
        if self._run(source):
            return source
        address, index, split = self._place(source, block)
        new = statements(self.text, source, indentation(source, address))
        block = bodies.put_in(get(source.module, address), index, new, split, int(self.blanks))
        return replace(source, address, block)

    def remove(self, source: Source) -> Source:
        run = self._run(source)
        if run is None:
            return source
        block, start, end = run
        if self._text(source, run) != tidy(self.text):
            raise edited(source, (*block, ("body", start)), f"`{self.name}`")
        own = self._own(source, run)
        for index in reversed(range(start, end)):
            refuse_only(source, (*block, ("body", index)), f"`{self.name}`")
            node = get(source.module, block)
            first = index == start
            lines = own if first else len(bodies.gap(node, index))
            source = replace(source, block, bodies.take_out(node, index, lines, int(self.blanks) if first else 0))
        return source

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other statements where these stand."""
        run = self._run(source)
        if run is None:
            return source
        block, start, end = run
        node, own = get(source.module, block), self._own(source, run)
        new = statements(text, source, indentation(source, block))
        longer = bodies.put_in(node, start, new, len(bodies.gap(node, start)) - own)
        for index in reversed(range(start, end)):
            at = index + len(new)
            longer = bodies.take_out(longer, at, own if index == start else len(bodies.gap(longer, at)))
        return replace(source, block, longer)

    def _run(self, source: Source) -> Run | None:
        """The block in which the statements stand now, the first one's index and the one behind the last."""
        try:
            scope = block_of(source, self.scope)
        except AnchorMissing:
            return None
        wanted = statements(self.text, source, indentation(source, scope))
        places = list(blocks(get(source.module, scope), scope))
        return _exact(places, wanted) or _by_key(places, wanted)

    def _place(self, source: Source, scope: Address) -> tuple[Address, int, int]:
        """The block to insert into, the index, and how many lines of the gap there stay above."""
        prefix = self.before or self.after
        if prefix is None:
            body = get(source.module, scope).body
            ends = bool(body) and isinstance(body[-1], cst.SimpleStatementLine)
            index = len(body) - (ends and isinstance(body[-1].body[0], cst.Return))
            return scope, index, 0
        for address, statement in statements_of(get(source.module, scope), scope):
            if head_key(statement).startswith("".join(prefix.split())):
                block, index = address[:-1], (address[-1][1] or 0) + bool(self.after)
                lines = bodies.gap(get(source.module, block), index)
                apart = self.after or isinstance(statement, (cst.FunctionDef, cst.ClassDef))
                return block, index, 0 if apart else len(lines) - bodies.attached(lines)
        raise missing(source, prefix, f"`{self.scope}`" if self.scope else "this file")

    def _own(self, source: Source, run: Run) -> int:
        """How many comment lines above the first statement came with it."""
        lines = tidy(self.text).split("\n")
        expected = next((at for at, line in enumerate(lines) if not line.startswith("#")), 0)
        block, start, _ = run
        return min(expected, bodies.attached(bodies.gap(get(source.module, block), start)))

    def _text(self, source: Source, run: Run) -> str:
        block, start, end = run
        node, prefix = get(source.module, block), indentation(source, (*block, ("body", start)))
        parts = []
        for index in range(start, end):
            lines = bodies.gap(node, index)
            own = self._own(source, run) if index == start else len(lines)
            shown = lines[len(lines) - own :]
            blank = next((at for at, line in enumerate(shown) if line.comment), len(shown))
            parts.append("\n" * blank + text_of(source, node.body[index], prefix, shown[blank:]))
        return "\n".join(parts)


def _exact(places: Sequence[tuple[Address, Any]], wanted: Sequence[Any]) -> Run | None:
    codes = [code_key(statement) for statement in wanted]
    for address, block in places:
        for start in range(len(block.body) - len(wanted) + 1):
            pairs = zip(block.body[start : start + len(wanted)], wanted, codes, strict=True)
            if all(looks_alike(here, there) and code_key(here) == code for here, there, code in pairs):
                return address, start, start + len(wanted)
    return None


def _by_key(places: Sequence[tuple[Address, Any]], wanted: Sequence[Any]) -> Run | None:
    """The run from the first to the last statement that does what one of the wanted ones did.

    A name that is assigned, alone, is no evidence: it needs all of them.
    """
    keys = [key for key in map(key_of, wanted) if key]
    sure = {key.code for key in keys if key.sure}
    every = {key.code for key in keys} if len(keys) == len(wanted) else set()
    for address, block in places:
        hits = [(at, key.code) for at, key in enumerate(map(key_of, block.body)) if key]
        for needed, enough in ((sure, any), (every, all)):
            there = [at for at, code in hits if code in needed]
            codes = {code for _, code in hits}
            if there and enough(code in codes for code in needed):
                return address, there[0], there[-1] + 1
    return None
