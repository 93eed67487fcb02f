"""Tied embeddings: the flag against the keys."""

from __future__ import annotations

from ..finding import Finding
from ..keys.groups import Groups
from .fields import Config

HEAD, GENERATES = "lm_head", ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel")


def read_tie(config: Config, groups: Groups, architecture: str) -> tuple[bool | None, list[str]]:
    """Return whether input and output embeddings are one tensor, and what says so.

    The flag decides; without one, the keys do. Contradictions are findings of rule V05.
    """
    flag = config.text.get("tie_word_embeddings", config.root.get("tie_word_embeddings"))
    flag = flag if type(flag) is bool else None
    _nested_flags(config)
    if not groups.total:
        return flag, ["tie_word_embeddings"] if flag is not None else []
    head = next((g for g in groups.groups if HEAD in g.words or g.pattern in ("head.weight", "output.weight")), None)
    generates = architecture.endswith(GENERATES)
    if flag is True and head:
        config.findings.append(
            Finding(
                "V05",
                "warning",
                head.first,
                "tie_word_embeddings is true, but the checkpoint carries the output head",
                "config.json",
                next='load with skip_prefixes=["lm_head."], or compare both tensors',
            )
        )
    if flag is False and head is None and generates:
        config.findings.append(
            Finding(
                "V05",
                "error",
                "tie_word_embeddings",
                "is false, but no key is an output head: it would stay random",
                "config.json",
                next="set tie_word_embeddings to true, or export the checkpoint with its lm_head.weight",
            )
        )
    says = [f"tie_word_embeddings = {str(flag).lower()}"] if flag is not None else []
    says.append(f"key {head.first}" if head else "no lm_head key")
    return (flag if flag is not None else (head is None if generates else None)), says


def _nested_flags(config: Config) -> None:
    inner, outer = (part.get("tie_word_embeddings") for part in (config.text, config.root))
    if config.text is not config.root and type(inner) is type(outer) is bool and inner != outer:
        config.findings.append(
            Finding(
                "C06",
                "warning",
                "tie_word_embeddings",
                f"the root says {str(outer).lower()}, {config.text_path}tie_word_embeddings says {str(inner).lower()}",
                "config.json",
                next="make them agree: vLLM reads the text part, transformers the root",
            )
        )
