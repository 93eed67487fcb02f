"""Run the rules over one model."""

from __future__ import annotations

from generator.checks.finding import order
from generator.checks.report import Report
from generator.errors import ScaffoldError

from .rule import rules
from .subject import Subject


def check_model(subject: Subject, chosen: tuple[str, ...] = (), level: str = "warning") -> Report:
    """Return the report of all rules, or of the `chosen` ids.

    Raises:
        ScaffoldError: there is no such rule.
    """
    known = rules()
    for id in chosen:
        if id.upper() not in known:
            raise ScaffoldError(f"there is no rule {id!r:.40}", next=f"the rules are {', '.join(known)}")
    found, run, skipped = [], [], {}
    for id, rule in known.items():
        if chosen and id not in {c.upper() for c in chosen}:
            continue
        lacking = next(filter(None, map(subject.has, rule.wants)), None)
        if lacking:
            skipped[id] = lacking
            continue
        run.append(id)
        found += rule.find(subject)
    return Report(tuple(sorted(set(found), key=order)), tuple(run), skipped, subject.files_read, level)
