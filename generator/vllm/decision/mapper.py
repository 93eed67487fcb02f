"""Rules of a `WeightsMapper` that change a key again when nested loaders apply them twice (rule V05)."""

from __future__ import annotations

from generator.survey.vllm_model import find_class, lineage

from ..finding import Finding
from .checkouts import Checkouts
from .decision import Decision

AGAIN = {
    "orig_to_new_prefix": str.startswith,
    "orig_to_new_suffix": str.endswith,
    "orig_to_new_substr": str.__contains__,
}


def mapped(decision: Decision, checkouts: Checkouts) -> list[Finding]:
    """Return a finding for each rule whose result it would match again."""
    tree = checkouts.ascend if decision.repo == "vllm-ascend" else checkouts.vllm
    found = find_class(tree, decision.path, decision.cls) if tree and decision.path and decision.cls else None
    family = [cls for _, cls in lineage(tree, *found)] if found else []
    return [
        _finding(old, new, kind, cls, decision.repo)
        for cls in family
        for kind, matches in AGAIN.items()
        for old, new in cls.mapper.get(kind, {}).items()
        if new is not None and old and old != new and matches(new, old)
    ]


def _finding(old: str, new: str, kind: str, cls, repo: str) -> Finding:
    once = new
    twice = (
        once.replace(old, new)
        if kind == "orig_to_new_substr"
        else (new + once[len(old) :] if kind == "orig_to_new_prefix" else once[: len(once) - len(old)] + new)
    )
    return Finding(
        "V05",
        "warning",
        old,
        f"the rule {old!r} -> {new!r} of {cls.name} changes its own result: {once!r} becomes {twice!r}",
        cls.path,
        cls.line,
        repo,
        next="map it in one loader only, or anchor the rule",
    )
