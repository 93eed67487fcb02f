"""The JSON document `scaffold/vllm-model` version 1."""

from __future__ import annotations

from ..analysis.analysis import Analysis
from ..decision.decision import Decision
from ..finding import Finding, by_weight
from ..keys.groups import keys_of

SCHEMA = {"name": "scaffold/vllm-model", "version": 1}
LISTED = 1000


def all_findings(analysis: Analysis, decision: Decision) -> list[Finding]:
    """Return the findings of both, the heaviest first."""
    return by_weight([*analysis.findings, *decision.findings])


def document(analysis: Analysis, decision: Decision) -> dict:
    """Return the document. Every key without an explanation is listed; prefixes and groups, at most 1000 of each."""
    explained = analysis.explained
    return {
        "schema": SCHEMA,
        "command": "vllm-model",
        "exit": 0,
        "checkpoint": str(analysis.checkpoint.root),
        "architecture": analysis.architecture or None,
        "architectures": analysis.architectures,
        "model_type": analysis.model_type or None,
        "kind": analysis.kind,
        "decision": decision.kind,
        "decision_details": decision.as_json(),
        "attention": analysis.attention.as_json(),
        "moe": _json(analysis.moe),
        "rope": _json(analysis.rope),
        "qk_norm": _json(analysis.qk_norm),
        "quantization": _json(analysis.quantization),
        "multimodal": _json(analysis.multimodal),
        "mtp": _json(analysis.mtp),
        "tied_embeddings": analysis.tied,
        "max_length": analysis.max_length,
        "says": analysis.says,
        "keys": {
            "total": analysis.groups.total,
            "explained": explained.explained,
            "unexplained": keys_of(explained.unexplained, analysis.checkpoint.weights.shard_of),
            "source": analysis.checkpoint.weights.source,
            "prefixes": dict(list(analysis.groups.prefixes().items())[:LISTED]),
            "roles": explained.roles,
            "groups": [
                {"pattern": g.pattern, "count": g.count, "first": g.first, "role": explained.of.get(g.pattern)}
                for g in analysis.groups.groups[:LISTED]
            ],
        },
        "tensor_parallel": [split.as_json() for split in analysis.splits],
        "files": {"tokenizer": analysis.checkpoint.tokenizer, "processor": analysis.checkpoint.processor},
        "remote_code": analysis.remote.as_json(),
        "findings": [finding.as_json() for finding in all_findings(analysis, decision)],
    }


def _json(aspect) -> dict | None:
    return aspect.as_json() if aspect else None
