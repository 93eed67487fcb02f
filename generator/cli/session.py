"""One run of a command that plans: recover, plan, apply unless dry, print."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from .common import Common

if TYPE_CHECKING:
    from generator.checks.finding import Finding
    from generator.plan.plan import Plan
    from generator.render.template import Template
    from generator.scaffolds.scene import Scene
    from generator.workspace.checkout import Workspace


def open_scene(
    common: Common, need: tuple[str, ...], *, track: bool = False, template: Template | None = None
) -> Scene:
    """Find the checkouts, finish or revert what a killed run left behind, and read what was applied.

    Raises:
        ScaffoldError: a checkout is missing.
    """
    from generator.scaffolds.scene import Scene

    return Scene.open(open_workspace(common, *need), track=track, template=template)


def open_workspace(common: Common, *need: str) -> Workspace:
    """Find the checkouts, and finish or revert what a killed run left behind; says which on stderr.

    Raises:
        ScaffoldError: a checkout is missing.
    """
    from generator.plan.recover import recover

    workspace = common.find(*need)
    for found in recover(workspace.roots):
        what = f"`scaffold {found.command}`" if found.command else "a command"
        print(f"recovered: {what} was killed and has been {found.outcome} in {', '.join(found.repos)}", file=sys.stderr)
        for path in found.kept:
            print(f"recovered: {path} was changed since and is left as it is", file=sys.stderr)
    return workspace


def plan_and_apply(
    common: Common,
    need: tuple[str, ...],
    make: Callable[[Scene], Plan],
    *,
    track: bool = False,
    template: str | None = None,
    check: bool = False,
) -> int:
    """Make a plan, write it unless `--dry-run` was given, print it, and return the exit code.

    Args:
        template: address of the templates, None for this package's own.
        check: hold the rules of `scaffold check` against what was written, and report that apart.

    Raises:
        ScaffoldError: nothing was written.
    """
    if template is None:
        scene = open_scene(common, need, track=track)
        return finish_plan(common, make(scene), scene.workspace if check else None)
    from generator.refresh.fetch import Fetch

    with Fetch() as fetch:
        scene = open_scene(common, need, track=track, template=fetch.given(template))
        return finish_plan(common, make(scene), scene.workspace if check else None)


def finish_plan(common: Common, plan: Plan, checked: Workspace | None = None) -> int:
    """Write a plan unless `--dry-run` was given, print it, and return the exit code.

    Args:
        checked: the checkouts, if what was written is to be checked. What the check finds does not change the exit
            code: the plan was carried out.

    Raises:
        ScaffoldError: nothing was written.
    """
    from .show_plan import show_findings, show_plan

    wrote = bool(plan.changes) and not common.dry_run
    if not common.dry_run:
        from generator.plan.apply import apply

        apply(plan)
    if not checked or not wrote:
        show_plan(plan, common)
        return plan.exit
    if common.as_json:
        show_plan(plan, common, found=_check(plan, checked))
        return plan.exit
    show_plan(plan, common)
    sys.stdout.flush()
    show_findings(_check(plan, checked))
    return plan.exit


def _check(plan: Plan, workspace: Workspace) -> list[Finding]:
    from generator.checks.engine import check_plan

    return [finding for finding in check_plan(plan, workspace) if finding.severity != "note"]
