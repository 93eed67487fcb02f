"""An adapter for vLLM: the model file, what it needs beside it, and its registration, in one plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    ids = {kind: f"{kind}-{tail}-{VENDOR}" for kind, tail in ((KIND, name), ("vllm-register", arch))}
    applied = [Applied(id, kind, name, (VENDOR,), __version__, command) for kind, id in ids.items()]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    common = {"vendor": VENDOR, "repo": "vllm"}
    answers = {"kind": KIND, "name": name, **common, "adapter": chosen.answers}
    renderings = [Rendering(ids[KIND], "vllm", answers)] if chosen.writes else []
    for repo, found in _registered(chosen, arch, scene, analysis, renderings, vendored).items():
        if found:
            entry = {"kind": "vllm-register", "name": arch, **common, "repo": repo, "registration": found}
            renderings.append(Rendering(ids["vllm-register"], repo, entry))
    plan_renderings(builder, scene.renderer, renderings, describe)
    note_all(builder, chosen, decision, f"{MODELS}/{name}.py")
    note_vendored(builder, vendored)
    return builder.build(command=command, spec=chosen.as_json(), id=ids[KIND], answers={ids[KIND]: answers})


def _registered(
    chosen: Strategy,
    arch: str,
    scene: Scene,
    analysis: Analysis,
    renderings: list[Rendering],
    vendored: dict[str, Vendored],
) -> dict[str, dict[str, Any]]:
    """Return the answers of the registration; the files to come are shown to it as if they were there."""
    if not chosen.registers:
        return {}
    tree = SourceTree(scene.workspace.roots["vllm"])
    for rendering in renderings:
        for path, text in scene.renderer.render(rendering.answers).items():
            if path.endswith(".py"):
                tree.overlay(path, text.encode())
    named = {kind: module.cls for kind, module in vendored.items()}
    request = RegisterRequest(
        arch,
        chosen.module,
        chosen.cls,
        analysis.kind,
        model_type=analysis.model_type or None,
        config_class=named.get("configuration", chosen.config_class),
        processor_class=named.get("processing"),
    ).checked()
    return registration(request, {"vllm": tree}, analysis)


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
