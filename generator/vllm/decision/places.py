"""The lists that a model must be in, and whether it is: the places that are easily forgotten."""

from __future__ import annotations

from ..analysis.analysis import Analysis
from .checkouts import Checkouts
from .decision import Decision, Place

TESTS, DOCS = "tests/models/registry.py", "docs/models/supported_models.md"


def places(analysis: Analysis, decision: Decision, checkouts: Checkouts) -> list[Place]:
    """Return the places for this model, in the order in which they are filled."""
    if checkouts.vllm is None and checkouts.ascend is None:
        return []
    found = [*_registration(analysis, decision, checkouts), *_attention(analysis, checkouts)]
    found += [
        *_speculative(analysis, checkouts),
        *_configuration(analysis, checkouts),
        *_processor(analysis, checkouts),
    ]
    return found + _ascend(analysis, checkouts)


def _registration(analysis: Analysis, decision: Decision, checkouts: Checkouts) -> list[Place]:
    if decision.kind == "registered" or checkouts.vllm is None:
        return []
    arch = analysis.architecture
    found = [Place("model registry", False, f"{arch} is not supported", path="vllm/model_executor/models/registry.py")]
    for path, why in ((TESTS, "CI asks for an example of every architecture"), (DOCS, "users look there")):
        data = checkouts.vllm.read(path)
        found.append(Place(path, None if data is None else arch.encode() in data, why, path=path))
    return found


def _attention(analysis: Analysis, checkouts: Checkouts) -> list[Place]:
    lists, kind = checkouts.lists, analysis.text_model_type
    found = []
    if analysis.attention.mla and lists.mla_types.path:
        found.append(
            Place(
                "MLA model types",
                kind in lists.mla_types,
                f"without {kind!r} in is_deepseek_mla the cache holds full keys and values, silently",
                path=lists.mla_types.path,
                line=lists.mla_types.line,
            )
        )
    unusual = analysis.attention.heads.unusual
    if unusual and checkouts.vllm:
        found.append(
            Place(
                "config convertor",
                kind in lists.convertors if lists.convertors.path else None,
                f"vLLM's base convertor does not read {', '.join(unusual)}",
                path=lists.convertors.path,
                line=lists.convertors.line,
            )
        )
    if analysis.attention.as_json()["attention_free"] and lists.adjusted.path:
        found.append(
            Place(
                "MODELS_CONFIG_MAP",
                analysis.architecture in lists.adjusted,
                "a pure state-space model needs its cache sizes set at start",
                path=lists.adjusted.path,
                line=lists.adjusted.line,
            )
        )
    return found


def _speculative(analysis: Analysis, checkouts: Checkouts) -> list[Place]:
    if analysis.mtp is None or analysis.mtp.status == "checkpoint-missing" or checkouts.vllm is None:
        return []
    lists, kind = checkouts.lists, analysis.text_model_type
    names = {kind, analysis.model_type, analysis.architecture} - {""}
    known = not names.isdisjoint(lists.override.names)
    draft = (
        [entry.arch for entry in checkouts.registry.entries if "SPECULATIVE" in entry.table]
        if checkouts.registry
        else []
    )
    listed = known and any(name in lists.override for name in draft)
    convertor = any(f"{name}_mtp" in lists.convertors for name in names) or known
    return [
        Place(
            "hf_config_override",
            known,
            "the draft model is not found for this model_type",
            path=lists.override.path,
            line=lists.override.line,
        ),
        Place(
            "_SPECULATIVE_DECODING_MODELS",
            listed,
            "the draft class is not registered",
            path="vllm/model_executor/models/registry.py",
        ),
        Place(
            "MTPModelTypes",
            (known or f"{kind}_mtp" in lists.mtp_types) if lists.mtp_types.path else None,
            "the method name is refused",
            path=lists.mtp_types.path,
            line=lists.mtp_types.line,
        ),
        Place(
            "convertor of the draft model",
            convertor if lists.convertors.path else None,
            "the number of draft layers is read from the wrong field",
            path=lists.convertors.path,
            line=lists.convertors.line,
        ),
    ]


def _configuration(analysis: Analysis, checkouts: Checkouts) -> list[Place]:
    lists, kind = checkouts.lists, analysis.model_type
    package = checkouts.transformers
    known = kind in lists.configs or (package is not None and kind in package.model_types)
    if checkouts.vllm is None or known or package is None or "AutoConfig" in analysis.remote.auto_map:
        return []
    return [
        Place(
            "_CONFIG_REGISTRY",
            False,
            f"model_type {kind!r} has no configuration class in vLLM or transformers {package.version}",
            path=lists.configs.path,
            line=lists.configs.line,
        )
    ]


def _processor(analysis: Analysis, checkouts: Checkouts) -> list[Place]:
    parts = [part.get("processor_class") for part in analysis.checkpoint.extra.values()]
    name = next((n for n in parts if isinstance(n, str) and n.isidentifier()), None)
    if analysis.multimodal is None or name is None or checkouts.vllm is None or checkouts.transformers is None:
        return []
    lists = checkouts.lists
    if name in lists.processor_classes or "AutoProcessor" in analysis.remote.auto_map:
        return []
    if checkouts.transformers.has("transformers", name):
        return []
    return [
        Place(
            "processors",
            False,
            f"{name} is in neither transformers nor vLLM",
            path=lists.processor_classes.path,
            line=lists.processor_classes.line,
        )
    ]


def _ascend(analysis: Analysis, checkouts: Checkouts) -> list[Place]:
    quantization, added, kind = analysis.quantization, checkouts.added, analysis.model_type
    if checkouts.ascend is None or quantization is None or added.packed_at is None or quantization.method != "ascend":
        return []
    listed = not {kind, analysis.text_model_type}.isdisjoint(added.packed)
    path, line = added.packed_at
    return [
        Place(
            "packed_modules_model_mapping",
            listed,
            f"fused weights of {kind!r} are not found in ModelSlim's description",
            "vllm-ascend",
            path,
            line,
        )
    ]
