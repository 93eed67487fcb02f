"""`scaffold check`: do the layers agree?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import Common, with_common
from .complete import op_names, vendors

if TYPE_CHECKING:
    from generator.checks.report import Report
    from generator.checks.request import Request
    from generator.workspace.checkout import Workspace

_EXAMPLES = """Examples:

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
Write = Annotated[Path | None, typer.Option("--write-baseline", metavar="FILE", help="Write today's findings to a file.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("check", epilog=_EXAMPLES)(with_common(check))


def check(
    common: Common,
    vendor: Vendors = None,
    op: Ops = None,
    rule: Rules = None,
    changed: Changed = False,
    level: Level = "warning",
    baseline: Baseline = None,
    write_baseline: Write = None,
    format: Format = "text",
) -> int:
    """Check that all layers of lmdeploy and dlinfer agree; exit 1 on errors."""
    from generator.checks.request import Request
    from generator.spec.vendor import vendor_named

    asked = tuple(vendor_named(name).name for name in vendor or ())
    request = Request(asked, tuple(op or ()), tuple(rule or ()), changed)
    workspace = find_any(common)
    if write_baseline:
        return _write(workspace, request, write_baseline)
    report = _report(workspace, request, baseline, level)
    _print(report, "json" if common.as_json else format)
    return report.exit


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
