"""What a V rule is: a rule of `scaffold check` that looks at one model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import ClassVar

from generator.checks.finding import Finding, Place
from generator.checks.rule import Case, Rule

from ..finding import Finding as Answer
from .subject import Subject

__all__ = ["Case", "Finding", "ModelRule", "Place", "Subject", "register", "rules"]

_RULES: dict[str, ModelRule] = {}


class ModelRule(Rule):
    """Attributes:
    wants: what the subject must have: names of `Subject.has`.
    """

    picture: ClassVar[str] = "model"
    needs: ClassVar[tuple[str, ...]] = ()
    wants: ClassVar[tuple[str, ...]] = ()

    def find(self, subject: Subject) -> Iterator[Finding]:
        """Yield what is wrong with the subject."""
        raise NotImplementedError

    def at(self, repo: str, path: str, line: int, subject: str, message: str, next: str, **more: str) -> Finding:
        """A finding of this rule at a line."""
        return self.finding(Place(repo, path, line), subject, message, next, **more)

    def answers(self, found: list[Answer]) -> Iterator[Finding]:
        """Yield the analysis' own findings of this rule."""
        for one in found:
            if one.rule == self.id:
                yield self.at(
                    one.repo,
                    one.path or "config.json",
                    one.line or 1,
                    one.subject,
                    one.message,
                    one.next or "look at it",
                    severity=one.severity,
                )


def register(cls: type[ModelRule]) -> type[ModelRule]:
    """Add a rule to those that run.

    Raises:
        ValueError: its id is taken.
    """
    if cls.id in _RULES:
        raise ValueError(f"two rules have the id {cls.id}")
    _RULES[cls.id] = cls()
    return cls


@cache
def rules() -> dict[str, ModelRule]:
    """Every rule by id, in the order of ids."""
    for file in sorted(Path(__file__).parent.glob("v[0-9][0-9]_*.py")):
        import_module(f"{__package__}.{file.stem}")
    return dict(sorted(_RULES.items()))
