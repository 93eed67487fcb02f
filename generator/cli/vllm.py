"""`scaffold vllm-model`, `vllm-register`: read a checkpoint, decide, register."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from .common import Common, with_common

if TYPE_CHECKING:
    from generator.vllm.analysis.analysis import Analysis
    from generator.vllm.decision.decision import Decision

_EXAMPLES = """Examples:

  scaffold vllm-model Qwen3-8B --analyze-only

  scaffold vllm-model ./checkpoint --analyze-only --format markdown --language zh
"""
Checkpoint = Annotated[
    str | None, typer.Argument(metavar="CHECKPOINT", help="A folder with config.json; a bare name means /models/NAME.")
]
AnalyzeOnly = Annotated[bool, typer.Option("--analyze-only", help="Say what the model needs, write nothing.")]
Language = Annotated[Literal["en", "zh"], typer.Option(help="Language of the Markdown report.")]
Package = Annotated[
    str | None,
    typer.Option("--transformers", metavar="DIR", help="The pinned transformers package, if not installed here."),
]
Formats = Annotated[Literal["text", "markdown", "json"], typer.Option(help="How the result is printed.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("vllm-model", epilog=_EXAMPLES)(_printed_as(with_common(vllm_model), Formats))


def _printed_as(command: Any, formats: Any) -> Any:
    """Give a command its own choice of formats."""
    signature = command.__signature__
    parameters = [p.replace(annotation=formats) if p.name == "format" else p for p in signature.parameters.values()]
    command.__signature__ = signature.replace(parameters=parameters)
    command.__annotations__["format"] = formats
    return command


def vllm_model(
    common: Common,
    checkpoint: Checkpoint = None,
    analyze_only: AnalyzeOnly = False,
    language: Language = "en",
    transformers: Package = None,
) -> int:
    """Read a checkpoint and say what vLLM needs for it. Nothing of it is imported or executed."""
    from generator.vllm.analysis.analysis import analyse
    from generator.vllm.checkpoint.checkpoint import read_checkpoint
    from generator.vllm.checkpoint.resolve import resolve
    from generator.vllm.decision.decide import decide

    from .ask import ask

    name = checkpoint if checkpoint is not None else ask(common, "the checkpoint", "a CHECKPOINT")
    analysis = analyse(read_checkpoint(resolve(name)))
    decision = decide(analysis, _checkouts(common, transformers))
    _print(analysis, decision, common, language)
    return 0


def _checkouts(common: Common, transformers: str | None):
    from generator.vllm.decision.checkouts import Checkouts

    roots = _roots(common)
    given = Path(transformers).expanduser() if transformers else None
    return Checkouts.of(roots.get("vllm"), roots.get("vllm-ascend"), given)


def _roots(common: Common) -> dict[str, Path]:
    """Return the checkouts that can be found; a folder that was named and is none is an error."""
    import sys

    from generator.errors import ScaffoldError

    roots = common.find().roots
    for needs in (("vllm", "vllm-ascend"), ("vllm",), ("vllm-ascend",)):
        try:
            return common.find(*needs).roots
        except ScaffoldError as error:
            print(f"note: {error.what}", file=sys.stderr)
    return roots


def _print(analysis: Analysis, decision: Decision, common: Common, language: str) -> None:
    import json
    import sys

    if common.as_json:
        from generator.vllm.report.document import document

        text = json.dumps(document(analysis, decision), indent=1, allow_nan=False) + "\n"
    elif common.format == "markdown":
        from generator.vllm.report.page import render

        text = render(analysis, decision, language)
    else:
        from generator.vllm.report.text import render

        text = render(analysis, decision)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
