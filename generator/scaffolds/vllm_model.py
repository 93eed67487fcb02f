"""An adapter for vLLM: the model file, what it needs beside it, and its registration, in one plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from generator import __version__
from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan
from generator.survey.vllm_transformers import find_transformers
from generator.survey.vllm_tree import SourceTree
from generator.survey.vllm_vendor import Vendored, vendor
from generator.vllm.adapter.names import checked_class, module_name
from generator.vllm.adapter.strategy import Strategy, choose
from generator.vllm.analysis.analysis import Analysis
from generator.vllm.decision.checkouts import Checkouts
from generator.vllm.decision.decision import Decision
from generator.vllm.register.request import RegisterRequest

from .build import NewFile, Rendering, plan_renderings
from .scene import Scene
from .vllm_model_notes import note_all, note_vendored
from .vllm_register import registration

KIND, VENDOR = "vllm-model", "ascend"
MODELS, CONFIGS = "vllm/model_executor/models", "vllm/transformers_utils/configs"
PROCESSORS = "vllm/transformers_utils/processors"


@dataclass(frozen=True)
class ModelRequest:
    """Attributes:
    name: stem of the module, or None for the one that `model_type` gives.
    like: a registered architecture or module whose structure is taken, or None.
    strategy: `new`, `subclass` or `alias` to do that whatever was decided, or None.
    vendor_from: a newer transformers package whose modules are copied, or None.
    """

    name: str | None = None
    like: str | None = None
    strategy: str | None = None
    vendor_from: Path | None = None


def plan_model(
    request: ModelRequest, scene: Scene, analysis: Analysis, decision: Decision, checkouts: Checkouts
) -> Plan:
    """Plan the adapter of a checkpoint.

    Raises:
        ScaffoldError, SourceError: bad names, a missing anchor, a model that vLLM serves already (without a strategy).
    """
    arch = checked_class(analysis.architecture)
    name = module_name(request.name, analysis.model_type, arch)
    vendored = vendored_modules(request.vendor_from, analysis) if request.vendor_from else {}
    chosen = choose(request.strategy, request.like, analysis, decision, checkouts, name, vendored)
    command = f"vllm-model {analysis.checkpoint.root.name}" + (f" --name {request.name}" if request.name else "")
    requests = _requests(chosen, arch, analysis, vendored)
    ids = {KIND: f"{KIND}-{name}-{VENDOR}"} | {r.arch: f"vllm-register-{r.arch}-{VENDOR}" for r in requests}
    kinds = [KIND, *("vllm-register" for _ in requests)]
    applied = [
        Applied(i, kind, name, (VENDOR,), __version__, command) for kind, i in zip(kinds, ids.values(), strict=True)
    ]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    common = {**scene.template.answers, "vendor": VENDOR, "repo": "vllm"}
    answers = {"kind": KIND, "name": name, **common, "adapter": chosen.answers}
    renderings = [Rendering(ids[KIND], "vllm", answers)] if chosen.writes else []
    tree = _tree(scene, renderings)
    for request_ in requests:
        for repo, found in registration(request_, {"vllm": tree}, analysis).items():
            entry = {"kind": "vllm-register", "name": request_.arch, **common, "repo": repo, "registration": found}
            renderings += [Rendering(ids[request_.arch], repo, entry)] if found else []
    plan_renderings(builder, scene.renderer, renderings, describe)
    note_all(builder, chosen, decision, f"{MODELS}/{name}.py")
    note_vendored(builder, vendored)
    return builder.build(
        command=command, spec=chosen.as_json() | {"decision": decision.kind}, id=ids[KIND], answers={ids[KIND]: answers}
    )


def _tree(scene: Scene, renderings: list[Rendering]) -> SourceTree:
    """Return vLLM with the files to come, so that a registration sees them as if they were there."""
    tree = SourceTree(scene.workspace.roots["vllm"])
    for rendering in renderings:
        for path, text in scene.renderer.render(rendering.answers).items():
            if path.endswith(".py"):
                tree.overlay(path, text.encode())
    return tree


def _requests(chosen: Strategy, arch: str, analysis: Analysis, vendored: dict[str, Vendored]) -> list[RegisterRequest]:
    """Return what is to be registered: the architecture, and its draft model."""
    if not chosen.registers:
        return []
    found = [
        RegisterRequest(
            arch,
            chosen.module,
            chosen.cls,
            analysis.kind,
            model_type=analysis.model_type or None,
            config_class=vendored["configuration"].cls if "configuration" in vendored else chosen.config_class,
            processor_class=vendored["processing"].cls if "processing" in vendored else None,
        )
    ]
    if draft := chosen.answers.get("draft"):
        found.append(RegisterRequest(draft["arch"], draft["module"], draft["arch"], "speculative"))
    return [request.checked() for request in found]


def vendored_modules(folder: Path, analysis: Analysis) -> dict[str, Vendored]:
    """Return the modules of a newer transformers that this checkpoint needs: its configuration, and its processor.

    Raises:
        ScaffoldError: the folder is no transformers package, or has no configuration of this `model_type`.
    """
    package = find_transformers(folder)
    if package is None:
        raise ScaffoldError("no transformers package", where=str(folder), next="name the folder of a newer one")
    kinds = ("configuration", *(("processing",) if analysis.multimodal else ()))
    found = {kind: vendor(package.tree, analysis.model_type, kind) for kind in kinds}
    if found["configuration"] is None:
        raise ScaffoldError(
            f"transformers {package.version} has no configuration of {analysis.model_type!r:.60}",
            where=str(folder),
            next="name a newer one",
        )
    return {kind: module for kind, module in found.items() if module}


def describe(path: str) -> NewFile:
    """What a new file of an adapter is."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    what = {MODELS: "model", CONFIGS: "configuration", PROCESSORS: "processor"}.get(path.rpartition("/")[0], "")
    return NewFile(None, stem, what)
