"""The generating half of `scaffold vllm-model`: an adapter, what it needs beside it, and its registration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import Common

if TYPE_CHECKING:
    from generator.vllm.analysis.analysis import Analysis
    from generator.vllm.decision.checkouts import Checkouts
    from generator.vllm.decision.decision import Decision

ModuleName = Annotated[str | None, typer.Option(metavar="N", help="Module of the adapter, if not the model_type.")]
Like = Annotated[str | None, typer.Option(metavar="MODEL", help="Take the structure of this registered model.")]
Forced = Annotated[
    Literal["alias", "subclass", "new"] | None, typer.Option("--strategy", help="Do this, whatever was decided.")
]
VendorFrom = Annotated[
    str | None,
    typer.Option("--vendor-from", metavar="DIR", help="Copy configuration and processor of this newer transformers."),
]


def generate(
    common: Common,
    analysis: Analysis,
    decision: Decision,
    checkouts: Checkouts,
    name: str | None,
    like: str | None,
    strategy: str | None,
    vendor_from: str | None = None,
) -> int:
    """Plan, apply and print the adapter; return the exit code."""
    from pathlib import Path

    from generator.scaffolds.vllm_model import ModelRequest, plan_model

    from .session import plan_and_apply

    request = ModelRequest(name, like, strategy, Path(vendor_from).expanduser() if vendor_from else None)
    return plan_and_apply(common, ("vllm",), lambda scene: plan_model(request, scene, analysis, decision, checkouts))
