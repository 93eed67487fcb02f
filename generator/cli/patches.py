"""`scaffold device-patch` and `scaffold quant-patch`: replace a function, class or method of lmdeploy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .common import Common, with_common
from .complete import vendors

_NEED = ("lmdeploy", "dlinfer")
_DEVICE = """\b
Examples:
  scaffold device-patch lmdeploy.pytorch.engine.cache_engine.StateCacheEngine.init_caches --vendor camb
  scaffold device-patch gated_delta.build_rmsnorm_gated --vendor maca
"""
_QUANT = """\b
Examples:
  scaffold quant-patch AwqLinear.create_weights --vendor ascend --stack
  scaffold quant-patch AwqLinear.create_weights --vendor ascend --checkpoint ./Qwen3-8B-AWQ
"""
Target = Annotated[
    str | None, typer.Argument(metavar="TARGET", help="Dotted name of a method, function or class of lmdeploy.")
]
Vendors = Annotated[
    list[str] | None, typer.Option("--vendor", help="ascend, camb or maca; repeat for more.", autocompletion=vendors)
]
Stack = Annotated[bool, typer.Option("--stack", help="Patch what is patched already.")]
Checkpoint = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Compare its quantised weights with what the patched classes assume.")
]
Templates = Annotated[
    str | None, typer.Option("--template", metavar="URL|DIR", help="Templates of somebody else, see docs/templates.md.")
]
Track = Annotated[bool, typer.Option("--track", help="Let .scaffold/ be committed with the checkout.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("device-patch", epilog=_DEVICE, short_help="Patch something of lmdeploy on a vendor's device.")(
        with_common(device_patch)
    )
    app.command("quant-patch", epilog=_QUANT, short_help="Patch quantised layers, or say that none is needed.")(
        with_common(quant_patch)
    )


def device_patch(
    common: Common,
    target: Target = None,
    vendor: Vendors = None,
    stack: Stack = False,
    template: Templates = None,
    track: Track = False,
) -> int:
    """Patch a method, function or class of lmdeploy on a vendor's device."""
    from generator.scaffolds.patch import plan_patch
    from generator.scaffolds.patch_request import DEVICE

    from .session import plan_and_apply

    request = _request(common, DEVICE, target, vendor, stack)
    return plan_and_apply(common, _NEED, lambda scene: plan_patch(request, scene), track=track, template=template)


def quant_patch(
    common: Common,
    target: Target = None,
    vendor: Vendors = None,
    stack: Stack = False,
    checkpoint: Checkpoint = None,
    template: Templates = None,
    track: Track = False,
) -> int:
    """Patch quantised layers of lmdeploy, or say that a checkpoint needs no patch."""
    from generator.scaffolds.patch_request import QUANT
    from generator.scaffolds.quant_patch import plan_quant_patch

    from .session import plan_and_apply

    request = _request(common, QUANT, target, vendor, stack)
    return plan_and_apply(
        common, _NEED, lambda scene: plan_quant_patch(request, checkpoint, scene), track=track, template=template
    )


def _request(common: Common, kind: str, target: str | None, vendor: list[str] | None, stack: bool):
    from generator.scaffolds.patch_request import PatchRequest
    from generator.spec.vendor import VENDORS

    from .ask import ask

    name = target or ask(common, "the target", "a TARGET")
    names = tuple(vendor) if vendor else (ask(common, "the vendor", "--vendor", tuple(VENDORS)),)
    return PatchRequest(kind, name, names, stack)
