"""What a run of `scaffold check` was asked for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase

from generator.errors import ScaffoldError

from .finding import Finding
from .rule import Rule, all_rules


@dataclass(frozen=True)
class Request:
    """A selection.

    Attributes:
        vendors: only findings that concern one of these, or no vendor in particular; empty for all.
        ops: only findings about these ops; shell patterns; empty for all.
        rules: ids or prefixes of ids (`OP`, `G`); empty for all.
        changed: only findings at lines that the working trees changed, and what is new because of them.
    """

    vendors: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    changed: bool = False

    def chosen(self) -> list[Rule]:
        """The rules to run.

        Raises:
            ScaffoldError: there is no such rule.
        """
        known = all_rules()
        if not self.rules:
            return list(known.values())
        for text in self.rules:
            if not any(_is(rule, text) for rule in known):
                near = get_close_matches(text.upper(), known, n=1, cutoff=0.5)
                hint = f"did you mean {near[0]}? " if near else ""
                raise ScaffoldError(f"there is no rule {text}", next=f"{hint}the rules are {', '.join(known)}")
        return [rule for id, rule in known.items() if any(_is(id, text) for text in self.rules)]

    def wants(self, finding: Finding) -> bool:
        """True if a finding was asked for."""
        if self.vendors and finding.vendors and not set(self.vendors) & set(finding.vendors):
            return False
        names = [n for n in (finding.op, finding.subject) if n]
        return not self.ops or any(fnmatchcase(name, op) for op in self.ops for name in names)

    def select(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings that were asked for, in their order."""
        return tuple(finding for finding in findings if self.wants(finding))


def _is(id: str, text: str) -> bool:
    return id == text.upper() or (text.isalpha() and id.rstrip("0123456789") == text.upper())
