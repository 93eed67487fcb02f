"""Reasoned exceptions in `scaffold.toml`.

    [[check.allow]]
    rule = "OP002"
    subject = "*_w8a8"
    vendor = "maca"
    reason = "removed on purpose, no int8 units"

`rule` and `reason` are required; `subject`, `path`, `vendor` and `repo` narrow it down, as shell patterns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from generator.errors import ScaffoldError

from .finding import Finding

_KEYS = ("rule", "reason", "subject", "path", "vendor", "repo")


@dataclass(frozen=True)
class Allow:
    """One entry: which findings it takes, and why they are right as they are."""

    rule: str
    reason: str
    subject: str = "*"
    path: str = "*"
    vendor: str = "*"
    repo: str = "*"

    def takes(self, finding: Finding) -> bool:
        """True if the entry is about a finding; one about several vendors must be allowed for each of them."""
        pairs = [(finding.rule, self.rule), (finding.subject, self.subject)]
        pairs += [(finding.place.path, self.path), (finding.place.repo, self.repo)]
        return all(fnmatchcase(value, pattern) for value, pattern in pairs) and all(
            fnmatchcase(vendor, self.vendor) for vendor in finding.vendors or ("",)
        )


def read_allowed(config: Mapping[str, Any], where: Path) -> list[Allow]:
    """Return the entries of a `scaffold.toml`.

    Raises:
        ScaffoldError: an entry lacks its rule or its reason, or has a key that means nothing.
    """
    table = config.get("check", {})
    entries = table.get("allow", []) if isinstance(table, dict) else None
    if not isinstance(entries, list):
        raise ScaffoldError("`check.allow` must be a list of tables", where=str(where), next="write [[check.allow]]")
    return [_entry(entry, number, where) for number, entry in enumerate(entries, 1)]


def apply(findings: Iterable[Finding], allowed: list[Allow]) -> tuple[list[Finding], int, list[Allow]]:
    """Return the findings that no entry takes, how many were taken, and the entries that took none."""
    kept, taken, idle = [], 0, list(allowed)
    for finding in findings:
        by = [entry for entry in allowed if entry.takes(finding)]
        idle = [entry for entry in idle if entry not in by]
        if by:
            taken += 1
        else:
            kept.append(finding)
    return kept, taken, idle


def _entry(entry: Any, number: int, where: Path) -> Allow:
    place = f"{where}, entry {number} of check.allow"
    if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
        raise ScaffoldError("an allow entry must be a table of strings", where=place)
    for key in entry:
        if key not in _KEYS:
            raise ScaffoldError(f"an allow entry has no key `{key}`", where=place, next=f"keys are {', '.join(_KEYS)}")
    for key in ("rule", "reason"):
        if not entry.get(key, "").strip():
            raise ScaffoldError(f"an allow entry needs a {key}", where=place, next=f'add {key} = "…"')
    return Allow(**entry)
