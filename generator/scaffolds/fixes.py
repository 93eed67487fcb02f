"""The safe fixes of a report as one plan: dry run, diff and undo are the plan's."""

from __future__ import annotations

from collections.abc import Iterable

from generator import __version__
from generator.checks.finding import Finding
from generator.checks.remedy import Remedy
from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan
from generator.survey.cache import digest

from .scene import Scene

_COMMAND = "check --fix"


def plan_fixes(findings: Iterable[Finding], scene: Scene) -> Plan:
    """Plan every remedy of some findings, each once; one that has no place in its file is told in a note.

    Raises:
        ScaffoldError: there is nothing to fix.
    """
    remedies = {finding.remedy: finding for finding in findings if finding.remedy}
    if not remedies:
        raise ScaffoldError("none of the findings has a safe fix", next="see `next` of each finding")
    id = f"fix-{digest(repr(r) for r in remedies)[:8]}"
    builder = PlanBuilder(scene.tree, scene.ledger, [Applied(id, "fix", "fix", (), __version__, _COMMAND)])
    for remedy, finding in remedies.items():
        _add(builder, remedy, finding)
    return builder.build(command=_COMMAND)


def _add(builder: PlanBuilder, remedy: Remedy, finding: Finding) -> None:
    from generator.source.errors import SourceError
    from generator.source.registry import insertion_from

    fields = dict(remedy.fields)
    if remedy.kind == "create":
        data = fields["text"].encode()
        builder.create(remedy.repo, remedy.path, data, layer=None, name=remedy.name, what=finding.rule)
        return
    try:
        insertion = insertion_from(remedy.kind, fields)
        builder.insert(remedy.repo, remedy.path, insertion, layer=None, what=finding.rule)
    except (SourceError, ScaffoldError) as error:
        where = f"{remedy.repo}/{remedy.path}"
        builder.note("warning", f"{finding.rule} is not fixed here: {error}", where=where, next=finding.next)
