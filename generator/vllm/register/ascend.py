"""What vllm-ascend needs: the registration, the fused weights of ModelSlim checkpoints, prefix mappings."""

from __future__ import annotations

from generator.errors import ScaffoldError
from generator.survey.vllm_ascend import MODELS, Ascend
from generator.survey.vllm_model import find_class, find_module, lineage
from generator.survey.vllm_tree import SourceTree, function

from ..analysis.analysis import Analysis
from .request import RegisterRequest

EXPERTS = ("gate_proj", "up_proj", "down_proj")


def ascend_answers(
    request: RegisterRequest, analysis: Analysis | None, added: Ascend, ascend: SourceTree, vllm: SourceTree | None
) -> dict[str, object]:
    """Return the answers for the fragments in vllm-ascend.

    Raises:
        ScaffoldError: the checkout registers no models.
    """
    answers: dict[str, object] = {}
    if lives_in_ascend(request, ascend, vllm):
        if function(ascend.parse(MODELS), "register_model") is None:
            raise ScaffoldError(
                "this vllm-ascend registers no models: no register_model()",
                where=MODELS,
                next="use a branch that has vllm_ascend/models, or register in vLLM",
            )
        answers["model"] = {"path": MODELS, "arch": request.arch, "target": f"{request.ascend_module}:{request.cls}"}
    kind = request.model_type or (analysis.model_type if analysis else None)
    packed = dict(request.packed) or _packed(request, analysis, vllm)
    if kind and packed and added.packed_at:
        answers["packed"] = {"path": added.packed_at[0], "key": kind, "parts": {k: list(v) for k, v in packed.items()}}
    if kind and request.prefixes and added.prefix_at:
        answers["prefixes"] = {"path": added.prefix_at[0], "key": kind, "pairs": dict(request.prefixes)}
    return answers


def lives_in_ascend(request: RegisterRequest, ascend: SourceTree, vllm: SourceTree | None) -> bool:
    """Return True unless the class is in vLLM itself."""
    if request.in_ascend or request.module.startswith("vllm."):
        return request.in_ascend
    here = find_module(vllm, request.module) if vllm else None
    own = f"vllm_ascend/models/{request.module.replace('.', '/')}"
    return here is None or any(ascend.read(own + end) is not None for end in (".py", "/__init__.py"))


def _packed(request: RegisterRequest, analysis: Analysis | None, vllm: SourceTree | None) -> dict[str, list[str]]:
    """Return `packed_modules_mapping` of the class, with the experts as ModelSlim names them."""
    path = find_module(vllm, request.module) if vllm else None
    found = find_class(vllm, path, request.cls) if path else None
    packed: dict[str, list[str]] = {}
    for _, cls in lineage(vllm, *found) if found else ():
        packed = {**cls.packed, **packed}
    if not packed and analysis:
        packed = _from_keys(analysis)
    if packed and analysis and analysis.moe:
        packed.setdefault("experts", [f"experts.0.{name}" for name in _expert_names(analysis)])
    return packed


def _from_keys(analysis: Analysis) -> dict[str, list[str]]:
    names = {word for group in analysis.groups.groups for word in group.words}
    fused = {
        "qkv_proj": ["q_proj", "k_proj", "v_proj"],
        "gate_up_proj": ["gate_proj", "up_proj"],
        "fused_qkv_a_proj": ["q_a_proj", "kv_a_proj_with_mqa"],
    }
    return {name: parts for name, parts in fused.items() if names.issuperset(parts)}


def _expert_names(analysis: Analysis) -> tuple[str, ...]:
    words = {word for group in analysis.groups.groups if "experts" in group.words for word in group.words}
    return ("w1", "w2", "w3") if {"w1", "w2", "w3"} <= words else EXPERTS
