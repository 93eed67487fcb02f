"""Is the architecture served already? The order is that of vLLM's `resolve_model_cls`."""

from __future__ import annotations

from generator.survey.vllm_transformers import backend_compatible
from generator.survey.vllm_tree import SourceTree

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
    suffix = next(filter(None, (_suffix(arch, checkouts) for arch in analysis.architectures)), None)
    # A pooling suffix decides the conversion before the transformers backend is asked; a generating one after it.
    if suffix and any(_converts(arch, checkouts) for arch in analysis.architectures):
        return suffix
    return _transformers(analysis, checkouts) or suffix


def _converts(arch: str, checkouts: Checkouts) -> bool:
    convert = next((row[2] for row in checkouts.lists.suffixes if arch.endswith(row[0])), "none")
    return convert != "none"


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
        return _remote(analysis)
    path, compatible = found
    where = f"in transformers {checkouts.transformers.version} ({path})"
    return _by_backend(analysis, where) if compatible else None


def _remote(analysis: Analysis) -> Decision | None:
    """The checkpoint's own modelling code, if it says that it supports the backend; it is parsed, not run."""
    tree = SourceTree(analysis.checkpoint.root)
    for name, target in analysis.remote.auto_map.items():
        module, _, cls = target.rpartition("--")[2].rpartition(".")
        if name.startswith(REMOTE_MODEL) and f"{module}.py" in analysis.remote.files:
            if backend_compatible(tree.parse(f"{module}.py"), cls):
                return _by_backend(analysis, f"remote code ({module}.py, {cls}; needs --trust-remote-code)")
    return None


def _by_backend(analysis: Analysis, where: str) -> Decision:
    why = f"{analysis.architecture} is {where} and supports vLLM's transformers backend"
    return Decision(
        "registered", "transformers backend", analysis.architecture, "transformers", _backend(analysis), reasons=[why]
    )


def _backend(analysis: Analysis) -> str:
    parts = ("MultiModal" if analysis.multimodal else "") + ("MoE" if analysis.moe else "")
    return f"Transformers{parts}ForCausalLM"
