"""The last look before anything is written: every Python file that a plan changes must still be one."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

from generator.errors import ScaffoldError

from .tree import Change


def require_python(changes: Iterable[Change]) -> None:
    """Raise if a changed `.py` file does not compile.

    A checkout may use syntax that is newer than the Python that runs this; what LibCST can parse is let through.

    Raises:
        ScaffoldError: a file is no Python; says the line.
    """
    for change in changes:
        if change.path.endswith(".py") and change.after is not None:
            _require(change)


def _require(change: Change) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(change.after, change.path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if not _parses(change):
            line = getattr(error, "lineno", None)
            where = f"{change.repo}/{change.path}" + (f":{line}" if line else "")
            raise ScaffoldError(f"the result is not Python: {error}; nothing was written", where=where) from error


def _parses(change: Change) -> bool:
    from generator.source.errors import Unparsable
    from generator.source.text import Source

    try:
        Source.parse(change.after, change.path)
    except Unparsable:
        return False
    return True
