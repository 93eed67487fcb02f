"""`scaffold template`: for those who keep templates of their own, and for plain copier without a network."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Literal

import typer

Root = Annotated[Path, typer.Argument(metavar="DIR", help="A template root: the folder that holds copier.yml.")]
Format = Annotated[Literal["text", "json"], typer.Option(help="How the result is printed.")]
Output = Annotated[Path, typer.Argument(metavar="FILE", help="The bundle to write.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    group = typer.Typer(help="Check templates, and serve their history to plain copier.", no_args_is_help=True)
    group.command("check")(check)
    group.command("bundle")(bundle)
    app.add_typer(group, name="template")


def check(directory: Root, format: Format = "text") -> int:
    """Prove that a template root keeps the contract (docs/templates.md); exit 1 if it does not."""
    from generator.refresh.conform import check_templates, to_json

    found = check_templates(directory.resolve())
    if format == "json":
        print(json.dumps(to_json(found), indent=1, ensure_ascii=False))
        return int(bool(found))
    for finding in found:
        print(f"{finding.rule}: {finding.path}: {finding.message}\n next: {finding.next}")
    if not found:
        print(f"{directory} conforms")
    return int(bool(found))


def bundle(file: Output) -> int:
    """Write the history of this package's templates as a git bundle, and say how plain copier uses it offline."""
    from generator.refresh.fetch import own_bundle
    from generator.render.template import URL

    own_bundle(file)
    key = shlex.quote(f"url.{file.resolve()}.insteadOf")
    print(f"export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0={key} GIT_CONFIG_VALUE_0={URL}")
    return 0
