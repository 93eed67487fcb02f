"""Do the top-level prefixes of the keys land in the class that would load them? (rule V05)"""

from __future__ import annotations

from generator.survey.vllm_model import find_class, lineage

from ..analysis.analysis import Analysis
from ..finding import Finding
from ..keys.vocabulary import ADAPTER, WRAPPERS
from .checkouts import Checkouts
from .decision import Decision

STACKS = ("model", "backbone", "transformer", "language_model", "decoder")


def landing(analysis: Analysis, decision: Decision, checkouts: Checkouts) -> list[Finding]:
    """Return a finding for each group of keys whose prefix neither the class nor its mapper knows."""
    tree = checkouts.ascend if decision.repo == "vllm-ascend" else checkouts.vllm
    found = find_class(tree, decision.path, decision.cls) if tree and decision.path and decision.cls else None
    if found is None:
        return []
    family = [cls for _, cls in lineage(tree, *found)]
    known = {name for cls in family for name in cls.attributes}
    rules = [rule for cls in family for rules in cls.mapper.values() for rule in rules]
    skipped = [prefix for cls in family for prefix in cls.skipped]
    if not known & {*STACKS, "lm_head", "visual"}:
        return []
    return [
        _finding(prefix, number, analysis, decision, known)
        for prefix, number in analysis.groups.prefixes().items()
        if prefix not in known
        and not _mapped(prefix, [*rules, *skipped], analysis)
        and f"{prefix}." not in ADAPTER + WRAPPERS
    ]


def _mapped(prefix: str, rules: list[str], analysis: Analysis) -> bool:
    if prefix in ("mtp", "nextn") and analysis.mtp:
        return True
    return any(rule.lstrip("^").startswith(prefix) or prefix.startswith(rule.rstrip(".")) for rule in rules if rule)


def _finding(prefix: str, number: int, analysis: Analysis, decision: Decision, known: set[str]) -> Finding:
    first = next(g.first for g in analysis.groups.groups if g.pattern.split(".", 1)[0] == prefix)
    stack = next((name for name in STACKS if name in known), None)
    hint = f'; WeightsMapper(orig_to_new_prefix={{"{prefix}.": "{stack}."}}) may be missing' if prefix in STACKS else ""
    return Finding(
        "V05",
        "error",
        first,
        f"{number} keys start with {prefix + '.'!r:.80}, which {decision.cls} has no module for",
        analysis.checkpoint.weights.source,
        next=f"map the prefix or choose another class{hint}",
    )
