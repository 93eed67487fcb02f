"""A branch into an `if`/`elif` chain that dispatches on one value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import libcst as cst

from .address import Address, get, indentation, replace
from .base import Found
from .dialect import parse, text_of, tidy, to_file
from .errors import AnchorMissing, SourceError
from .guard import edited
from .lines import line_of
from .text import Source, deep_recursion
from .walk import block_of
from .walk import statements as statements_of

_EMPTY = cst.Module(())


@dataclass(frozen=True)
class ElifBranch:
    """Insert the branch `text` (`elif TEST:` and its body) before the final `else` of a chain.

    The chain is the first one in the function whose tests compare the same thing as TEST; without an `else` the branch
    goes to its end. Comments above `else:` stay there. The branch is known by its TEST, however that is laid out.

    Attributes:
        scope: dotted name of the function (`DlinferOpsBackend.get_layer_impl_builder`).
        text: the branch.
    """

    scope: str
    text: str
    kind: ClassVar[str] = "elif-branch"

    @property
    def name(self) -> str:
        return _code(_branch(tidy(self.text) + "\n").test)

    @property
    def anchor(self) -> str:
        return f"`{self.scope}`, before the final else"

    def find(self, source: Source) -> Found | None:
        spot = self._spot(source)
        if spot is None:
            return None
        text = self._text(source, spot)
        return Found(line_of(source, spot, self._own(source, spot)), text, text != tidy(self.text))

    def insert(self, source: Source) -> Source:
        block = block_of(source, self.scope)
        if self._spot(source):
            return source
        prefix = indentation(source, block)
        new = _branch(to_file(self.text, source, prefix), prefix)
        last = self._chain(source, block, new)
        node = get(source.module, last)
        return replace(source, last, node.with_changes(orelse=new.with_changes(orelse=node.orelse)))

    def remove(self, source: Source) -> Source:
        spot = self._spot(source)
        if spot is None:
            return source
        if self._text(source, spot) != tidy(self.text):
            raise edited(source, spot, f"the branch `{self.name}`")
        node = get(source.module, spot)
        lead = node.leading_lines[: len(node.leading_lines) - self._own(source, spot)]
        rest = node.orelse
        if lead and rest is not None:
            rest = rest.with_changes(leading_lines=(*lead, *rest.leading_lines))
        above = get(source.module, spot[:-1])
        return replace(source, spot[:-1], above.with_changes(orelse=rest))

    def rewrite(self, source: Source, text: str) -> Source:
        """Return the file with other text for the branch, where it stands now, also as the first (`if`) of a chain."""
        spot = self._spot(source)
        if spot is None:
            return source
        prefix, node = indentation(source, spot), get(source.module, spot)
        new = _branch(to_file(text if text.startswith(("elif", "#")) else f"el{text}", source, prefix), prefix)
        lead = node.leading_lines[: len(node.leading_lines) - self._own(source, spot)]
        new = new.with_changes(orelse=node.orelse, leading_lines=(*lead, *new.leading_lines))
        return replace(source, spot, new)

    def _spot(self, source: Source) -> Address | None:
        """The `if` or `elif` with this test."""
        try:
            block = block_of(source, self.scope)
        except AnchorMissing:
            return None
        wanted = _plain(_branch(tidy(self.text) + "\n").test)
        for chain in _chains(source, block):
            for address, branch in _branches(source, chain):
                if _plain(branch.test) == wanted:
                    return address
        return None

    def _chain(self, source: Source, block: Address, new: cst.If) -> Address:
        """The last branch of the chain that tests the same thing as the new one."""
        wanted = _plain(_subject(new.test))
        for chain in _chains(source, block):
            branches = list(_branches(source, chain))
            if any(_plain(_subject(branch.test)) == wanted for _, branch in branches):
                return branches[-1][0]
        raise AnchorMissing(
            f"`{self.scope}` has no `if` chain that tests `{_code(_subject(new.test))}`",
            where=source.path,
            next="check that this checkout dispatches as expected; it may have been rewritten upstream",
        )

    def _own(self, source: Source, spot: Address) -> int:
        expected = len(_branch(tidy(self.text) + "\n").leading_lines)
        return min(expected, len(get(source.module, spot).leading_lines))

    def _text(self, source: Source, spot: Address) -> str:
        node = get(source.module, spot)
        own = node.leading_lines[len(node.leading_lines) - self._own(source, spot) :]
        text = text_of(source, node.with_changes(orelse=None), indentation(source, spot), own)
        if spot[-1] != ("orelse", None):
            return text
        lines = text.split("\n")
        lines[len(own)] = f"el{lines[len(own)]}"
        return "\n".join(lines)


@lru_cache(maxsize=256)
def _branch(code: str, prefix: str = "") -> cst.If:
    """Parse `elif TEST: …`, indented by `prefix`, into the If node of that branch."""
    head = f"{prefix}if 1:\n{prefix} 1\n"
    module = parse(f"if 1:\n{head}{code}" if prefix else f"{head}{code}")
    chain = module.body[0]
    if prefix:
        chain = chain.body.body[0]  # type: ignore[union-attr]
    branch = getattr(chain, "orelse", None)
    if not isinstance(branch, cst.If) or branch.orelse is not None:
        raise SourceError(f"not one `elif` branch: {tidy(code).splitlines()[0].strip()}", next="correct the fragment")
    return branch


def _chains(source: Source, block: Address) -> Iterator[Address]:
    for address, statement in statements_of(get(source.module, block), block):
        if isinstance(statement, cst.If):
            yield address


def _branches(source: Source, address: Address) -> Iterator[tuple[Address, cst.If]]:
    node = get(source.module, address)
    while isinstance(node, cst.If):
        yield address, node
        address, node = (*address, ("orelse", None)), node.orelse


def _subject(test: Any) -> Any:
    """What a test looks at: the left side of a comparison, the first argument of a call, the name itself."""
    while True:
        if isinstance(test, (cst.Comparison, cst.BooleanOperation)):
            test = test.left
        elif isinstance(test, cst.UnaryOperation):
            test = test.expression
        elif isinstance(test, cst.Call) and test.args:
            test = test.args[0].value
        else:
            return test


def _code(node: Any) -> str:
    with deep_recursion():
        return _EMPTY.code_for_node(node.with_changes(lpar=(), rpar=()))


def _plain(node: Any) -> str:
    """The code of an expression without layout, as a key to compare by."""
    return "".join(_code(node).split())
