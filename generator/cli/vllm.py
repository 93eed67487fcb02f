"""`scaffold vllm-model`, `vllm-register`, `vllm-check`: read a checkpoint, decide, register, check."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from .common import Common, with_common
from .vllm_model import Forced, Like, ModuleName, VendorFrom

if TYPE_CHECKING:
    from generator.vllm.analysis.analysis import Analysis
    from generator.vllm.decision.decision import Decision

_EXAMPLES = """\b
Examples:
  scaffold vllm-model Qwen3-8B --analyze-only
  scaffold vllm-model ./checkpoint --analyze-only --format markdown --language zh
"""
_REGISTER_EXAMPLES = """\b
Examples:
  scaffold vllm-register MyForCausalLM --module my --class MyForCausalLM --kind text-generation --dry-run --diff
  scaffold vllm-register MyMTP --module my_mtp --class MyMTP --kind speculative --checkpoint ./my --dry-run
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
_CHECK_EXAMPLES = """\b
Examples:
  scaffold vllm-check Qwen3ForCausalLM --checkpoint /models/Qwen3-8B --format markdown
"""
Name = Annotated[str, typer.Argument(metavar="NAME", help="The architecture, or the name of the model's artefacts.")]
Rules = Annotated[list[str] | None, typer.Option("--rule", help="Only this rule; repeat for more.")]
Level = Annotated[Literal["error", "warning", "note"], typer.Option(help="The least severity to show.")]
ReportFormats = Annotated[
    Literal["text", "json", "github", "sarif", "markdown"], typer.Option(help="How the findings are printed.")
]
Arch = Annotated[str, typer.Argument(metavar="ARCH", help="The architecture, as in config.json.")]
Module = Annotated[str, typer.Option(metavar="M", help="Its module: a stem, or dotted such as vllm.models.x.")]
Class = Annotated[str, typer.Option("--class", metavar="C", help="The class that serves it.")]
Kind = Annotated[
    Literal[
        "text-generation",
        "embedding",
        "late-interaction",
        "reward",
        "token-classification",
        "sequence-classification",
        "multimodal",
        "speculative",
    ],
    typer.Option(help="What the model is used for."),
]
Section = Annotated[str | None, typer.Option(metavar="S", help="Section comment of the dict, without its brackets.")]
Ascend = Annotated[bool, typer.Option("--ascend", help="Register in vllm-ascend, with its quantisation lists.")]
From = Annotated[
    str | None, typer.Option("--checkpoint", metavar="CHECKPOINT", help="Its analysis says which other lists need it.")
]
ModelType = Annotated[str | None, typer.Option(metavar="T", help="The model_type, if no checkpoint says it.")]
Example = Annotated[str | None, typer.Option("--hf-model", metavar="ORG/NAME", help="Example for tests and docs.")]
ConfigClass = Annotated[str | None, typer.Option(metavar="NAME", help="Configuration class to list in vLLM.")]
ProcessorClass = Annotated[str | None, typer.Option(metavar="NAME", help="Processor class to list in vLLM.")]
Packed = Annotated[
    list[str] | None, typer.Option(metavar="FUSED=A,B", help="Parts of a fused weight, for vllm-ascend; repeat.")
]
Prefix = Annotated[
    list[str] | None, typer.Option(metavar="OLD=NEW", help="Prefix of ModelSlim's names, for vllm-ascend; repeat.")
]


def register(app: typer.Typer) -> None:
    """Add the commands to the app."""
    app.command("vllm-check", epilog=_CHECK_EXAMPLES, short_help="Check one vLLM model; exit 1 on errors.")(
        with_common(vllm_check)
    )
    app.command("vllm-register", epilog=_REGISTER_EXAMPLES, short_help="Put an architecture into vLLM's lists.")(
        with_common(vllm_register)
    )
    app.command("vllm-model", epilog=_EXAMPLES, short_help="Read a checkpoint, and write what vLLM needs for it.")(
        with_common(vllm_model)
    )


