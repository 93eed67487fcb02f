"""What a dlinfer checkout was found to be, by looking at its files."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

from generator.errors import ScaffoldError
from generator.spec.vendor import VENDORS

from .checkout import Checkout
from .style import annotations_of, bytes_of, header_of, newline_of, quotes_of

OPS = "dlinfer/ops/llm.py"
_TYPES = "dlinfer/utils/type_annotation.py"
_OLDEST = "2024-08-26"
# black's own default; dlinfer has no configuration of it.
_BLACK_COLUMNS = 88
_CUSTOM_OP = re.compile(rb"^from (dlinfer\.[\w.]*custom_op) import (\([^)]*\)|[^\n]*)", re.M)
_OP_DOCSTRING = re.compile(rb'^\) -> [^\n]*:\r?\n    """', re.M)
_BOUND = re.compile(
    rb"^(?:class (\w+)|(\w+)(?:: [^=\n]+)? = |from (?:torch|typing|collections)[\w.]* import ([^(\n]+)$)", re.M
)


@dataclass(frozen=True)
class DlinferProfile:
    """A dlinfer checkout. Every value is plain JSON, so that it can be an answer.

    Attributes:
        columns: line length, 88.
        quotes: `double` or `single`.
        annotations: `typing` or `pipe`.
        newline: `lf` or `crlf`.
        header: comment lines that `ops/llm.py` begins with.
        decorator: `one`, or `two` where defaults have a decorator of their own (before 2024-10-23).
        custom_op_module: dotted module of `register_custom_op`.
        op_docstrings: True if the ops have docstrings.
        types: names that `utils/type_annotation.py` offers.
        vendors: name to `{"ops_file": path, "header": [lines]}`, for the vendors that the checkout has.
    """

    columns: int
    quotes: str
    annotations: str
    newline: str
    header: tuple[str, ...]
    decorator: str
    custom_op_module: str
    op_docstrings: bool
    types: tuple[str, ...]
    vendors: dict[str, dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        """The profile as JSON values."""
        return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}


def probe_dlinfer(checkout: Checkout) -> DlinferProfile:
    """Look at the files of a dlinfer checkout.

    Raises:
        ScaffoldError: it is from before 26 August 2024, or has no `ops/llm.py`.
    """
    ops = _ops(checkout)
    custom_op = _CUSTOM_OP.search(ops)
    if not custom_op:
        raise ScaffoldError(
            f"{OPS} does not import register_custom_op, so this dlinfer checkout is of no era that is known",
            where=str(checkout.root / OPS),
            next="check out a dlinfer release",
        )
    vendors = {v.name: data for v in VENDORS.values() if (data := bytes_of(checkout.root / v.ops_file)) is not None}
    return DlinferProfile(
        columns=_BLACK_COLUMNS,
        quotes=quotes_of([ops]),
        annotations=annotations_of([ops]),
        newline=newline_of([ops]),
        header=header_of([ops]),
        decorator="two" if b"register_custom_op_default_value" in custom_op[2] else "one",
        custom_op_module=custom_op[1].decode(),
        op_docstrings=bool(_OP_DOCSTRING.search(ops)),
        types=_types(bytes_of(checkout.root / _TYPES) or b""),
        vendors={
            name: {"ops_file": VENDORS[name].ops_file, "header": list(header_of([data]))}
            for name, data in vendors.items()
        },
    )


def _ops(checkout: Checkout) -> bytes:
    if checkout.package.name != "dlinfer":
        raise _too_old(checkout, checkout.package.name, f"its package is called {checkout.package.name}")
    data = bytes_of(checkout.root / OPS)
    if data is None:
        raise ScaffoldError(f"this dlinfer checkout has no {OPS}", where=str(checkout.root), next="restore the file")
    if b"vendor_ops_registry[func_name]" in data or b"_getframe" in data:
        raise _too_old(checkout, OPS, "its ops find their key through the name of the running function")
    if not _is_formatted(data):
        raise _too_old(checkout, OPS, f"{OPS} is not formatted by black")
    return data


def _too_old(checkout: Checkout, path: str, why: str) -> ScaffoldError:
    return ScaffoldError(
        f"this dlinfer checkout is from before {_OLDEST}: {why}",
        where=str(checkout.root / path),
        next=f"update dlinfer to a commit of {_OLDEST} or later",
    )


def _is_formatted(data: bytes) -> bool:
    """True if most top-level definitions that follow a blank line follow two, as black writes them."""
    lines = [b"", b"", *data.splitlines()]
    starts = [i for i, line in enumerate(lines) if line.startswith((b"@", b"def ", b"class ")) and not lines[i - 1]]
    two = sum(not lines[i - 2] for i in starts)
    return two * 2 >= len(starts)


def _types(data: bytes) -> tuple[str, ...]:
    names = [part for match in _BOUND.finditer(data) for part in match.groups() if part]
    words = [word.strip().rpartition(b" ")[2].decode() for name in names for word in name.split(b",")]
    return tuple(dict.fromkeys(w for w in words if w.isidentifier()))
