"""`scaffold op`: a new op across all layers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import Common, with_common
from .complete import op_names, op_types, vendors

if TYPE_CHECKING:
    from generator.scaffolds.op_request import OpRequest

_EXAMPLES = """\b
Examples:
  scaffold op rms_norm_gated --vendor camb
  scaffold op rms_norm_gated --vendor ascend --native-doc npu_rms_norm_gated.md --dry-run --diff
  scaffold op my_rms_norm --vendor maca --param "x: Tensor" --param "weight: Tensor" --param "eps: float = 1e-6"
"""
Name = Annotated[str | None, typer.Argument(help="The op, such as rms_norm_gated.", autocompletion=op_names)]
Vendors = Annotated[
    list[str] | None, typer.Option("--vendor", help="ascend, camb or maca; repeat for more.", autocompletion=vendors)
]
Params = Annotated[
    list[str] | None, typer.Option("--param", help='"name: Type" or "name: Type = default"; repeat, in order.')
]
Returns = Annotated[str | None, typer.Option(help="Tensor, Tuple[Tensor, …] or None.")]
Spec = Annotated[Path | None, typer.Option(metavar="FILE", help="A declaration file (TOML).")]
Like = Annotated[str | None, typer.Option(metavar="OP", help="Take the signature of this op.", autocompletion=op_names)]
OpType = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The OpType, if not the name in Pascal case.", autocompletion=op_types),
]
Module = Annotated[str | None, typer.Option(metavar="STEM", help="Module of Impl and Builder, such as norm.")]
ShapeFrom = Annotated[str | None, typer.Option(metavar="A,B", help="For each result the parameter whose shape it has.")]
Layers = Annotated[str | None, typer.Option(metavar="1,2,3,4", help="Write only these layers.")]
Helper = Annotated[
    str | None, typer.Option("--helper-module", metavar="NAME", help="Put the logic of layer 4 in this vendor module.")
]
Native = Annotated[str | None, typer.Option(metavar="CALL", help="The native call, its dotted name, or its op schema.")]
Document = Annotated[Path | None, typer.Option(metavar="FILE", help="Document that shows the native op's prototype.")]
NoDocument = Annotated[bool, typer.Option("--no-native-doc", help="Do not ask for the document.")]
Body = Annotated[
    Literal["stub", "compose", "torch"] | None, typer.Option(help="Body of layer 4 without a native call.")
]
GraphFields = Annotated[
    list[str] | None,
    typer.Option(
        "--graph-field",
        metavar="F",
        help='Also add the graph buffer of this field; "F owner=… size=… dtype=…" where no graph file has it.',
    ),
]
Track = Annotated[bool, typer.Option("--track", help="Let .scaffold/ be committed with the checkout.")]

NoCheck = Annotated[bool, typer.Option("--no-check", help="Do not check the result with the rules of scaffold check.")]
Templates = Annotated[
    str | None, typer.Option("--template", metavar="URL|DIR", help="Templates of somebody else, see docs/templates.md.")
]


def register(app: typer.Typer) -> None:
    """Add the command to the app."""
    app.command("op", epilog=_EXAMPLES, short_help="Add an op across all layers, or those it lacks.")(with_common(op))


def op(
    common: Common,
    name: Name = None,
    vendor: Vendors = None,
    param: Params = None,
    returns: Returns = None,
    spec: Spec = None,
    like: Like = None,
    op_type: OpType = None,
    module: Module = None,
    shape_from: ShapeFrom = None,
    layers: Layers = None,
    helper_module: Helper = None,
    native: Native = None,
    native_doc: Document = None,
    no_native_doc: NoDocument = False,
    body: Body = None,
    graph_field: GraphFields = None,
    track: Track = False,
    no_check: NoCheck = False,
    template: Templates = None,
) -> int:
    """Add an op across all layers of lmdeploy and dlinfer, or the layers it still lacks."""
    from generator.scaffolds.op import plan_op
    from generator.scaffolds.op_request import parse_layers

    from .session import plan_and_apply

    given = {
        "name": name,
        "vendors": tuple(vendor) if vendor else None,
        "params": tuple(param) if param else None,
        "returns": returns,
        "like": like,
        "op_type": op_type,
        "module": module,
        "shape_from": tuple(s.strip() for s in shape_from.split(",")) if shape_from else None,
        "layers": parse_layers(layers) if layers else None,
        "helper_module": helper_module,
        "native": native,
        "document": _document(native_doc),
        "body": body,
        "graph_fields": tuple(graph_field) if graph_field else None,
    }
    request = _request(common, given, spec, ask_document=not no_native_doc)
    need = ("lmdeploy", "dlinfer")
    return plan_and_apply(
        common, need, lambda scene: plan_op(request, scene), track=track, template=template, check=not no_check
    )


def _request(common: Common, given: dict, spec: Path | None, *, ask_document: bool) -> OpRequest:
    from generator.scaffolds.op_request import OpRequest
    from generator.spec.vendor import VENDORS

    from .ask import ask, ask_optional

    if given["name"] is None and spec is None:
        given["name"] = ask(common, "the op", "a NAME")
    if given["vendors"] is None:
        given["vendors"] = (ask(common, "the vendor", "--vendor", tuple(VENDORS)),)
    if spec is not None:
        request = OpRequest.from_file(_text(spec, "the declaration"), str(spec), given)
    else:
        request = OpRequest(**{k: v for k, v in given.items() if v is not None})
    decided = request.native or request.document or request.body or 4 not in request.layers
    asking = [v for v in request.vendors if v in VENDORS and VENDORS[v].asks_for_document]
    if ask_document and asking and not decided:
        answer = ask_optional(common, f"file with the native op's document for {asking[0]} (Enter for a stub)")
        if answer:
            return OpRequest(**{**vars(request), "document": _document(Path(answer))})
    return request


def _document(path: Path | None) -> tuple[str, str] | None:
    return (_text(path, "the document"), str(path)) if path else None


def _text(path: Path, what: str) -> str:
    from generator.errors import ScaffoldError

    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ScaffoldError(f"{what} cannot be read: {error.strerror}", where=str(path)) from None
    except UnicodeDecodeError:
        raise ScaffoldError(f"{what} is no UTF-8 text", where=str(path)) from None
