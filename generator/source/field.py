"""One line into the list of assignments at the top of a class: what enum members and dataclass fields share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import libcst as cst

from . import body as bodies
from .address import Address, get, indentation, replace
from .base import Found
from .dialect import parse, statements, text_of, tidy
from .errors import AnchorMissing, SourceError
from .guard import edited, missing, refuse_only, refuse_taken
from .lines import line_of
from .text import Source
from .walk import bindings, block_of
from .walk import statements as statements_of


@dataclass(frozen=True)
class FieldLine:
    """The assignment `text` in the class `cls`, behind the field `after` or the last one.

    Attributes:
        cls: dotted name of the class.
        text: one assignment, perhaps below comment lines of its own.
        after: a field, or None.
        annotated: whether only annotated assignments count as fields.
    """

    cls: str
    text: str
    after: str | None = None
    annotated: bool = False

    @property
    def name(self) -> str:
        """The name that the text assigns."""
        body = parse(tidy(self.text) + "\n").body
        bound = [name for statement in body for name, kind in bindings(statement) if kind == "assignment"]
        if len(body) != 1 or len(bound) != 1:
            raise SourceError(f"not one assignment: {tidy(self.text)}", next="give each insertion one `name = value`")
        return bound[0]

    def find(self, source: Source) -> Found | None:
        """Return where the name is assigned in the class now."""
        spot = self._spot(source)
        if spot is None:
            return None
        own = self._own(source, spot)
        text = self._text(source, spot, own)
        return Found(line_of(source, spot, own), text, text != tidy(self.text))

    def insert(self, source: Source) -> Source:
        """Return the file with the line, no blank line added."""
        address = block_of(source, self.cls)
        if self._spot(source):
            return source
        refuse_taken(source, address, [(self.name, "assignment")])
        block = get(source.module, address)
        new = statements(self.text, source, indentation(source, address))
        return replace(source, address, bodies.put_in(block, self._place(source, block), new))

    def remove(self, source: Source) -> Source:
        """Return the file without the line."""
        spot = self._spot(source)
        if spot is None:
            return source
        own = self._own(source, spot)
        block = get(source.module, spot[:-1])
        if self._text(source, spot, own) != tidy(self.text):
            raise edited(source, spot, f"`{self.cls}.{self.name}`")
        refuse_only(source, spot, f"`{self.cls}.{self.name}`")
        return replace(source, spot[:-1], bodies.take_out(block, spot[-1][1] or 0, own))

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other text for the line, where it stands now."""
        spot = self._spot(source)
        if spot is None:
            return source
        block, index, own = get(source.module, spot[:-1]), spot[-1][1] or 0, self._own(source, spot)
        new = statements(text, source, indentation(source, spot))
        longer = bodies.put_in(block, index, new, len(bodies.gap(block, index)) - own)
        return replace(source, spot[:-1], bodies.take_out(longer, index + len(new), own))

    def _spot(self, source: Source) -> Address | None:
        try:
            address = block_of(source, self.cls)
        except AnchorMissing:
            return None
        wanted = (self.name, "assignment")
        hits = [a for a, s in statements_of(get(source.module, address), address) if wanted in bindings(s)]
        return hits[-1] if hits else None

    def _own(self, source: Source, spot: Address) -> int:
        """How many of the comment lines above came with the text; the others are the section's."""
        expected = sum(line.lstrip().startswith("#") for line in tidy(self.text).split("\n")[:-1])
        return min(expected, bodies.attached(bodies.gap(get(source.module, spot[:-1]), spot[-1][1] or 0)))

    def _text(self, source: Source, spot: Address, own: int) -> str:
        lines = bodies.gap(get(source.module, spot[:-1]), spot[-1][1] or 0)
        return text_of(source, get(source.module, spot), indentation(source, spot), lines[len(lines) - own :])

    def _place(self, source: Source, block: Any) -> int:
        fields = [i for i, statement in enumerate(block.body) if self._is_field(statement)]
        if self.after is not None:
            fields = [i for i in fields if (self.after, "assignment") in bindings(block.body[i])]
            if not fields:
                raise missing(source, self.after, f"`{self.cls}`")
        if fields:
            return fields[-1] + 1
        documented = isinstance(block.body[0], cst.SimpleStatementLine) and isinstance(block.body[0].body[0], cst.Expr)
        return 1 if documented else 0

    def _is_field(self, statement: Any) -> bool:
        if not isinstance(statement, cst.SimpleStatementLine):
            return False
        kinds = (cst.AnnAssign,) if self.annotated else (cst.AnnAssign, cst.Assign)
        return any(isinstance(small, kinds) for small in statement.body)
