"""Where an import line goes, and in which order, as isort (and ruff's `I` rules) see it.

The orders are those of ruff's isort with its default settings (`order-by-type`, `force-sort-within-sections = false`,
`relative-imports-order = furthest-to-closest`); a file that keeps another order is left in it.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from . import body as bodies
from .address import Address, get, replace
from .text import Source
from .walk import dotted, statements


@dataclass(frozen=True)
class ImportLine:
    """A module that is imported, and how: enough to sort its line by.

    Attributes:
        module: dotted name, with leading dots where it is relative.
        first: the first name of `from module import …`, None for `import module`.
    """

    module: str
    first: str | None = None

    def key(self, path: str) -> tuple[Any, ...]:
        """Return what isort sorts the lines of a file at `path` by."""
        name = self.module.lstrip(".")
        level = len(self.module) - len(name)
        members = () if self.first is None else member_key(self.first)
        return self.section(path), self.first is not None, -level, natural(name.lower()), natural(name), members

    def section(self, path: str) -> int:
        """Return 0 for `__future__`, 1 standard library, 2 third party, 3 the file's own package, 4 relative."""
        root = self.module.partition(".")[0]
        if not root:
            return 4
        if root == "__future__":
            return 0
        if root in sys.stdlib_module_names:
            return 1
        return 3 if root == path.partition("/")[0] else 2

    def nearness(self, other: ImportLine) -> int:
        """Return how many leading parts two module names share; dots count as one each."""
        shared = 0
        for mine, theirs in zip(_parts(self.module), _parts(other.module), strict=False):
            if mine != theirs:
                break
            shared += 1
        return shared


def _parts(module: str) -> list[str]:
    return re.findall(r"\.|[^.]+", module)


