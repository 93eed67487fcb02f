"""The kinds of insertion by the names that fragments and ledgers use, and their way to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any

from .base import Insertion
from .dataclass_field import DataclassField
from .definition import Definition
from .dict_entry import DictEntry
from .elif_branch import ElifBranch
from .enum_member import EnumMember
from .errors import SourceError
from .export import Export
from .import_from import ImportFrom
from .import_module import Import
from .keyword_argument import KeywordArgument
from .member import Member
from .statement import Statement
from .table_row import TableRow

KINDS: dict[str, type[Any]] = {
    one.kind: one
    for one in (
        Export,
        ImportFrom,
        Import,
        ElifBranch,
        EnumMember,
        Definition,
        DictEntry,
        DataclassField,
        KeywordArgument,
        Statement,
        Member,
        TableRow,
    )
}


def insertion_from(kind: str, values: Mapping[str, str | None]) -> Insertion:
    """Return the insertion of a kind with these fields.

    Args:
        kind: `export`, `import-from`, …: a key of `KINDS`.
        values: the fields by name; those with a default may be left out.

    Raises:
        SourceError: an unknown kind, an unknown field or a missing one; says which there are.
    """
    if kind not in KINDS:
        raise SourceError(f"unknown kind of insertion `{kind}`", next=_say("kind", kind, list(KINDS)))
    cls = KINDS[kind]
    known = {field.name: field for field in fields(cls)}
    for name in values:
        if name not in known:
            raise SourceError(f"`{kind}` has no field `{name}`", next=_say("field", name, list(known)))
    lacking = [name for name, field in known.items() if field.default is MISSING and name not in values]
    if lacking:
        raise SourceError(f"`{kind}` needs `{lacking[0]}`", next=f"its fields are {', '.join(known)}")
    return cls(**values)


def to_dict(insertion: Insertion) -> dict[str, str]:
    """Return an insertion as JSON-able data: its `kind` and the fields that differ from their defaults."""
    data = {"kind": insertion.kind}
    for field in fields(insertion):  # type: ignore[arg-type]
        value = getattr(insertion, field.name)
        if value != field.default:
            data[field.name] = value
    return data


def from_dict(data: Mapping[str, Any]) -> Insertion:
    """Return the insertion that `to_dict` made this of.

    Raises:
        SourceError: as `insertion_from`, or no kind at all.
    """
    values = dict(data)
    return insertion_from(values.pop("kind", ""), values)


def _say(what: str, given: str, known: list[str]) -> str:
    close = get_close_matches(given, known, 1)
    meant = f"did you mean `{close[0]}`? " if close else ""
    return f"{meant}the {what}s are {', '.join(known)}"
