"""Does a class that names the same modules also compute the same? What its code says, against what is known."""

from __future__ import annotations

from generator.survey.modelling import Code
from generator.survey.vllm_model import find_class

from ..analysis.analysis import Analysis
from ..decision.candidates import plain
from ..decision.checkouts import Checkouts
from ..decision.decision import Decision
from .code import class_code
from .fields import INERT, matters

FACTS = {
    "norm_kind": "kind of norm",
    "rope_style": "rotation",
    "embed_scale": "factor on the embedding",
    "residual_scale": "factor on the residual",
    "norm_places": "place of the norms",
}


def differences(analysis: Analysis, decision: Decision, checkouts: Checkouts, code: Code | None) -> list[str]:
    """Return why the class that was decided for cannot be trusted to compute what the checkpoint asks for.

    A class of the checkpoint's own `model_type` is trusted. Any other has to agree with the checkpoint's modelling code
    and has to read every field of the configuration that matters; without code nothing says that it would.

    Args:
        code: the checkpoint's own modelling code, or None.
    """
    module = (decision.module or "").rpartition(".")[2]
    if analysis.text_model_type and plain(analysis.text_model_type) == plain(module):
        return []
    if code is None:
        return ["it names the same modules, but nothing says that it computes the same"]
    tree = checkouts.vllm
    found = find_class(tree, decision.path, decision.cls) if tree and decision.path and decision.cls else None
    base = class_code(tree, *found) if found else None
    if base is None:
        return ["its code has no decoder layer that could be read"]
    return _facts(base, code) + [
        f"it does not read {name}" for name in _fields(analysis, code) if name not in base.reads
    ]


def _facts(base: Code, code: Code) -> list[str]:
    pairs = ((what, getattr(base, name), getattr(code, name)) for name, what in FACTS.items())
    return [
        f"{what}: {other or 'none'} there, {value or 'none'} here" for what, other, value in pairs if other != value
    ]


def _fields(analysis: Analysis, code: Code) -> list[str]:
    return [n for n, v in analysis.config.text.items() if n not in INERT and n in code.reads and matters(v)]
