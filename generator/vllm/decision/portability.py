"""Layers of vLLM that a platform can replace, that this model would use, and that this vllm-ascend leaves alone."""

from __future__ import annotations

from generator.survey.vllm_model import closure, find_class

from ..analysis.analysis import Analysis
from .checkouts import Checkouts
from .decision import Decision

ROTARY = {
    "default": "RotaryEmbedding",
    "yarn": "YaRNScalingRotaryEmbedding",
    "deepseek_yarn": "DeepseekScalingRotaryEmbedding",
    "llama3": "Llama3RotaryEmbedding",
    "linear": "LinearScalingRotaryEmbedding",
    "dynamic": "DynamicNTKScalingRotaryEmbedding",
    "longrope": "Phi3LongRoPEScaledRotaryEmbedding",
}
MEANS = {
    "CustomOp": "runs its native PyTorch forward on the NPU: slower, and untried there",
    "PluggableLayer": "runs as written upstream: it may call CUDA or Triton kernels",
}


def portability(analysis: Analysis, decision: Decision, checkouts: Checkouts) -> list[dict]:
    """Return name, kind, path, line and meaning of each such class; empty without a vllm-ascend checkout."""
    if checkouts.ascend is None or checkouts.vllm is None or decision.path is None or decision.cls is None:
        return []
    tree = checkouts.ascend if decision.repo == "vllm-ascend" else checkouts.vllm
    found = find_class(tree, decision.path, decision.cls)
    names = set().union(*(cls.uses | set(cls.bases) for _, cls in closure(tree, *found))) if found else set()
    names |= {ROTARY[t] for t in (analysis.rope.types if analysis.rope else []) if t in ROTARY}
    used = [
        op
        for name, op in sorted(checkouts.custom_ops.items())
        if name in names and name not in checkouts.added.overridden
    ]
    return [
        {
            "name": op.name,
            "kind": op.kind,
            "repo": "vllm",
            "path": op.path,
            "line": op.line,
            "means": _means(op, checkouts),
        }
        for op in used
    ]


def _means(op, checkouts: Checkouts) -> str:
    if op.name in checkouts.added.conditional:
        return "is replaced only under a condition (see register_ascend_customop)"
    return MEANS[op.kind]
