"""Runs rules over a workspace. Knows nothing of any repository: a rule says which picture it needs."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from generator.workspace.checkout import Workspace

from .finding import Finding, order
from .pictures import PICTURES, Overlay
from .rule import Rule, all_rules

if TYPE_CHECKING:
    from generator.plan.plan import Plan

Files = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Result:
    """What a run found.

    Attributes:
        findings: sorted, errors first.
        rules_run: ids of the rules that looked.
        rules_skipped: id to the reason, for those that could not.
        files_read: how many files were read.
    """

    findings: tuple[Finding, ...]
    rules_run: tuple[str, ...]
    rules_skipped: Mapping[str, str]
    files_read: int

    def to_json(self) -> dict[str, Any]:
        """Return JSON-able data."""
        return {**vars(self), "findings": [finding.to_json() for finding in self.findings]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """The result that `to_json` made this of."""
        findings = tuple(map(Finding.from_json, data["findings"]))
        return cls(findings, tuple(data["rules_run"]), data["rules_skipped"], data["files_read"])


def run_rules(
    workspace: Workspace,
    rules: Iterable[Rule] | None = None,
    *,
    overlay: Overlay | None = None,
    touched: Files | None = None,
) -> Result:
    """Run rules.

    Args:
        workspace: the checkouts.
        rules: all of them if not given.
        overlay: bytes that go before those on disk, by repository and path.
        touched: run only the rules that read one of these files.

    Raises:
        Whatever a rule raises: a rule that fails is a fault of the tool, never a clean result.
    """
    found: list[Finding] = []
    run: list[str] = []
    skipped: dict[str, str] = {}
    pictures: dict[str, Any] = {}
    with _no_collector():
        for rule in sorted(all_rules().values() if rules is None else rules, key=lambda r: r.late):
            lacking = [repo for repo in rule.needs if repo not in workspace]
            if lacking:
                skipped[rule.id] = f"no {' and no '.join(lacking)} checkout"
                continue
            run.append(rule.id)
            if touched is not None and not _concerned(rule, touched):
                continue
            if rule.picture not in pictures:
                pictures[rule.picture] = PICTURES[rule.picture].build(workspace, overlay or {})
            picture = pictures[rule.picture]
            found += rule.find(picture) if touched is None else rule.find_in(picture, touched)
    files = sum(picture.files_read for picture in pictures.values())
    return Result(tuple(sorted(set(found), key=order)), tuple(sorted(run)), skipped, files)


def check_plan(plan: Plan, workspace: Workspace) -> list[Finding]:
    """Return what the checkouts would have after a plan and do not have before it.

    Args:
        plan: applied or not; its tree says what it changes.
        workspace: the checkouts that it was made for.
    """
    changes = [c for c in plan.tree.changes() if not c.bookkeeping and c.path.endswith(".py")]
    before: dict[str, dict[str, bytes | None]] = {}
    after: dict[str, dict[str, bytes | None]] = {}
    for change in changes:
        before.setdefault(change.repo, {})[change.path] = change.before
        after.setdefault(change.repo, {})[change.path] = change.after
    touched = frozenset((c.repo, c.path) for c in changes)
    return [f for f, is_new in compare(workspace, before, after, touched).items() if is_new] if touched else []


def compare(
    workspace: Workspace, before: Overlay, after: Overlay, touched: Files, rules: Iterable[Rule] | None = None
) -> dict[Finding, bool]:
    """Return what is found after a change, and whether it is new; only by the rules that read what was touched.

    Args:
        workspace: the checkouts.
        before, after: the bytes of the touched files, by repository and path.
        touched: these files.
        rules: all of them if not given.
    """
    from generator.survey.shelf import Shelf

    chosen = list(all_rules().values() if rules is None else rules)
    workspace = Workspace({repo: Shelf.of(checkout) for repo, checkout in workspace.checkouts.items()})
    known = {f.fingerprint for f in run_rules(workspace, chosen, overlay=before, touched=touched).findings}
    found = run_rules(workspace, chosen, overlay=after, touched=touched).findings
    return {finding: finding.fingerprint not in known for finding in found}


def _concerned(rule: Rule, touched: Files) -> bool:
    return any(f"{repo}:{path}".startswith(rule.reads) for repo, path in touched)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Syntax trees have no cycles, and the cycle collector takes three quarters of the time of parsing many files."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
