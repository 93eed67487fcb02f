"""`scaffold sandbox`: a small workspace to try everything on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Target = Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is empty or does not exist.")]
Demo = Annotated[bool, typer.Option("--demo", help="Then add rms_norm_gated for all three vendors, and show the diff.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("sandbox", short_help="Write a small workspace to try everything on.")(sandbox)


def sandbox(directory: Target, demo: Demo = False) -> int:
    """Write a workspace of reduced lmdeploy and dlinfer checkouts, with the real structural forms."""
    from generator.sandbox.write import write_sandbox

    for repo in write_sandbox(directory):
        print(f"created {repo}")
    if not demo:
        print(f"try: scaffold op rms_norm_gated --vendor camb --workspace {directory}")
        return 0
    from .main import run

    vendors = [part for v in ("ascend", "camb", "maca") for part in ("--vendor", v)]
    return run(["op", "rms_norm_gated", *vendors, "--no-native-doc", "--diff", "--workspace", str(directory)])
