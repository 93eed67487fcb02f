"""`scaffold status` and `scaffold undo`: what was applied, and taking it back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .common import Common, with_common

Id = Annotated[str, typer.Argument(help="An id, such as op-rms_norm_gated-camb, or the name of an op, field or patch.")]
Export = Annotated[Path | None, typer.Option("--export", metavar="FILE", help="Write the bookkeeping to a file.")]
Import = Annotated[Path | None, typer.Option("--import", metavar="FILE", help="Read it back from a file.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("status", short_help="List what was applied, and what became of it.")(with_common(status))
    app.command("undo", short_help="Take back an id, or every id of a name.")(with_common(undo))


def status(common: Common, export: Export = None, import_: Import = None) -> int:
    """List what was applied to the checkouts, and what became of it."""
    from generator.plan.state import export_state, import_state
    from generator.plan.status import status as read_status

    from .session import open_workspace

    roots = open_workspace(common).roots
    if import_:
        import_state(roots, import_)
    if export:
        export_state(roots, export)
    found = read_status(roots)
    if common.as_json:
        print(json.dumps(found.to_json(), indent=1, ensure_ascii=False))
        return 0
    _show(found)
    return 0


def undo(common: Common, name: Id) -> int:
    """Take back what an id, or every id of a name, has added; edits made since are kept."""
    from generator.plan.undo import plan_undo

    from .session import plan_and_apply

    return plan_and_apply(common, (), lambda scene: plan_undo(scene.tree, scene.ledger, name))


def _show(found) -> None:
    from .show_plan import paint, print_table

    if not found.ids:
        print("nothing is applied in these checkouts")
    for applied in found.ids:
        print(paint(applied.id, "1"))
        rows, last = [], None
        for seen in sorted(found.of(applied.id), key=lambda seen: seen.entry.layer or ""):
            layer = seen.entry.layer or ""
            place = f"{seen.repo}/{seen.entry.path}" + (f":{seen.line}" if seen.line else "")
            rows.append([layer if layer != last else "", place, seen.entry.name, seen.state])
            last = layer
        print_table(["layer", "file", "what", "state"], rows)
        print()
    for seen in found.conflicts:
        file = (seen.entry.pending or {}).get("file")
        both = f"; {seen.repo}/{file} shows both texts" if file else ""
        print(f"conflict: {seen.repo}/{seen.entry.path}: {seen.entry.conflict}{both}")
