"""`scaffold context-field`: a field of a step's metadata."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from .common import Common, with_common
from .complete import vendors

_EXAMPLES = """\b
Examples:
  scaffold context-field lens --vendor camb --type Tensor --value "step_context.kv_seqlens - step_context.q_seqlens"
  scaffold context-field router_scale --vendor ascend --metadata moe --type "float = 1.0" --value 2.5
"""
Field = Annotated[str | None, typer.Argument(metavar="FIELD", help="The field.")]
Vendors = Annotated[
    list[str] | None, typer.Option("--vendor", help="ascend, camb or maca; repeat for more.", autocompletion=vendors)
]
Type = Annotated[str | None, typer.Option("--type", help='Its type, such as Tensor, or "int = -1" with a default.')]
Value = Annotated[str | None, typer.Option(metavar="EXPR", help="What update_step_context computes.")]
Metadata = Annotated[
    Literal["attn", "moe", "step"], typer.Option(help="The metadata that carries it; step: the step context itself.")
]
Shape = Annotated[bool, typer.Option("--kv-block-shape", help="Also override the block shapes of the KV cache.")]
Templates = Annotated[
    str | None, typer.Option("--template", metavar="URL|DIR", help="Templates of somebody else, see docs/templates.md.")
]
Track = Annotated[bool, typer.Option("--track", help="Let .scaffold/ be committed with the checkout.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("context-field", epilog=_EXAMPLES, short_help="Add a field to a step's metadata.")(
        with_common(context_field)
    )


def context_field(
    common: Common,
    field: Field = None,
    vendor: Vendors = None,
    type_: Type = None,
    value: Value = None,
    metadata: Metadata = "attn",
    kv_block_shape: Shape = False,
    template: Templates = None,
    track: Track = False,
) -> int:
    """Add a field to a step's metadata: declared, computed in update_step_context, passed on."""
    from generator.scaffolds.context_field import plan_context_field
    from generator.scaffolds.field_request import FieldRequest
    from generator.spec.vendor import VENDORS

    from .ask import ask
    from .session import plan_and_apply

    names = tuple(vendor) if vendor else (ask(common, "the vendor", "--vendor", tuple(VENDORS)),)
    if field is None:
        field = ask(common, "the field", "a FIELD", _offered(common, names, metadata))
    type_ = type_ or ask(common, "the type", "--type")
    value = value or ask(common, "the value", "--value")
    request = FieldRequest(field, names, type_, value, metadata, kv_block_shape)
    need = ("lmdeploy", "dlinfer")
    return plan_and_apply(
        common, need, lambda scene: plan_context_field(request, scene), track=track, template=template
    )


def _offered(common: Common, names: tuple[str, ...], metadata: str) -> tuple[str, ...]:
    """The fields that are read and that one of the vendors does not fill."""
    from generator.scaffolds.field_sight import FieldSight
    from generator.spec.vendor import vendor_named

    sight = FieldSight(common.find("lmdeploy", "dlinfer"), metadata)
    return tuple(sorted({f for v in names for f in sight.offered(vendor_named(v).name)}))
