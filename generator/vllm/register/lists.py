"""The other lists of vLLM that this model has to be in, where the analysis says so."""

from __future__ import annotations

import ast

from generator.survey.vllm_lists import CONFIG, CONFIGS, CONVERTORS, PROCESSORS, Lists, draft_convertors
from generator.survey.vllm_tree import SourceTree, assigned

from ..analysis.analysis import Analysis
from .request import RegisterRequest

SCOPES = {CONVERTORS: "ModelArchConfigConvertorBase", "vllm/config/model.py": "ModelConfig"}


Answers = dict[str, object]


def list_answers(request: RegisterRequest, analysis: Analysis | None, lists: Lists, tree: SourceTree) -> Answers:
    """Return the answers for the fragments of MLA types, draft models, configuration and processor classes."""
    kind = request.model_type or (analysis.text_model_type if analysis else None)
    answers: Answers = {}
    if analysis and kind and request.kind != "speculative":
        answers |= _mla(analysis, kind, lists)
    if analysis and kind and request.kind == "speculative":
        answers |= _draft(request, analysis, kind, lists, tree)
    root = request.model_type or (analysis.model_type if analysis else None)
    return answers | _config(request, root, tree) | _processor(request, tree)


def _mla(analysis: Analysis, kind: str, lists: Lists) -> Answers:
    path = lists.mla_types.path
    if not analysis.attention.mla or path is None:
        return {}
    return {"mla": {"path": path, "scope": f"{SCOPES.get(path, 'ModelConfig')}.is_deepseek_mla", "item": kind}}


def _draft(request: RegisterRequest, analysis: Analysis, kind: str, lists: Lists, tree: SourceTree) -> Answers:
    field = _field(analysis)
    name = f"{kind}_mtp"
    if field is None or lists.override.path is None or _served(analysis, kind, request.arch, lists, tree):
        return {}
    answers: Answers = {
        "override": {
            "path": lists.override.path,
            "model_type": kind,
            "draft": name,
            "field": field,
            "arch": request.arch,
        }
    }
    if lists.mtp_types.path:
        answers["mtp_type"] = {"path": lists.mtp_types.path, "item": name}
    convertor = draft_convertors(tree).get(field)
    if convertor:
        answers["convertor"] = {"path": CONVERTORS, "key": name, "cls": convertor}
    return answers


def _served(analysis: Analysis, kind: str, arch: str, lists: Lists, tree: SourceTree) -> bool:
    """Return True if upstream finds the draft model already; what an earlier plan of ours wrote does not count."""
    source = tree.read(lists.override.path) or b""
    ours = (
        f'if hf_config.model_type == "{kind}":'.encode() in source and f'"architectures": ["{arch}"]'.encode() in source
    )
    names = {kind, analysis.model_type, analysis.architecture} - {""}
    return not ours and not names.isdisjoint(lists.override.names)


def _field(analysis: Analysis) -> str | None:
    says = analysis.mtp.says[0] if analysis.mtp and analysis.mtp.layers else ""
    return says.partition(" = ")[0].rpartition(".")[2] or None


def _config(request: RegisterRequest, kind: str | None, tree: SourceTree) -> Answers:
    value = assigned(tree.parse(CONFIG), "_CONFIG_REGISTRY")
    if request.config_class is None or kind is None or not kind.isidentifier() or not isinstance(value, ast.Call):
        return {}
    call = value.func.id if isinstance(value.func, ast.Name) else None
    lazy = assigned(tree.parse(CONFIGS), "_CLASS_TO_MODULE") is not None
    return {
        "config": {
            "path": CONFIG,
            "call": call,
            "model_type": kind,
            "cls": request.config_class,
            "lazy": lazy,
            "exports": CONFIGS,
            "module": f"vllm.transformers_utils.configs.{request.module}",
        }
    }


def _processor(request: RegisterRequest, tree: SourceTree) -> Answers:
    if request.processor_class is None or assigned(tree.parse(PROCESSORS), "_CLASS_TO_MODULE") is None:
        return {}
    return {
        "processor": {
            "path": PROCESSORS,
            "cls": request.processor_class,
            "module": f"vllm.transformers_utils.processors.{request.module}",
        }
    }