def natural(text: str) -> tuple[str | int, ...]:
    """Return a key that sorts `v2` before `v10`."""
    return tuple(int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", text))


def member_key(name: str) -> tuple[Any, ...]:
    """Return what isort sorts imported names by: CONSTANTS, then Classes, then the rest."""
    if len(name) > 1 and name.isupper():
        sort = 0
    else:
        sort = 1 if name[:1].isupper() else 2
    return sort, natural(name.lower()), natural(name)


def line_of_import(statement: Any) -> ImportLine | None:
    """Return what an import statement imports; None for any other statement."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    if isinstance(small, cst.ImportFrom):
        star = isinstance(small.names, cst.ImportStar)
        return ImportLine(module_of(small), "" if star else small.names[0].evaluated_name)
    return ImportLine(dotted(small.names[0].name)) if isinstance(small, cst.Import) else None


def module_of(node: cst.ImportFrom) -> str:
    """Return the module of a `from` import, with its leading dots."""
    return "." * len(node.relative) + (dotted(node.module) if node.module else "")


def runtime_statements(source: Source) -> Iterator[tuple[Address, Any]]:
    """Yield module-level statements, also inside `if` and `try`, but not those under `if TYPE_CHECKING:`."""
    hidden: list[Address] = []
    for address, statement in statements(source.module):
        if any(address[: len(where)] == where for where in hidden):
            continue
        if isinstance(statement, cst.If) and dotted(statement.test).rpartition(".")[2] == "TYPE_CHECKING":
            hidden.append((*address, ("body", None)))
        yield address, statement


def put_line(source: Source, line: ImportLine, new: Any) -> Source:
    """Return the file with an import statement in the block where it belongs.

    A block is a run of imports without a blank line. The statement goes to the one with the nearest module of its
    section: where sorting puts it if the block is sorted, else to the end. A section that the file has not gets a
    block of its own.
    """
    body = source.module.body
    blocks = _blocks(source)
    if not blocks:
        return _put_first(source, new)
    section = line.section(source.path)
    kept = [b for b in blocks if section in {other.section(source.path) for _, other in b}]
    if not kept and len(blocks) == 1 and len({other.section(source.path) for _, other in blocks[0]}) > 1:
        kept = blocks
    if kept:
        block = max(kept, key=lambda b: (max(line.nearness(other) for _, other in b), b[0][0]))
        comment = _common_noqa([body[i] for i, _ in block])
        if comment:
            new = new.with_changes(trailing_whitespace=comment)
        index = _place(source, line, block)
        return _put_at(source, index, new, on_top=index == block[0][0])
    below = next((b for b in blocks if b[0][1].section(source.path) > section), None)
    if below is None:
        return _put_at(source, blocks[-1][-1][0] + 1, new, before=1)
    return _put_at(source, below[0][0], new, on_top=True, after=1)


Block = list[tuple[int, ImportLine]]


def _blocks(source: Source) -> list[Block]:
    blocks: list[Block] = []
    for index, statement in enumerate(source.module.body):
        line = line_of_import(statement)
        if line is None:
            continue
        parted = any(above.comment is None for above in statement.leading_lines)
        if blocks and blocks[-1][-1][0] == index - 1 and not parted:
            blocks[-1].append((index, line))
        else:
            blocks.append([(index, line)])
    return blocks


def _place(source: Source, line: ImportLine, block: Block) -> int:
    for key in (lambda one: one.key(source.path), lambda one: one.module.lower()):
        keys = [key(other) for _, other in block]
        if keys == sorted(keys):
            return block[0][0] + bisect_right(keys, key(line))
    return block[-1][0] + 1


def _put_at(source: Source, index: int, new: Any, on_top: bool = False, before: int = 0, after: int = 0) -> Source:
    """Put a statement above `index`; on top of a block below what parts that block from the code above."""
    module = source.module
    split = len(bodies.gap(module, index)) - bodies.owned(module, index, 0) if on_top else 0
    return source.with_module(bodies.put_in(module, index, [new], split, before, after))


def _put_first(source: Source, new: Any) -> Source:
    """Put the first import of a file below its docstring or the comments that start it."""
    module = source.module
    if not module.body:
        lines = bodies.gap(module, 0)
        return source.with_module(bodies.put_in(module, 0, [new], len(lines), 2 if lines else 0))
    if module.get_docstring() is not None:
        return source.with_module(bodies.put_in(module, 1, [new], before=1))
    split = len(bodies.gap(module, 0)) - bodies.owned(module, 0, 0)
    after = 2 if isinstance(module.body[0], (cst.FunctionDef, cst.ClassDef)) else 1
    return source.with_module(bodies.put_in(module, 0, [new], split, after=after))


def take_line(source: Source, address: Address) -> Source:
    """Return the file without an import statement; with the last of a block goes what parted it from the next."""
    block, index = get(source.module, address[:-1]), address[-1][1] or 0
    if address[:-1] or not _is_alone(source, index):
        blanks = 0
    elif len(block.body) == 1:
        blanks = 2
    elif index == 0 and not line_of_import(block.body[1]):
        # All blank lines between the only import, on top, and other code came with it.
        blanks = min(2, bodies.blanks_at_start(bodies.gap(block, 1))) or 2
    else:
        # A block of its own was parted from what stands above it, or else from the block below it.
        parted = bodies.blanks_at_start(bodies.gap(block, index)[::-1]) > 0
        joined = index + 1 < len(block.body) and line_of_import(block.body[index + 1]) is not None
        blanks = int(parted or joined)
    return replace(source, address[:-1], bodies.take_out(block, index, blanks=blanks))


def _is_alone(source: Source, index: int) -> bool:
    return all(len(block) == 1 for block in _blocks(source) if index in [i for i, _ in block])


def _common_noqa(statements: list[Any]) -> cst.TrailingWhitespace | None:
    """The `# noqa` that every statement of a block carries behind it or behind its names."""
    ends = [statement.trailing_whitespace for statement in statements]
    marked = [end for end in ends if end.comment and end.comment.value.startswith("# noqa")]
    codes = [cst.Module([statement]).code for statement in statements]
    if not marked or not all("# noqa" in code for code in codes):
        return None
    return marked[0].with_changes(newline=cst.Newline())
