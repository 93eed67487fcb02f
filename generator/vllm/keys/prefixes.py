"""Prefixes that a training framework left on the keys."""

from __future__ import annotations

from ..finding import Finding
from . import vocabulary as v
from .groups import Groups


def foreign_prefixes(groups: Groups, source: str | None) -> list[Finding]:
    """Return a finding for each wrapper's prefix: no model class has a module of that name."""
    found = []
    for prefix in (*v.ADAPTER[:1], *v.WRAPPERS):
        keys = [group for group in groups.groups if group.pattern.startswith(prefix)]
        if keys:
            total = sum(group.count for group in keys)
            found.append(
                Finding(
                    "V05",
                    "error",
                    keys[0].first,
                    f"{total} keys start with {prefix!r}, which no model class has",
                    source,
                    next=f'map it away: WeightsMapper(orig_to_new_prefix={{"{prefix}": ""}})',
                )
            )
    return found
