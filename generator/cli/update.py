"""`scaffold update`: what was generated earlier follows newer templates or another declaration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from .common import Common, with_common
from .op import Params, Returns, ShapeFrom, Templates

if TYPE_CHECKING:
    from generator.plan.plan import Plan
    from generator.refresh.fetch import Fetch
    from generator.refresh.update import Job
    from generator.scaffolds.scene import Scene

_EXAMPLES = """\b
Examples:
  scaffold update --dry-run --diff
  scaffold update --check --json
  scaffold update op-rms_norm_gated-camb --param "hidden_states: Tensor" --param "weight: Tensor" --param "eps: float"
"""
Id = Annotated[str | None, typer.Argument(help="An id, such as op-rms_norm_gated-camb, or a name; all without it.")]
To = Annotated[str | None, typer.Option("--to", metavar="VERSION", help="The template version, if not the newest.")]
Check = Annotated[bool, typer.Option("--check", help="Only tell what is older than its templates; exit 1 if any is.")]
Inline = Annotated[bool, typer.Option("--inline", help="Write conflict markers into shared files too.")]
Native = Annotated[str | None, typer.Option(metavar="CALL", help="The native call, for the new declaration.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("update", epilog=_EXAMPLES, short_help="Bring what was generated up to its templates.")(
        with_common(update)
    )


def update(
    common: Common,
    name: Id = None,
    to: To = None,
    check: Check = False,
    inline: Inline = False,
    template: Templates = None,
    param: Params = None,
    returns: Returns = None,
    shape_from: ShapeFrom = None,
    native: Native = None,
) -> int:
    """Bring what was generated up to its templates, or an op to another declaration; edits are kept."""
    from generator.refresh.fetch import Fetch

    given = {"param": param, "returns": returns, "shape_from": shape_from, "native": native}
    with Fetch() as fetch:
        source = _source(fetch, template, to)
        return _run(common, name, source, given, check=check, inline=inline)


def _source(fetch: Fetch, template: str | None, to: str | None):
    if template is not None:
        return lambda answers: fetch.given(template, to)
    return lambda answers: fetch.recorded(answers, to)


def _run(common: Common, name: str | None, source, given: dict, *, check: bool, inline: bool) -> int:
    from generator.refresh.jobs import ids_of, jobs_of
    from generator.refresh.update import plan_update

    from .session import finish_plan, open_scene

    respec = any(given.values())
    scene = open_scene(common, ("lmdeploy", "dlinfer") if respec else ())
    if respec:
        return finish_plan(common, _respecify(scene, name, source, given, inline))
    jobs = jobs_of(scene, ids_of(scene.ledger, name), source)
    if not jobs:
        return _nothing(common, check)
    plan = plan_update(scene, jobs, command=f"update {name}" if name else "update", inline=inline)
    return _show_check(common, scene, jobs, plan) if check else finish_plan(common, plan)


def _respecify(scene: Scene, name: str | None, source, given: dict, inline: bool) -> Plan:
    from generator.refresh.respec import Wanted, note_stale, respecify
    from generator.refresh.update import plan_update

    shape = given["shape_from"]
    shape_from = tuple(part.strip() for part in shape.split(",")) if shape else None
    wanted = Wanted(given["param"] or None, given["returns"], shape_from, given["native"])
    jobs, respec = respecify(scene, name, source, wanted)
    plan = plan_update(scene, jobs, command=f"update {name}", inline=inline)
    return note_stale(plan, respec)


def _nothing(common: Common, check: bool) -> int:
    from generator.refresh.check import to_json

    if common.as_json:
        print(json.dumps(to_json([]) | ({} if check else {"command": "update"}), indent=1))
    else:
        print("nothing is applied in these checkouts")
    return 0


def _show_check(common: Common, scene: Scene, jobs: list[Job], plan) -> int:
    from generator.refresh.check import ages, to_json

    from .show_plan import print_table

    found = ages(scene, jobs, plan)
    document = to_json(found)
    if common.as_json:
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return document["exit"]
    rows = []
    for age in found:
        state = "older than the templates" if age.outdated else "up to date"
        state += f", {age.conflicts} open conflict(s)" if age.conflicts else ""
        rows.append([age.id, age.version or "?", age.latest, state])
    print_table(["id", "made by", "templates", "state"], rows)
    return document["exit"]
