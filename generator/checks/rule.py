"""What a rule is, and how it registers itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from .finding import Finding, Place

# A rule lives in a file called like its id, or in one of another family that has a prefix of its own.
_RULE_FILE = re.compile(r"(?:op|g|c|m|ven|e)\d{3}_\w+|vllm_\w+")


@dataclass(frozen=True)
class Case:
    """A small tree and what a rule says of it.

    Attributes:
        name: what it shows.
        files: `repo:path` to text; an empty workspace but for these.
        finds: `severity path:line` for every finding, in any order; empty for a valid case.
        says: words that must stand in the messages or next steps.
    """

    name: str
    files: Mapping[str, str]
    finds: tuple[str, ...] = ()
    says: tuple[str, ...] = field(default=())


class Rule:
    """One check. The class docstring is its documentation: what goes wrong, how it is found, what is let pass.

    A rule is registered by `@register`, and its file is found by its name (`op003_….py`, `vllm_….py`).

    Attributes:
        id: as in reports, `OP003`.
        title: one line.
        severity: of most of its findings.
        picture: what `find` is given: a key of `pictures.PICTURES`.
        needs: the checkouts without which it cannot look.
        late: True for a rule that is cheaper after the others have looked.
        reads: prefixes `repo:path` of what it looks at; with `--changed` it runs only if one of them was touched.
        VALID, INVALID: its cases, run by the tests.
    """

    id: ClassVar[str]
    title: ClassVar[str]
    severity: ClassVar[str] = "error"
    picture: ClassVar[str] = "layers"
    needs: ClassVar[tuple[str, ...]] = ("lmdeploy", "dlinfer")
    reads: ClassVar[tuple[str, ...]] = ("lmdeploy:", "dlinfer:")
    late: ClassVar[bool] = False
    VALID: ClassVar[tuple[Case, ...]] = ()
    INVALID: ClassVar[tuple[Case, ...]] = ()

    def find(self, picture: Any) -> Iterator[Finding]:
        """Yield what is wrong."""
        raise NotImplementedError

    def find_in(self, picture: Any, touched: frozenset[tuple[str, str]]) -> Iterator[Finding]:
        """Yield what is wrong where only some files, as (repo, path), have changed: all, unless a rule knows better."""
        yield from self.find(picture)

    def finding(self, place: Place, subject: str, message: str, next: str, **more: Any) -> Finding:
        """A finding of this rule; `severity` is the rule's own unless it is given."""
        severity = more.pop("severity", self.severity)
        return Finding(self.id, severity, place, subject, message, next, **more)

    @property
    def documentation(self) -> str:
        """The class docstring, cleaned."""
        return inspect.getdoc(type(self)) or ""


_RULES: dict[str, Rule] = {}


def register(cls: type[Rule]) -> type[Rule]:
    """Add a rule to those that run.

    Raises:
        ValueError: its id is taken by another class.
    """
    if cls.id in _RULES and type(_RULES[cls.id]).__qualname__ != cls.__qualname__:
        raise ValueError(f"two rules have the id {cls.id}")
    _RULES[cls.id] = cls()
    return cls


@cache
def all_rules() -> dict[str, Rule]:
    """Every rule by id, in the order of ids."""
    for file in sorted(Path(__file__).parent.glob("*.py")):
        if _RULE_FILE.fullmatch(file.stem):
            import_module(f"{__package__}.{file.stem}")
    return dict(sorted(_RULES.items()))
