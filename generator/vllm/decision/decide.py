"""Registered, alias, subclass or new."""

from __future__ import annotations

import difflib

from generator.survey.vllm_model import find_class, find_module, lineage

from ..analysis.analysis import Analysis
from ..keys.explain import explain
from .accepted import accepted
from .candidates import Candidate, candidates, plain
from .checkouts import Checkouts
from .decision import Decision
from .landing import landing
from .mapper import mapped
from .pinned import pinned
from .places import places
from .portability import portability
from .registered import served

ENOUGH, HALF = 0.75, 0.5


def decide(analysis: Analysis, checkouts: Checkouts) -> Decision:
    """Return what these checkouts need for the checkpoint. `analysis.explained` learns the names of the class found."""
    decision = served(analysis, checkouts) or _unserved(analysis, checkouts)
    _target(decision, checkouts)
    if decision.names:
        analysis.explained = explain(analysis.groups, analysis.multimodal is not None, decision.names)
    decision.near = (
        near_misses(analysis.architecture, checkouts) if decision.how not in ("exact key", "vllm-ascend") else []
    )
    decision.places = places(analysis, decision, checkouts)
    decision.portability = portability(analysis, decision, checkouts)
    decision.findings += landing(analysis, decision, checkouts) + mapped(decision, checkouts)
    decision.findings += pinned(analysis, decision, checkouts) + accepted(analysis, checkouts)
    return decision


def _unserved(analysis: Analysis, checkouts: Checkouts) -> Decision:
    arch, reasons = analysis.architecture, []
    registry = checkouts.registry
    if registry and arch in registry.previous:
        reasons.append(f"vLLM had {arch} until {registry.previous[arch]} and dropped it")
    if registry and arch in registry.elsewhere:
        reasons.append(f"{arch} lives in a plugin: {registry.elsewhere[arch]}")
    if checkouts.vllm is None:
        reasons.append("no vLLM checkout was found, so nothing could be compared")
    if registry and not reasons:
        reasons.append(f"no key, suffix rule or transformers class serves {arch or 'a model without architectures'}")
    best = next(iter(candidates(analysis, checkouts)), None)
    return _like(best, analysis, reasons) if best else Decision("new", reasons=reasons)


def _like(best: Candidate, analysis: Analysis, reasons: list[str]) -> Decision:
    entry, share = best.entry, f"{best.covered:.0%}"
    target = {"arch": entry.arch, "module": entry.module, "cls": entry.cls, "path": best.path, "line": None}
    same_type = best.likeness == 1.0
    if best.differs:
        reasons.append(f"closest is {entry.cls} ({best.path}), but only one of the two has: {', '.join(best.differs)}")
        kind = "subclass" if best.covered >= ENOUGH and len(best.differs) == 1 and same_type else "new"
    elif analysis.groups.total and not best.missing or same_type and not analysis.groups.total:
        why = (
            f"{entry.cls} names every module of the checkpoint" if analysis.groups.total else "same model_type, no keys"
        )
        reasons.append(f"{why}, and has the same attention, experts and modalities: an entry in the registry is enough")
        return Decision("alias", reasons=reasons, **target)
    elif best.covered >= (ENOUGH if analysis.groups.total else HALF):
        what = "modules" if analysis.groups.total else "fields (there are no keys to compare)"
        reasons.append(f"{entry.cls} ({best.path}) names {share} of the {what}; it lacks {', '.join(best.missing[:8])}")
        kind = "subclass"
    else:
        reasons.append(f"closest is {entry.cls} ({best.path}) with {share} of the modules: too far to build on")
        kind = "new"
    return Decision(
        kind, reasons=reasons, **(target if kind == "subclass" else {"path": best.path, "module": entry.module})
    )


def _target(decision: Decision, checkouts: Checkouts) -> None:
    """Find the class that the decision names, and every name that its file and bases read."""
    tree = checkouts.ascend if decision.repo == "vllm-ascend" else checkouts.vllm
    if tree is None or decision.cls is None:
        return
    path = decision.path if decision.path else find_module(tree, decision.module)
    if path and tree.read(path) is None:
        path = path.removesuffix(".py") + "/__init__.py"
    found = find_class(tree, path, decision.cls) if path else None
    if found is None:
        return
    decision.path = found[0].path
    family = lineage(tree, *found)
    decision.names = frozenset().union(*(file.names for file, _ in family))


def near_misses(arch: str, checkouts: Checkouts) -> list[str]:
    """Return registered architectures with almost this name, those that differ in case or punctuation first."""
    if not arch or checkouts.registry is None:
        return []
    known = list(dict.fromkeys([e.arch for e in checkouts.registry.entries] + list(checkouts.added.models)))
    same = [name for name in known if plain(name) == plain(arch) and name != arch]
    close = difflib.get_close_matches(arch, known, n=3, cutoff=0.85)
    return list(dict.fromkeys(same + [name for name in close if name != arch]))
