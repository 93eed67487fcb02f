"""What templates see: one view for each kind, made from the answers alone, so that copier renders the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

_VIEWS = {
    "op": ("op", "OpView"),
    "graph-buffer": ("graph_buffer", "GraphBufferView"),
    "context-field": ("context_field", "ContextFieldView"),
    "device-patch": ("patch", "PatchView"),
    "quant-patch": ("patch", "PatchView"),
}


def view_of(answers: Mapping[str, Any]) -> Any:
    """Return the view of a set of answers.

    Args:
        answers: the answers of `copier.yml`, at least `kind`.
    """
    module, name = _VIEWS[answers["kind"]]
    return getattr(import_module(f".{module}", __package__), name)(answers)
