"""The image part: a tower that vLLM has, a projector of one or two layers, a placeholder token."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from ..keys.groups import Group
from .layout import Layout, module_of
from .mlp import PLAIN
from .rules import Rule
from .unknown import Log

# `model_type` of the vision configuration → module and class of vLLM.
TOWERS = {"clip_vision_model": ("clip", "CLIPVisionModel"), "siglip_vision_model": ("siglip", "SiglipVisionModel")}


def read_vision_part(analysis: Analysis, layout: Layout, log: Log) -> dict[str, Any] | None:
    """Return the answers of the image part, or None for a model of text only."""
    if analysis.multimodal is None:
        return None
    root = analysis.config.root
    vision = root.get("vision_config")
    kind = str(vision.get("model_type")) if isinstance(vision, dict) else None
    if kind not in TOWERS:
        log.todo("vision tower", "tower", f"which tower is model_type {kind!r:.60}?")
    for modality in set(analysis.multimodal.modalities) - {"image"}:
        log.todo(f"{modality} input", "tower", f"how does the model take {modality}?")
    module, cls = TOWERS.get(kind, TOWERS["clip_vision_model"])
    token = next((n for n in ("image_token_id", "image_token_index") if type(root.get(n)) is int), None)
    if token is None:
        log.todo("image token", "tower", "no field says which token stands for an image")
    for name in ("vision_feature_layer", "vision_feature_select_strategy"):
        if root.get(name) is None:
            log.todo(name, "tower", f"no {name}: which features of the tower does the language model see?")
    return {
        "module": module,
        "cls": cls,
        "token": token or "image_token_id",
        "projector": _projector(root, layout, log),
    }


def _projector(root: dict, layout: Layout, log: Log) -> dict[str, Any]:
    modules = list(dict.fromkeys(".".join(module_of(g.pattern.split("."))[0]) for g in layout.projector))
    bias = any(group.leaf == "bias" for group in layout.projector)
    act = str(root.get("projector_hidden_act"))
    if len(modules) not in (1, 2):
        log.todo(
            "projector", "tower", f"what do the modules {', '.join(modules) or '(none)'} of the projector compute?"
        )
    if len(modules) == 2 and act not in PLAIN:
        log.todo("projector_hidden_act", "tower", f"which activation is {act!r:.60}?")
    return {"modules": modules, "bias": bias, "act": act if act in PLAIN else "gelu"}


def vision_rules(analysis: Analysis, layout: Layout, part: dict[str, Any] | None) -> list[Rule]:
    """Return the rules of the tower's and the projector's keys, each by its prefix."""
    if part is None:
        return []
    found = [_tower_rule(g) for g in layout.tower]
    for number, module in enumerate(part["projector"]["modules"][:2]):
        target = f"multi_modal_projector.linear_{number + 1}"
        for group in (g for g in layout.projector if g.module == module):
            rename = None if module == target else (module, target)
            found.append(Rule(group.pattern, f"{target}.{group.leaf}", None, group.count, rename=rename))
    prefix = tower_prefix(layout)
    if found and prefix is not None and prefix != "vision_tower.vision_model":
        place = next(i for i, rule in enumerate(found) if rule.target)
        first = found[place]
        found[place] = Rule(first.source, first.target, None, first.count, rename=(prefix, "vision_tower.vision_model"))
    return found


def _tower_rule(group: Group) -> Rule:
    if ".post_layernorm." in group.pattern:
        return Rule(group.pattern, None, None, group.count, "behind the layer whose features are seen")
    return Rule(group.pattern, _tower_target(group.pattern), None, group.count)


def tower_prefix(layout: Layout) -> str | None:
    """Return what stands before `embeddings` and `encoder` in the tower's keys, or None."""
    for group in layout.tower:
        for mark in (".embeddings.", ".encoder."):
            if mark in group.pattern:
                return group.pattern.partition(mark)[0]
    return None


def _tower_target(pattern: str) -> str:
    for mark in ("embeddings.", "encoder.", "pre_layrnorm.", "post_layernorm.", "head."):
        place = pattern.find("." + mark)
        if place >= 0:
            return "vision_tower.vision_model" + pattern[place:]
    return pattern
