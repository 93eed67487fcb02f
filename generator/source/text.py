"""A Python file as an edit sees it: the concrete tree, and the bytes it stands for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import libcst as cst

from .errors import Unparsable

# An `elif` costs LibCST's code generator two frames; 3.11 keeps Python frames on the heap, so this is no C stack.
_FRAMES = 200_000


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Allow dispatchers of thousands of branches, and put the interpreter's limit back."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Source:
    """One Python file, immutable: an edit gives a new one that shares every untouched node with the old.

    Attributes:
        path: how messages call the file, relative to its checkout.
        module: LibCST's tree.
    """

    def __init__(self, path: str, module: cst.Module, codes: dict[cst.CSTNode, str] | None = None):
        self.path = path
        self.module = module
        # Code of every top-level statement seen so far. Nodes never change, so all Sources of one chain share it, and
        # only the statements that an edit touched are generated again.
        self._codes = {} if codes is None else codes

    @classmethod
    def parse(cls, data: bytes, path: str) -> Source:
        """Read a file from its bytes: any encoding cookie, BOM and newlines.

        Raises:
            Unparsable: a syntax error, or a file that LibCST does not give back byte for byte.
        """
        try:
            with deep_recursion():
                source = cls(path, cst.parse_module(data))
                exact = source.data == data and not _ends_astray(source.module)
        except Exception as error:  # LibCST raises TypeError, UnicodeError, SyntaxError … besides its own
            raise _unparsable(error, path) from error
        if not exact:
            raise Unparsable(
                "LibCST cannot be trusted to give this file back byte for byte, so it is not edited",
                where=path,
                next="take the spaces out of blank lines at its end, and use `\\n` or `\\r\\n` newlines",
            )
        return source

    def with_module(self, module: cst.Module) -> Source:
        """Return the file with another tree, `self` if it is the same one."""
        return self if module is self.module else Source(self.path, module, self._codes)

    @cached_property
    def data(self) -> bytes:
        """The file's bytes, in its own encoding."""
        module = self.module
        with deep_recursion():
            text = "".join(map(self.code, (*module.header, *module.body, *module.footer)))
        if module.has_trailing_newline:
            text = text or module.default_newline
        else:
            text = text.removesuffix("\n").removesuffix("\r")
        return text.encode(module.encoding)

    def code(self, node: cst.CSTNode) -> str:
        """Return the code of a top-level statement or line, generated once."""
        known = self._codes.get(node)
        if known is None:
            with deep_recursion():
                known = self._codes[node] = self.module.code_for_node(node)
        return known

    @property
    def newline(self) -> str:
        """What ends a line here, `\\n` or `\\r\\n`."""
        return self.module.default_newline

    @property
    def indent(self) -> str:
        """One step of indentation here."""
        return self.module.default_indent

    @cached_property
    def quote(self) -> str:
        """The quote that most of the file's strings use."""
        text = "".join(map(self.code, self.module.body)).replace('"""', "").replace("'''", "")
        return "'" if text.count("'") > text.count('"') else '"'


def _ends_astray(module: cst.Module) -> bool:
    """Whether a line of spaces stands below a comment at the end: LibCST then takes both for a part of a def above."""
    comments = [at for at, line in enumerate(module.footer) if line.comment]
    return bool(comments) and any(line.whitespace.value for line in module.footer[comments[0] :] if not line.comment)


def _unparsable(error: Exception, path: str) -> Unparsable:
    line = getattr(error, "raw_line", None) or getattr(error, "lineno", None)
    reason = getattr(error, "message", None) or str(error) or type(error).__name__
    return Unparsable(
        f"this file cannot be read as Python: {reason.splitlines()[0]}",
        where=f"{path}:{line}" if line else path,
        next="correct it, then try again",
    )
