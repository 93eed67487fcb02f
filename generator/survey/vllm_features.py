"""Which parts a vLLM model class is made of, from the names that it and the classes it mentions use."""

from __future__ import annotations

import re

from .vllm_model import closure, find_class, find_module
from .vllm_registry import Entry, Registry
from .vllm_tree import SourceTree

# Per feature: names whose use in the class, or in a class it mentions, gives the feature.
LAYERS = {
    "MLA": ("MultiHeadLatentAttentionWrapper", "MLAModules", "MLAAttention"),
    "hybrid": ("MambaMixer", "MambaMixer2", "ShortConv", "GatedDeltaNetAttention", "QwenGatedDeltaNetAttention",
               "KimiGatedDeltaNetAttention", "OlmoHybridGatedDeltaNetAttention", "MiniMaxText01LinearAttention",
               "BailingMoELinearAttention", "Plamo2MambaMixer", "IsHybrid", "IsAttentionFree"),
    "MoE": ("FusedMoE", "SharedFusedMoE", "FusedMoEFactory", "fused_experts", "DbrxExperts"),
    "multimodal": ("SupportsMultiModal",),
}  # fmt: skip
WINDOWS = ("sliding_window", "per_layer_sliding_window", "sliding_attention")
NESTED = ("init_vllm_registered_model", "AutoModelForCausalLM")
TEXT_ARCH = re.compile(rb"""architectures\s*=\s*\[\s*["'](\w+)["']""")


def features_of(tree: SourceTree, registry: Registry, entry: Entry, hops: int = 2) -> set[str]:
    """Return those of `MLA`, `hybrid`, `MoE`, `multimodal`, `sliding` that the class has, and two words on certainty.

    `sliding?` says that windows are an option: read under a condition or by `getattr`, so that configurations without
    them are served too. `delegates` says that the text model is chosen at run time by its configuration.
    """
    path = find_module(tree, entry.module)
    found = find_class(tree, path, entry.cls) if path else None
    if found is None:
        return set()
    family = closure(tree, *found)
    names = set().union(*(cls.uses | set(cls.bases) | {cls.name} for _, cls in family))
    features = {feature for feature, layers in LAYERS.items() if not names.isdisjoint(layers)}
    if any(not cls.strings.isdisjoint(WINDOWS) for _, cls in family):
        features.add("sliding" if any("sliding_window" in cls.reads for _, cls in family) else "sliding?")
    if names & set(NESTED):
        features.add("delegates")
        for arch in TEXT_ARCH.findall(tree.read(found[0].path) or b"") if hops else ():
            text = registry.find(arch.decode())
            features |= features_of(tree, registry, text, hops - 1) - {"delegates"} if text else set()
    return features
