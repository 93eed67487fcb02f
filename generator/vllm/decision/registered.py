"""Is the architecture served already? The order is that of vLLM's `resolve_model_cls`."""

from __future__ import annotations

from ..analysis.analysis import Analysis
from .checkouts import Checkouts
from .decision import Decision

REMOTE_MODEL = "AutoModel"


def served(analysis: Analysis, checkouts: Checkouts) -> Decision | None:
    """Return the decision `registered` for the first architecture that anything serves, else None.

    vllm-ascend's registrations come first: its plugin replaces vLLM's entry of the same key.
    """
    for arch in analysis.architectures:
        for find in (_ascend, _exact):
            found = find(arch, checkouts)
            if found:
                return found
    transformers = _transformers(analysis, checkouts)
    if transformers:
        return transformers
    return next(filter(None, (_suffix(arch, checkouts) for arch in analysis.architectures)), None)


def _exact(arch: str, checkouts: Checkouts) -> Decision | None:
    entry = checkouts.registry.find(arch) if checkouts.registry else None
    if entry is None:
        return None
    why = f"{arch} is a key of {entry.table}" + (f", section [{entry.section}]" if entry.section else "")
    return Decision("registered", "exact key", arch, entry.module, entry.cls, line=entry.line, reasons=[why])


def _ascend(arch: str, checkouts: Checkouts) -> Decision | None:
    found = checkouts.added.models.get(arch)
    if found is None:
        return None
    module, _, cls = found.target.partition(":")
    why = f"vllm-ascend registers {arch} itself ({found.path}:{found.line}), in place of vLLM's entry"
    path = module.replace(".", "/") + ".py"
    return Decision("registered", "vllm-ascend", arch, module, cls, path, found.line, "vllm-ascend", [why])


def _suffix(arch: str, checkouts: Checkouts) -> Decision | None:
    suffixes = [row[0] for row in checkouts.lists.suffixes]
    suffix = next((s for s in suffixes if arch.endswith(s)), None)
    if suffix is None or checkouts.registry is None:
        return None
    for other in suffixes:
        base = arch.replace(suffix, other)
        entry = checkouts.registry.find(base)
        if entry:
            why = f"{arch} is no key, but vLLM's suffix rule {suffix} → {other} leads to {base} and converts it"
            return Decision("registered", "suffix rule", base, entry.module, entry.cls, line=entry.line, reasons=[why])
    return None


def _transformers(analysis: Analysis, checkouts: Checkouts) -> Decision | None:
    if not any("transformers" in e.module for e in checkouts.registry.entries) if checkouts.registry else True:
        return None
    arch = analysis.architecture
    found = checkouts.transformers.modelling(arch) if checkouts.transformers and arch else None
    if found is None:
        return None
    path, compatible = found
    if not compatible:
        return None
    why = [
        f"{arch} is in transformers {checkouts.transformers.version} ({path}) and supports vLLM's transformers backend"
    ]
    return Decision(
        "registered", "transformers backend", arch, "transformers", _backend(analysis), repo="vllm", reasons=why
    )


def _backend(analysis: Analysis) -> str:
    parts = ("MultiModal" if analysis.multimodal else "") + ("MoE" if analysis.moe else "")
    return f"Transformers{parts}ForCausalLM"
