"""`scaffold check`: do the layers agree?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import Common, with_common
from .complete import op_names, vendors

if TYPE_CHECKING:
    from generator.checks.report import Report
    from generator.checks.request import Request
    from generator.workspace.checkout import Workspace

_EXAMPLES = """\b
Examples:
  scaffold check --vendor camb
  scaffold check --rule OP003 --op fused_moe
  scaffold check --changed --format github
"""
Vendors = Annotated[
    list[str] | None, typer.Option("--vendor", help="Only what concerns this vendor; repeat.", autocompletion=vendors)
]
Ops = Annotated[
    list[str] | None,
    typer.Option("--op", help="Only what is about this op, or a pattern; repeat.", autocompletion=op_names),
]
Rules = Annotated[list[str] | None, typer.Option("--rule", help="Only this rule, or family such as OP; repeat.")]
Changed = Annotated[bool, typer.Option("--changed", help="Only what the working trees have changed.")]
Level = Annotated[Literal["error", "warning", "note"], typer.Option(help="The least severity to show.")]
Format = Annotated[
    Literal["text", "json", "github", "sarif", "markdown"], typer.Option(help="How the findings are printed.")
]
Baseline = Annotated[Path | None, typer.Option(metavar="FILE", help="Leave out the findings in this file.")]
Write = Annotated[Path | None, typer.Option("--write-baseline", metavar="FILE", help="Write the findings to a file.")]
Fix = Annotated[bool, typer.Option("--fix", help="Apply the safe fixes of what is shown, as a plan.")]
Explain = Annotated[
    str | None, typer.Option("--explain", metavar="RULE", help="Print what a rule looks for, and exit.")
]
Checklist = Annotated[bool, typer.Option("--checklist", help="Print the checklist of a port instead.")]
Logs = Annotated[
    list[Path] | None,
    typer.Option("--evidence", metavar="FILE", help="A log that closes a row of the checklist; repeat."),
]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("check", epilog=_EXAMPLES, short_help="Check that all layers agree; exit 1 on errors.")(
        with_common(check)
    )


def check(
    common: Common,
    vendor: Vendors = None,
    op: Ops = None,
    rule: Rules = None,
    changed: Changed = False,
    level: Level = "warning",
    baseline: Baseline = None,
    write_baseline: Write = None,
    fix: Fix = False,
    explain: Explain = None,
    checklist: Checklist = False,
    evidence: Logs = None,
    format: Format = "text",
) -> int:
    """Check that all layers of lmdeploy and dlinfer agree; exit 1 on errors."""
    from generator.checks.request import Request
    from generator.spec.vendor import vendor_named

    format = "json" if common.as_json else format
    asked = tuple(vendor_named(name).name for name in vendor or ())
    request = Request(asked, tuple(op or ()), tuple(rule or ()), changed)
    if explain:
        return _explain(explain, format)
    workspace = find_any(common)
    if write_baseline:
        return _write(workspace, request, write_baseline)
    with _uncollected():
        report = _report(workspace, request, baseline, level)
    if checklist or evidence:
        return _checklist(report, asked, evidence or [], format)
    if fix:
        return _fix(report, common, workspace)
    _print(report, format)
    return report.exit


@contextmanager
def _uncollected() -> Iterator[None]:
    """A process that is about to end has no use for the cycle collector, which would go through every syntax tree."""
    import gc

    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def find_any(common: Common) -> Workspace:
    """Find the checkouts; one of lmdeploy and dlinfer is enough to look at.

    Raises:
        ScaffoldError: there is none.
    """
    from generator.errors import ScaffoldError

    from .session import open_workspace

    for need in (("lmdeploy", "dlinfer"), ("dlinfer",)):
        try:
            return open_workspace(common, *need)
        except ScaffoldError as error:
            if "more than one" in error.what or "names no" in error.what:
                raise
    return open_workspace(common, "lmdeploy")


def _report(workspace: Workspace, request: Request, baseline: Path | None, level: str) -> Report:
    from generator.checks.allow import read_allowed
    from generator.checks.baseline import read_baseline
    from generator.checks.run import check as run
    from generator.workspace.config import find_config, read_config

    config = find_config(Path.cwd())
    allowed = read_allowed(read_config(config), config) if config else []
    known = read_baseline(baseline) if baseline else None
    return run(workspace, request, allowed=allowed, baseline=known, level=level)


def _write(workspace: Workspace, request: Request, path: Path) -> int:
    from generator.checks.baseline import write_baseline

    findings = _report(workspace, request, None, "note").findings
    write_baseline(path, findings)
    print(f"{len(findings)} findings written to {path}")
    return 0


def _print(report: Report, format: str) -> None:
    import os

    from generator.checks.formats import render

    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print(render(report, format, colour=colour))


def _explain(id: str, format: str) -> int:
    import json

    from generator.checks.explain import explain, to_json
    from generator.checks.request import Request

    for rule in Request(rules=(id,)).chosen():
        print(json.dumps(to_json(rule), indent=1) if format == "json" else explain(rule))
    return 0


def _checklist(report: Report, vendors: tuple[str, ...], logs: list[Path], format: str) -> int:
    import json

    from generator.checks.checklist import exit_code, make_checklist, to_json, to_text
    from generator.checks.evidence import Evidence
    from generator.errors import ScaffoldError
    from generator.spec.vendor import VENDORS

    evidence = [Evidence.read(path) for path in logs]
    rows = make_checklist(report, vendors or tuple(VENDORS), evidence)
    for path, one in zip(logs, evidence, strict=True):
        if not any(one.hash in row.why for row in rows):
            next = "record the command of an open row, as --checklist prints it"
            raise ScaffoldError("the log is of no command of the checklist", where=str(path), next=next)
    print(json.dumps(to_json(rows), indent=1) if format == "json" else to_text(rows, markdown=format == "markdown"))
    return exit_code(rows)


def _fix(report: Report, common: Common, workspace: Workspace) -> int:
    from generator.scaffolds.fixes import plan_fixes
    from generator.scaffolds.scene import Scene

    from .session import finish_plan

    code = finish_plan(common, plan_fixes(report.shown, Scene.open(workspace)))
    left = any(f.severity == "error" and not f.remedy for f in report.findings)
    return code or int(left)
