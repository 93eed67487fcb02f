"""What somebody who registers a model must know beside the lines."""

from __future__ import annotations

from generator.plan.builder import PlanBuilder
from generator.survey.vllm_model import find_class, find_module
from generator.survey.vllm_registry import PATH, read_registry
from generator.survey.vllm_tree import SourceTree
from generator.vllm.analysis.analysis import Analysis
from generator.vllm.decision.checkouts import Checkouts
from generator.vllm.decision.decision import Decision
from generator.vllm.decision.places import places
from generator.vllm.register.place import TESTS
from generator.vllm.register.request import RegisterRequest

# Name of a place → the answer that fills it, and what to do where none does.
FILLED_BY = {
    "MLA model types": "mla",
    "_CONFIG_REGISTRY": "config",
    "processors": "processor",
    "packed_modules_model_mapping": "packed",
    "config convertor": "convertor of its own",
    "MODELS_CONFIG_MAP": "configuration of its own",
}
NEXT = {
    "MLA model types": "add the model type there",
    "_CONFIG_REGISTRY": "write a configuration class and give it with --config-class",
    "processors": "write a processor class and give it with --processor-class",
    "packed_modules_model_mapping": "run it again with --ascend",
    "config convertor": "write a convertor and list it in MODEL_ARCH_CONFIG_CONVERTORS",
    "MODELS_CONFIG_MAP": "write a configuration and list it there",
}


def note_all(
    builder: PlanBuilder,
    request: RegisterRequest,
    trees: dict[str, SourceTree],
    analysis: Analysis | None,
    found: dict[str, dict],
) -> None:
    """Add the notes: a missing module or class, other registrations, lists that were left alone."""
    vllm = trees.get("vllm")
    if vllm and "registry" in found.get("vllm", {}):
        _module(builder, request, vllm)
        _elsewhere(builder, request, vllm, found["vllm"]["registry"]["table"])
        _lists(builder, request, found["vllm"])
    if "vllm-ascend" in found:
        _ascend(builder, request, trees["vllm-ascend"], found["vllm-ascend"])
    if analysis:
        _open(builder, request, trees, analysis, found)


def _open(
    builder: PlanBuilder,
    request: RegisterRequest,
    trees: dict[str, SourceTree],
    analysis: Analysis,
    found: dict[str, dict],
) -> None:
    """Name the lists that the analysis asks for and that this plan does not fill."""
    if analysis.mtp and analysis.mtp.status == "supported" and request.kind != "speculative":
        says = analysis.mtp.says[0]
        builder.note(
            "note",
            f"the checkpoint has prediction layers ({says})",
            next="register the draft class as well, with --kind speculative",
        )
    roots = {repo: tree.root for repo, tree in trees.items()}
    checkouts = Checkouts.of(roots.get("vllm"), roots.get("vllm-ascend"))
    filled = {name for answers in found.values() for name in answers}
    for place in places(analysis, Decision("registered"), checkouts):
        if place.present is False and place.name in FILLED_BY and FILLED_BY[place.name] not in filled:
            where = f"{place.repo}/{place.path}:{place.line}" if place.path else None
            builder.note("warning", f"{place.name}: {place.why}", where=where, next=NEXT[place.name])


def _module(builder: PlanBuilder, request: RegisterRequest, tree: SourceTree) -> None:
    path = find_module(tree, request.module)
    if path is None:
        builder.note("note", f"the module {request.module} is not there yet", next=f"write it with {request.cls}")
    elif find_class(tree, path, request.cls) is None:
        builder.note(
            "warning", f"{request.cls} is no class of {path}", where=f"vllm/{path}", next="write it, or correct --class"
        )


def _elsewhere(builder: PlanBuilder, request: RegisterRequest, tree: SourceTree, table: str) -> None:
    registry = read_registry(tree)
    for entry in registry.entries:
        if entry.arch == request.arch and entry.table != table:
            builder.note(
                "note",
                f"{request.arch} is in {entry.table} as well; the last dict counts",
                where=f"vllm/{PATH}:{entry.line}",
            )
        elif entry.arch == request.arch and (entry.module, entry.cls) != (request.module, request.cls):
            builder.note(
                "warning",
                f"{request.arch} is there already, as ({entry.module}, {entry.cls}), and left so",
                where=f"vllm/{PATH}:{entry.line}",
                next="edit the entry by hand if it is to change",
            )
    lists = (("_PREVIOUSLY_SUPPORTED_MODELS", registry.previous), ("_OOT_SUPPORTED_MODELS", registry.elsewhere))
    for name, dropped in lists:
        if request.arch in dropped:
            builder.note(
                "warning",
                f"{request.arch} is still in {name} ({dropped[request.arch]})",
                where=f"vllm/{PATH}",
                next="take it out there",
            )


def _lists(builder: PlanBuilder, request: RegisterRequest, found: dict) -> None:
    if "tests" not in found:
        builder.note("note", "no example for the tests was added: the checkout has no such dict", where=f"vllm/{TESTS}")
    elif request.example is None:
        builder.note(
            "note",
            "the tests' example is marked as not available online",
            where=f"vllm/{TESTS}",
            next="give the checkpoint's id with --hf-model ORG/NAME",
        )
    if "docs" not in found:
        builder.note("note", "no table of supported models lists this family; no row was added")
    for flag, name in ((request.config_class, "config"), (request.processor_class, "processor")):
        if flag and name not in found:
            builder.note(
                "warning",
                f"{flag} was not added: this checkout keeps no lazy list of {name} classes, or "
                "the model type is unknown",
                next="give --model-type, or add it by hand",
            )


def _ascend(builder: PlanBuilder, request: RegisterRequest, tree: SourceTree, found: dict) -> None:
    if "model" not in found:
        builder.note("note", f"{request.module} is a module of vLLM: register_model() needs no entry")
    else:
        base = request.ascend_module.replace(".", "/")
        if tree.read(f"{base}.py") is None and tree.read(f"{base}/__init__.py") is None:
            builder.note("note", f"the module {request.ascend_module} is not there yet", next="write it")
    if "packed" not in found:
        next = "--model-type and --packed qkv_proj=q_proj,k_proj,v_proj add an entry for ModelSlim checkpoints"
        builder.note("note", "packed_modules_model_mapping: nothing to add", next=next)
    if request.prefixes and "prefixes" not in found:
        why = "this checkout has no QUANT_MODEL_PREFIX_MAPPINGS, or the model type is unknown"
        builder.note("warning", f"--prefix was not added: {why}", next="give --model-type, or add the dict by hand")
