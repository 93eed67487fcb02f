"""What a rule says: one finding, where it is, and what to do next."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .remedy import Remedy

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)
_LINE = re.compile(r"(?<=\.py):\d+")


@dataclass(frozen=True)
class Place:
    """A line of a file: `repo` is a key of `REPOS`, `path` relative to the checkout, `line` 1-based."""

    repo: str
    path: str
    line: int = 1

    def __str__(self) -> str:
        return f"{self.repo}/{self.path}:{self.line}"

    def to_json(self) -> dict[str, Any]:
        """As in every document of the tool."""
        return {"repo": self.repo, "path": self.path, "line": self.line}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, latent, or worth knowing.

    Attributes:
        rule: id of the rule.
        severity: `error`, `warning` or `note`.
        place: where it is.
        subject: the op, parameter, buffer, field or name that it is about.
        message: what is wrong, one sentence.
        next: what to do, an imperative sentence.
        other: the other side, where two sides disagree.
        here: the signature or call at `place`, as one line.
        there: that of the other side.
        vendors: the vendors that it concerns; empty where it concerns all or none in particular.
        op: the op at layer 3 that it concerns, or None.
        remedy: a safe fix, or None.
    """

    rule: str
    severity: str
    place: Place
    subject: str
    message: str
    next: str
    other: Place | None = None
    here: str | None = None
    there: str | None = None
    vendors: tuple[str, ...] = ()
    op: str | None = None
    remedy: Remedy | None = None

    @property
    def fingerprint(self) -> str:
        """The same for the same fault after lines moved; what a baseline remembers."""
        message = _LINE.sub("", self.message)
        parts = [self.rule, self.place.repo, self.place.path, self.subject, *self.vendors, message]
        parts.append(f"{self.other.repo}/{self.other.path}" if self.other else "")
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]

    @property
    def files(self) -> frozenset[tuple[str, str]]:
        """The files, as (repo, path), that take part in it."""
        places = [self.place, *([self.other] if self.other else [])]
        return frozenset((p.repo, p.path) for p in places)

    def as_(self, severity: str) -> Finding:
        """The same with another severity."""
        return replace(self, severity=severity)

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data; `repo`, `path` and `line` stand at the top level."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            **self.place.to_json(),
            "other": self.other.to_json() if self.other else None,
            "subject": self.subject,
            "message": self.message,
            "next": self.next,
            "here": self.here,
            "there": self.there,
            "vendors": list(self.vendors),
            "op": self.op,
            "remedy": self.remedy.to_json() if self.remedy else None,
            "fingerprint": self.fingerprint,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Finding:
        """The finding that `to_json` made this of."""
        from .remedy import Remedy

        other, remedy = data["other"], data.get("remedy")
        return cls(
            rule=data["rule"],
            severity=data["severity"],
            place=Place(data["repo"], data["path"], data["line"]),
            subject=data["subject"],
            message=data["message"],
            next=data["next"],
            other=Place(**other) if other else None,
            here=data["here"],
            there=data["there"],
            vendors=tuple(data["vendors"]),
            op=data["op"],
            remedy=Remedy.from_json(remedy) if remedy else None,
        )


def order(finding: Finding) -> tuple:
    """What findings are sorted by: severity, then rule, then place; to the end, so that two runs print the same."""
    place, other = finding.place, finding.other
    rank = (SEVERITIES.index(finding.severity), finding.rule, place.repo, place.path, place.line, finding.subject)
    return (*rank, str(other or ""), finding.message)