def vllm_model(
    common: Common,
    checkpoint: Checkpoint = None,
    name: ModuleName = None,
    like: Like = None,
    strategy: Forced = None,
    vendor_from: VendorFrom = None,
    analyze_only: AnalyzeOnly = False,
    language: Language = "en",
    transformers: Package = None,
    format: Formats = "text",
) -> int:
    """Read a checkpoint, say what vLLM needs for it, and write that. Nothing of it is imported or executed."""
    from generator.vllm.decision.decide import decide

    from .ask import ask

    folder = checkpoint if checkpoint is not None else ask(common, "the checkpoint", "a CHECKPOINT")
    analysis, checkouts = _analysis(folder), _checkouts(common, transformers)
    decision = decide(analysis, checkouts)
    if not analyze_only:
        from .vllm_model import generate

        return generate(common, analysis, decision, checkouts, name, like, strategy, vendor_from)
    _print(analysis, decision, "json" if common.as_json else format, language)
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


def _print(analysis: Analysis, decision: Decision, format: str, language: str) -> None:
    import json
    import sys

    if format == "json":
        from generator.vllm.report.document import document

        text = json.dumps(document(analysis, decision), indent=1, allow_nan=False) + "\n"
    elif format == "markdown":
        from generator.vllm.report.page import render

        text = render(analysis, decision, language)
    else:
        from generator.vllm.report.text import render

        text = render(analysis, decision)
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))


def vllm_register(
    common: Common,
    arch: Arch,
    module: Module,
    class_: Class,
    kind: Kind,
    section: Section = None,
    ascend: Ascend = False,
    checkpoint: From = None,
    model_type: ModelType = None,
    hf_model: Example = None,
    config_class: ConfigClass = None,
    processor_class: ProcessorClass = None,
    packed: Packed = None,
    prefix: Prefix = None,
) -> int:
    """Put an architecture into vLLM's registry and every list beside it, or into vllm-ascend's."""
    from generator.scaffolds.vllm_register import plan_register
    from generator.vllm.register.request import RegisterRequest, parse_pairs

    from .session import plan_and_apply

    request = RegisterRequest(
        arch,
        module,
        class_,
        kind,
        section,
        ascend,
        model_type,
        hf_model,
        config_class,
        processor_class,
        packed=tuple((name, tuple(parts.split(","))) for name, parts in parse_pairs(packed, "--packed")),
        prefixes=tuple(parse_pairs(prefix, "--prefix")),
    ).checked()
    analysis = _analysis(checkpoint) if checkpoint else None
    return plan_and_apply(common, _needed(common, ascend), lambda scene: plan_register(request, scene, analysis))


def vllm_check(
    common: Common,
    name: Name,
    checkpoint: From = None,
    rule: Rules = None,
    level: Level = "warning",
    transformers: Package = None,
    format: ReportFormats = "text",
) -> int:
    """Check one model: its registration, class, keys and artefacts; exit 1 on errors."""
    import os
    import sys

    from generator.checks.formats import render
    from generator.vllm.check.run import check_model
    from generator.vllm.check.subject import Subject

    package = Path(transformers).expanduser() if transformers else None
    subject = Subject.of(name, _roots(common), _analysis(checkpoint) if checkpoint else None, package)
    report = check_model(subject, tuple(rule or ()), level)
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    text = render(report, "json" if common.as_json else format, colour=colour)
    sys.stdout.buffer.write((text + "\n").encode("utf-8", "backslashreplace"))
    return report.exit


def _analysis(checkpoint: str) -> Analysis:
    from generator.vllm.analysis.analysis import analyse
    from generator.vllm.checkpoint.checkpoint import read_checkpoint
    from generator.vllm.checkpoint.resolve import resolve

    return analyse(read_checkpoint(resolve(checkpoint)))


def _needed(common: Common, ascend: bool) -> tuple[str, ...]:
    """vllm-ascend can be registered in alone; vLLM is looked at as well where it can be found."""
    if not ascend:
        return ("vllm",)
    from generator.errors import ScaffoldError

    try:
        common.find("vllm", "vllm-ascend")
    except ScaffoldError:
        return ("vllm-ascend",)
    return ("vllm", "vllm-ascend")
