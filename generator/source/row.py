"""The items between two brackets: of a list, tuple, dict, call or `from … import`.

LibCST keeps the space between items in whichever node ends there: the opening bracket, an item's comma, the closing
bracket. A `Row` has it in one place: `gaps[i]` is what stands before item `i` (behind the comma of the one before), and
the last gap is what stands before the closing bracket. Putting an item in splits a gap; taking it out joins two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

Gap = cst.SimpleWhitespace | cst.ParenthesizedWhitespace
_NOTHING = cst.SimpleWhitespace("")
_SPACE = cst.SimpleWhitespace(" ")


@dataclass(frozen=True)
class Row:
    """Items without their commas, and what stands between them.

    Attributes:
        items: the element nodes, each without its comma.
        gaps: one more than items; exactly one if there are none.
        before_commas: for each item, what stands between it and its comma.
        trailing: whether the last item has a comma.
    """

    items: tuple[Any, ...]
    gaps: tuple[Gap, ...]
    before_commas: tuple[Gap, ...]
    trailing: bool

    @property
    def one_line(self) -> bool:
        """Whether no newline stands in any gap."""
        return not any(map(is_broken, self.gaps))

    def places(self) -> list[int]:
        """Return where an item can go in without a change to a line that already has a neighbour on it.

        Between two items of a row that spans lines that is only where a line starts; the end is always one.
        """
        inner = range(len(self.items))
        return [i for i in inner if self.one_line or is_broken(self.gaps[i])] + [len(self.items)]

    def put(self, at: int, item: Any, indent: str, keep: int | None = None, comment: str | None = None) -> Row:
        """Return the row with an item put in at one of its `places`.

        Args:
            at: the index that it gets.
            item: the element node, without a comma.
            indent: one step of indentation, for a row that has no item to copy it from.
            keep: how many comment lines of the gap stay above it; by default none, at the end all.
            comment: a comment behind it on its line (only in a row that spans lines).
        """
        if not self.items:
            return self._first(item, indent)
        above, below = self._split(at, keep)
        if comment and is_broken(below):
            below = below.with_changes(first_line=_line_end(comment))
        return Row(
            (*self.items[:at], item, *self.items[at:]),
            (*self.gaps[:at], above, below, *self.gaps[at + 1 :]),
            (*self.before_commas[:at], _NOTHING, *self.before_commas[at:]),
            self.trailing,
        )

    def take(self, at: int) -> Row:
        """Return the row without item `at`."""
        joined = _join(self.gaps[at], self.gaps[at + 1], len(self.items), at)
        return Row(
            (*self.items[:at], *self.items[at + 1 :]),
            (*self.gaps[:at], joined, *self.gaps[at + 2 :]),
            (*self.before_commas[:at], *self.before_commas[at + 1 :]),
            self.trailing,
        )

    def with_item(self, at: int, item: Any) -> Row:
        """Return the row with another node as item `at`."""
        return replace(self, items=(*self.items[:at], item, *self.items[at + 1 :]))

    def pad(self, at: int) -> str:
        """Return what the line of item `at` starts with, beyond the indentation of its statement."""
        broken = next((gap for gap in reversed(self.gaps[: at + 1]) if is_broken(gap)), None)
        return broken.last_line.value if broken is not None else ""

    def comment_behind(self, at: int) -> str | None:
        """Return the comment that stands behind item `at` on its line."""
        after = self.gaps[at + 1]
        comment = after.first_line.comment if is_broken(after) else None
        return comment.value if comment else None

    def _first(self, item: Any, indent: str) -> Row:
        (only,) = self.gaps
        if not is_broken(only):
            return Row((item,), (only, _NOTHING), (_NOTHING,), False)
        inside = cst.SimpleWhitespace(only.last_line.value + indent)
        above = cst.ParenthesizedWhitespace(only.first_line, indent=only.indent, last_line=inside)
        below = only.with_changes(first_line=cst.TrailingWhitespace())
        return Row((item,), (above, below), (_NOTHING,), True)

    def _split(self, at: int, keep: int | None) -> tuple[Gap, Gap]:
        gap, end = self.gaps[at], at == len(self.items)
        between = self._between()
        if not is_broken(gap):
            return (gap, between) if not end else (between, gap)
        lines = gap.empty_lines
        keep = (len(lines) if end else 0) if keep is None else keep
        if end and not is_broken(between):
            return between, gap
        above = (between if end else gap).with_changes(first_line=gap.first_line, empty_lines=lines[:keep])
        below = gap.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=lines[keep:])
        return above, below

    def _between(self) -> Gap:
        """What stands between two items here, without comments."""
        inner = self.gaps[1:-1]
        if not inner and is_broken(self.gaps[0]) and is_broken(self.gaps[-1]):
            inner = self.gaps[:1]
        broken = next((gap for gap in reversed(inner) if is_broken(gap)), None)
        if broken is not None:
            return cst.ParenthesizedWhitespace(indent=broken.indent, last_line=broken.last_line)
        return inner[-1] if inner and inner[-1].value else _SPACE


def is_broken(gap: Gap) -> bool:
    """Return whether a gap is a line break inside brackets."""
    return isinstance(gap, cst.ParenthesizedWhitespace)


def _line_end(comment: str) -> cst.TrailingWhitespace:
    return cst.TrailingWhitespace(cst.SimpleWhitespace("  "), cst.Comment(comment))


def _join(above: Gap, below: Gap, count: int, at: int) -> Gap:
    """Return what a gap was before `put` split it into these two, around item `at` of `count`."""
    if is_broken(above) and is_broken(below):
        # The comment behind the item itself is at the start of `below`: it goes with the item.
        return below.with_changes(first_line=above.first_line, empty_lines=(*above.empty_lines, *below.empty_lines))
    if at == count - 1:
        if count == 1 and not is_broken(above):
            return below if is_broken(below) else cst.SimpleWhitespace(above.value + below.value)
        return above if _has_comment(above) else below
    return below if is_broken(below) and not is_broken(above) else above


def _has_comment(gap: Gap) -> bool:
    return is_broken(gap) and bool(gap.first_line.comment or gap.empty_lines)


def read(node: Any) -> Row:
    """Return the row of a List, Tuple, Dict, Call or ImportFrom."""
    elements = list(_elements(node))
    opening, closing = _ends(node)
    if not elements:
        return Row((), (opening,), (), False)
    commas = [element.comma if isinstance(element.comma, cst.Comma) else None for element in elements]
    gaps = [opening, *(comma.whitespace_after for comma in commas[:-1])]
    last = commas[-1]
    hanging = last.whitespace_after if last else getattr(elements[-1], "whitespace_after_arg", _NOTHING)
    gaps.append(closing if _is_empty(hanging) else hanging)
    if last is None and isinstance(elements[-1], cst.Arg):
        elements[-1] = elements[-1].with_changes(whitespace_after_arg=_NOTHING)
    items = tuple(element.with_changes(comma=cst.MaybeSentinel.DEFAULT) for element in elements)
    before = tuple(comma.whitespace_before if comma else _NOTHING for comma in commas)
    return Row(items, tuple(gaps), before, last is not None)


def write(node: Any, row: Row) -> Any:
    """Return the node with another row between its brackets."""
    hangs = isinstance(node, cst.Call)
    single = isinstance(node, cst.Tuple) and len(row.items) == 1
    trailing = bool(row.items) and (row.trailing or single)
    elements = [
        item.with_changes(comma=cst.Comma(before, gap))
        for item, before, gap in zip(row.items[:-1], row.before_commas[:-1], row.gaps[1:-1], strict=True)
    ]
    closing = row.gaps[-1] if row.items else _NOTHING
    if row.items:
        last = row.items[-1]
        if trailing:
            last = last.with_changes(comma=cst.Comma(row.before_commas[-1], closing if hangs else _NOTHING))
        elif hangs:
            last = last.with_changes(whitespace_after_arg=closing)
        elements.append(last)
    return _with_ends(node, elements, row.gaps[0], closing)


def _is_empty(gap: Any) -> bool:
    return not is_broken(gap) and not gap.value


def _elements(node: Any) -> Sequence[Any]:
    return getattr(node, {cst.Call: "args", cst.ImportFrom: "names"}.get(type(node), "elements"))


def _ends(node: Any) -> tuple[Gap, Gap]:
    """What stands behind the opening and before the closing bracket."""
    if isinstance(node, cst.Call):
        return node.whitespace_before_args, _NOTHING
    if isinstance(node, cst.ImportFrom):
        opening = node.lpar.whitespace_after if node.lpar else _NOTHING
        return opening, node.rpar.whitespace_before if node.rpar else _NOTHING
    if isinstance(node, cst.Tuple):
        if not node.lpar:
            return _NOTHING, _NOTHING
        return node.lpar[-1].whitespace_after, node.rpar[0].whitespace_before
    left, right = _BRACKETS[type(node)]
    return getattr(node, left).whitespace_after, getattr(node, right).whitespace_before


_BRACKETS: dict[type, tuple[str, str]] = {
    cst.List: ("lbracket", "rbracket"),
    cst.Set: ("lbrace", "rbrace"),
    cst.Dict: ("lbrace", "rbrace"),
}


def _with_ends(node: Any, elements: Sequence[Any], opening: Gap, closing: Gap) -> Any:
    if isinstance(node, cst.Call):
        return node.with_changes(args=elements, whitespace_before_args=opening)
    if isinstance(node, cst.ImportFrom):
        changes = {"names": elements}
        if node.lpar:
            changes["lpar"] = node.lpar.with_changes(whitespace_after=opening)
            changes["rpar"] = node.rpar.with_changes(whitespace_before=closing)
        return node.with_changes(**changes)
    if isinstance(node, cst.Tuple):
        if not node.lpar:
            return node.with_changes(elements=elements)
        lpar = [*node.lpar[:-1], node.lpar[-1].with_changes(whitespace_after=opening)]
        rpar = [node.rpar[0].with_changes(whitespace_before=closing), *node.rpar[1:]]
        return node.with_changes(elements=elements, lpar=lpar, rpar=rpar)
    left, right = _BRACKETS[type(node)]
    return node.with_changes(
        elements=elements,
        **{
            left: getattr(node, left).with_changes(whitespace_after=opening),
            right: getattr(node, right).with_changes(whitespace_before=closing),
        },
    )
