"""`scaffold graph-buffer`: a field's buffer in the graph files."""

from __future__ import annotations

from typing import Annotated

import typer

from .common import Common, with_common
from .complete import vendors

_EXAMPLES = """\b
Examples:
  scaffold graph-buffer spec_lens --vendor ascend --owner attn_metadata --size max_batches --dtype int32
  scaffold graph-buffer mrope_position_ids --vendor camb --vendor maca --like ascend
  scaffold graph-buffer --parity
"""
Field = Annotated[str | None, typer.Argument(metavar="FIELD", help="The field, such as mrope_position_ids.")]
Vendors = Annotated[
    list[str] | None, typer.Option("--vendor", help="ascend, camb or maca; repeat for more.", autocompletion=vendors)
]
Owner = Annotated[
    str | None, typer.Option(help="Whose field it is: attn_metadata, step_context, moe_metadata or kwarg.")
]
Size = Annotated[str | None, typer.Option(help='Its maximum size: max_batches, "3, max_tokens", max_batches+1 …')]
Dtype = Annotated[str | None, typer.Option(help="A torch dtype, such as int32.")]
Fill = Annotated[
    str | None,
    typer.Option(help="Value of the padding; `last` repeats the last entry; an expression makes a constant buffer."),
]
When = Annotated[str | None, typer.Option(metavar="EXPR", help="is_ssm, use_mrope, or a condition over graph_meta.")]
Like = Annotated[str | None, typer.Option(metavar="VENDOR", help="Port this vendor's buffer.", autocompletion=vendors)]
Parity = Annotated[bool, typer.Option("--parity", help="Show which vendor has which buffer, write nothing.")]
Templates = Annotated[
    str | None, typer.Option("--template", metavar="URL|DIR", help="Templates of somebody else, see docs/templates.md.")
]
Track = Annotated[bool, typer.Option("--track", help="Let .scaffold/ be committed with the checkout.")]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("graph-buffer", epilog=_EXAMPLES, short_help="Add a field's buffer to the graph files.")(
        with_common(graph_buffer)
    )


def graph_buffer(
    common: Common,
    field: Field = None,
    vendor: Vendors = None,
    owner: Owner = None,
    size: Size = None,
    dtype: Dtype = None,
    fill: Fill = None,
    when: When = None,
    like: Like = None,
    parity: Parity = False,
    template: Templates = None,
    track: Track = False,
) -> int:
    """Add a field's buffer to the graph files: allocated once, refilled and handed on in every step."""
    if parity:
        return _parity(common, field)
    from generator.scaffolds.graph_buffer import plan_graph_buffer
    from generator.scaffolds.graph_request import OWNERS, GraphRequest
    from generator.spec.vendor import VENDORS

    from .ask import ask
    from .session import plan_and_apply

    name = field or ask(common, "the field", "a FIELD")
    names = tuple(vendor) if vendor else (ask(common, "the vendor", "--vendor", tuple(VENDORS)),)
    if like is None:
        owner = owner or ask(common, "the owner", "--owner", OWNERS)
        size = size or ask(common, "the size", "--size")
        dtype = dtype or ask(common, "the dtype", "--dtype")
    request = GraphRequest(name, names, owner, size, dtype, fill, when, like)
    need = ("lmdeploy", "dlinfer")
    return plan_and_apply(common, need, lambda scene: plan_graph_buffer(request, scene), track=track, template=template)


def _parity(common: Common, field: str | None) -> int:
    import json

    from generator.scaffolds.graph_parity import parity

    from .session import open_workspace

    table = parity(open_workspace(common, "lmdeploy", "dlinfer"), field)
    if common.as_json:
        print(json.dumps(table.to_json(), indent=1, ensure_ascii=False))
        return 0
    from .show_plan import print_table

    print_table(["field", "owner", *table.columns, ""], [[*row, ""] for row in table.rows])
    for line in table.missing:
        print(line)
    return 0
