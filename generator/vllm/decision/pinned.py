"""What the checkpoint wants of transformers and the pinned version may not have. The pin is named, never raised."""

from __future__ import annotations

import re

from generator.survey.vllm_transformers import remote_imports
from generator.survey.vllm_tree import SourceTree

from ..analysis.analysis import Analysis
from ..finding import Finding
from .checkouts import Checkouts
from .decision import Decision

KEEP = "keep the pin: add a configuration class to vllm/transformers_utils/configs, or vendor the symbol"
SHOWN = 10


def pinned(analysis: Analysis, decision: Decision, checkouts: Checkouts) -> list[Finding]:
    """Return the model type and the symbols that are not in the pinned transformers (rule V14)."""
    found = [_model_type(analysis, decision, checkouts), _saved_with(analysis, checkouts)]
    return [f for f in found if f] + _symbols(analysis, checkouts)


def _pin(checkouts: Checkouts) -> str:
    if checkouts.pin is None:
        return "no pinned transformers"
    repo, requirement, path, line = checkouts.pin
    return f"transformers {requirement} ({repo}: {path}:{line})"


def _model_type(analysis: Analysis, decision: Decision, checkouts: Checkouts) -> Finding | None:
    kind, package = analysis.model_type, checkouts.transformers
    if not kind:
        return Finding(
            "C04",
            "warning",
            "model_type",
            "is no text: no configuration class can be chosen",
            "config.json",
            next="add model_type",
        )
    if kind in checkouts.lists.configs or (package and kind in package.model_types):
        return None
    remote = "AutoConfig" in analysis.remote.auto_map
    if package is None:
        # A registered architecture was tried by vLLM's own tests with the pinned version.
        if decision.kind == "registered" or checkouts.vllm is None:
            return None
        message = f"{kind!r} has no configuration class in vLLM; if {_pin(checkouts)} has one cannot be seen here"
        severity = "note" if decision.kind == "alias" else "warning"
        next = "--transformers DIR shows it; " + KEEP
        return Finding("V14", severity, "model_type", message, "config.json", next=next)
    message = f"{kind!r} is not in transformers {package.version}; pinned is {_pin(checkouts)}"
    return Finding(
        "V14",
        "note" if remote else "warning",
        "model_type",
        message + ("; remote code brings its configuration" if remote else ""),
        "config.json",
        next=KEEP,
    )


def _saved_with(analysis: Analysis, checkouts: Checkouts) -> Finding | None:
    saved = analysis.config.root.get("transformers_version")
    exact = re.search(r"==\s*([0-9.]+)", checkouts.pin[1]) if checkouts.pin else None
    if not isinstance(saved, str) or exact is None or _numbers(saved) <= _numbers(exact[1]):
        return None
    message = f"saved with {saved[:40]}, newer than {_pin(checkouts)}: fields may have other names"
    return Finding(
        "V14", "note", "transformers_version", message, "config.json", next="compare the fields; do not raise the pin"
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part[:9]) for part in re.findall(r"[0-9]+", version)[:3])


def _symbols(analysis: Analysis, checkouts: Checkouts) -> list[Finding]:
    package = checkouts.transformers
    if package is None:
        return []
    tree, found = SourceTree(analysis.checkpoint.root), []
    for name in analysis.remote.files[:50]:
        for module, symbol, line in remote_imports(tree, name):
            if not package.has(module, symbol) and len(found) < SHOWN:
                message = f"{module}.{symbol} is not in transformers {package.version}; pinned is {_pin(checkouts)}"
                found.append(Finding("V14", "warning", symbol, message, name, line, next=KEEP))
    return found
