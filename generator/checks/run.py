"""One check of a workspace: run, allow, subtract the baseline, report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from generator import __version__
from generator.survey.cache import digest, remember, stamp
from generator.survey.reading import paths, read
from generator.survey.shelf import Shelf
from generator.workspace.checkout import Workspace

from .allow import Allow
from .allow import apply as allow
from .baseline import subtract
from .engine import Result, compare, run_rules
from .finding import NOTE, Finding, Place
from .report import Report
from .request import Request


def check(
    workspace: Workspace,
    request: Request,
    *,
    allowed: list[Allow] | None = None,
    baseline: Counter[str] | None = None,
    level: str = "warning",
) -> Report:
    """Check a workspace.

    Args:
        workspace: the checkouts.
        request: what to look for.
        allowed: the entries of `scaffold.toml`.
        baseline: fingerprints that are known.
        level: the least severity that text formats show.

    Raises:
        ScaffoldError: there is no such rule, or git cannot tell what changed.
    """
    result = look(workspace, request)
    findings, taken, idle = allow(request.select(result.findings), allowed or [])
    findings, known = subtract(findings, baseline or Counter())
    if request == Request():
        findings += [_idle(entry) for entry in idle if entry.rule in result.rules_run]
    return Report(tuple(findings), result.rules_run, result.rules_skipped, result.files_read, level, taken, known)


def look(workspace: Workspace, request: Request) -> Result:
    """Run the rules that a request asks for; the result is kept by the content of all files that they may read."""
    if request.changed:
        return _look_at_changes(workspace, request)
    shelves = Workspace({repo: Shelf.of(checkout) for repo, checkout in workspace.checkouts.items()})
    key = digest([*_tool(), *request.rules, *_contents(shelves)])
    kept = remember("check", key, lambda: run_rules(shelves, request.chosen()).to_json())
    return Result.from_json(kept)


def _look_at_changes(workspace: Workspace, request: Request) -> Result:
    """What is at a line that the working trees changed, and what is new anywhere because of that."""
    from .changed import changed_files, committed, is_changed_line

    touched = changed_files(workspace)
    rules = request.chosen()
    able = [rule for rule in rules if all(repo in workspace for repo in rule.needs)]
    skipped = {
        r.id: f"no {' and no '.join(n for n in r.needs if n not in workspace)} checkout" for r in rules if r not in able
    }
    found: dict[Finding, bool] = {}
    if touched:
        found = compare(workspace, committed(workspace, touched), {}, touched, able)
    shown = tuple(f for f, is_new in found.items() if is_new or is_changed_line(workspace, f.place, touched))
    return Result(shown, tuple(rule.id for rule in able), skipped, len(touched))


def _contents(workspace: Workspace) -> Iterator[str | bytes]:
    """Path and bytes of every file that a rule may read."""
    for repo, checkout in workspace.checkouts.items():
        yield f"{repo} {checkout.package.name}"
        for path in paths(checkout, checkout.package.name):
            yield path
            reading = read(checkout, path)
            yield (reading.data or reading.failure or b"") if reading else b""


def _tool() -> list[str]:
    """What tells one version of the rules from another."""
    here = Path(__file__).parent
    rooms = {"checks": here.glob("*.py"), "survey": (here.parent / "survey").glob("*.py")}
    return [__version__, *stamp(rooms)]


def _idle(entry: Allow) -> Finding:
    message = f"the allow entry for {entry.rule} matches no finding any more: {entry.reason}"
    return Finding("E002", NOTE, Place("workspace", "scaffold.toml"), entry.subject, message, "remove the entry")
