"""A finished check, as every format prints it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .finding import ERROR, NOTE, SEVERITIES, Finding

SCHEMA = "check/1"


@dataclass(frozen=True)
class Report:
    """What a check says.

    Attributes:
        findings: all of them, notes included, errors first.
        rules_run: ids of the rules that looked.
        rules_skipped: id to the reason, for those that could not.
        files_read: how many files were read.
        level: the least severity that text formats show.
        allowed: how many findings an allow-list entry has taken.
        known: how many findings the baseline has taken.
    """

    findings: tuple[Finding, ...]
    rules_run: tuple[str, ...]
    rules_skipped: Mapping[str, str] = field(default_factory=dict)
    files_read: int = 0
    level: str = "warning"
    allowed: int = 0
    known: int = 0

    @property
    def exit(self) -> int:
        """1 if there is an error, 2 if no rule could look, else 0."""
        if not self.rules_run:
            return 2
        return 1 if any(finding.severity == ERROR for finding in self.findings) else 0

    @property
    def shown(self) -> tuple[Finding, ...]:
        """The findings at the report's level."""
        limit = SEVERITIES.index(self.level)
        return tuple(f for f in self.findings if SEVERITIES.index(f.severity) <= limit)

    @property
    def counts(self) -> dict[str, int]:
        """Severity to the number of findings."""
        found = Counter(finding.severity for finding in self.findings)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def hidden_notes(self) -> int:
        """How many notes the level hides."""
        return 0 if self.level == NOTE else self.counts[NOTE]

    def to_json(self) -> dict[str, Any]:
        """The document of `--format json`: every finding, notes included."""
        return {
            "schema": SCHEMA,
            "command": "check",
            "exit": self.exit,
            "findings": [finding.to_json() for finding in self.findings],
            "counts": self.counts,
            "rules_run": list(self.rules_run),
            "rules_skipped": dict(self.rules_skipped),
            "files_read": self.files_read,
            "allowed": self.allowed,
            "known": self.known,
        }
