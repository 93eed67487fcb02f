"""An adapter for vLLM: the model file, what it needs beside it, and its registration, in one plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from generator import __version__
from generator.errors import ScaffoldError
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.plan import Plan
from generator.survey.vllm_tree import SourceTree
from generator.vllm.adapter.names import checked_class, module_name
from generator.vllm.adapter.strategy import Strategy, choose
from generator.vllm.analysis.analysis import Analysis
from generator.vllm.decision.checkouts import Checkouts
from generator.vllm.decision.decision import Decision
from generator.vllm.register.request import RegisterRequest

from .build import NewFile, Rendering, plan_renderings
from .scene import Scene
from .vllm_model_notes import note_all
from .vllm_register import registration

KIND, VENDOR = "vllm-model", "ascend"
MODELS, CONFIGS = "vllm/model_executor/models", "vllm/transformers_utils/configs"


@dataclass(frozen=True)
class ModelRequest:
    """Attributes:
    name: stem of the module, or None for the one that `model_type` gives.
    like: a registered architecture or module whose structure is taken, or None.
    strategy: `new`, `subclass` or `alias` to do that whatever was decided, or None.
    """

    name: str | None = None
    like: str | None = None
    strategy: str | None = None


def plan_model(request: ModelRequest, scene: Scene, analysis: Analysis, decision: Decision,
               checkouts: Checkouts) -> Plan:
    """Plan the adapter of a checkpoint.

    Raises:
        ScaffoldError, SourceError: bad names, a missing anchor, a model that vLLM serves already (without a strategy).
    """
    arch = checked_class(analysis.architecture)
    name = module_name(request.name, analysis.model_type, arch)
    chosen = choose(request.strategy, request.like, analysis, decision, checkouts, name)
    command = f"vllm-model {analysis.checkpoint.root.name}" + (f" --name {request.name}" if request.name else "")
    ids = {kind: f"{kind}-{tail}-{VENDOR}" for kind, tail in ((KIND, name), ("vllm-register", arch))}
    applied = [Applied(id, kind, name, (VENDOR,), __version__, command) for kind, id in ids.items()]
    builder = PlanBuilder(scene.tree, scene.ledger, applied, track=scene.track)
    common = {"vendor": VENDOR, "repo": "vllm"}
    answers = {"kind": KIND, "name": name, **common, "adapter": chosen.answers}
    renderings = [Rendering(ids[KIND], "vllm", answers)] if chosen.writes else []
    for repo, found in _registered(chosen, arch, scene, analysis, renderings).items():
        if found:
            entry = {"kind": "vllm-register", "name": arch, **common, "repo": repo, "registration": found}
            renderings.append(Rendering(ids["vllm-register"], repo, entry))
    plan_renderings(builder, scene.renderer, renderings, describe)
    note_all(builder, chosen, decision, f"{MODELS}/{name}.py")
    return builder.build(command=command, spec=chosen.as_json(), id=ids[KIND], answers={ids[KIND]: answers})


def _registered(chosen: Strategy, arch: str, scene: Scene, analysis: Analysis,
                renderings: list[Rendering]) -> dict[str, dict[str, Any]]:
    """Return the answers of the registration; the files to come are shown to it as if they were there."""
    if not chosen.registers:
        return {}
    tree = SourceTree(scene.workspace.roots["vllm"])
    for rendering in renderings:
        for path, text in scene.renderer.render(rendering.answers).items():
            if path.endswith(".py"):
                tree.overlay(path, text.encode())
    request = RegisterRequest(arch, chosen.module, chosen.cls, analysis.kind,
                              model_type=analysis.model_type or None, config_class=chosen.config_class).checked()
    return registration(request, {"vllm": tree}, analysis)


def describe(path: str) -> NewFile:
    """What a new file of an adapter is."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    what = {MODELS: "model", CONFIGS: "configuration"}.get(path.rpartition("/")[0], "")
    return NewFile(None, stem, what)


def refuse_served(decision: Decision) -> None:
    """Refuse to write what vLLM has.

    Raises:
        ScaffoldError: the model is registered.
    """
    if decision.kind == "registered":
        raise ScaffoldError(f"vLLM serves this model already ({decision.how}): no modelling code is needed",
                            where=decision.path, next="use it as it is, or force an adapter with --strategy new")
