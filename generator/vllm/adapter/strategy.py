"""How a checkpoint is served: by an alias, a subclass, or a file of its own; and the answers for it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from generator.errors import ScaffoldError
from generator.survey.vllm_model import lineage
from generator.survey.vllm_symbols import MOE, NAMES, PLACES, read_symbols
from generator.survey.vllm_vendor import Vendored

from ..analysis.analysis import Analysis
from ..decision.checkouts import Checkouts
from ..decision.decision import Decision
from .code import find_code, registered
from .compose import Adapter, compose
from .likeness import differences
from .names import stem_of
from .subclass import subclass
from .unknown import one_line

# What transformers' base class reads while it checks the other fields.
FIRST = (
    "max_position_embeddings",
    "hidden_size",
    "num_attention_heads",
    "head_dim",
    "num_hidden_layers",
    "partial_rotary_factor",
)
STRATEGIES = ("alias", "subclass", "new")


@dataclass
class Strategy:
    """Attributes:
    kind: `alias`, `subclass`, `new`, or `registered` where nothing is to be done.
    instead: why this and not what was decided.
    served: the registry has the architecture already, and keeps its entry.
    module, cls: what is registered. config_class: a configuration class that is written, or None.
    answers: for the templates. adapter: what was composed, for `new`.
    """

    kind: str
    module: str
    cls: str
    answers: dict[str, Any] = field(default_factory=dict)
    config_class: str | None = None
    adapter: Adapter | None = None
    served: bool = False
    instead: list[str] = field(default_factory=list)

    @property
    def writes(self) -> bool:
        """True if a file is written."""
        return self.kind in ("subclass", "new") or self.config_class is not None or bool(self.answers.get("vendored"))

    @property
    def registers(self) -> bool:
        """True if the architecture is entered in the registry."""
        return self.kind != "registered" and not self.served

    def as_json(self) -> dict[str, Any]:
        """Return what the plan's `spec` holds."""
        adapter = self.adapter
        return {
            "strategy": self.kind,
            "module": self.module,
            "class": self.cls,
            "todos": [todo.as_json() for todo in adapter.log.todos] if adapter else [],
            "said": [vars(said) for said in adapter.log.said] if adapter else [],
            "rules": [rule.as_json() for rule in adapter.rules] if adapter else [],
        }


def choose(
    asked: str | None,
    like: str | None,
    analysis: Analysis,
    decision: Decision,
    checkouts: Checkouts,
    name: str,
    vendored: dict[str, Vendored] | None = None,
) -> Strategy:
    """Return the strategy that was asked for, else the one that was decided.

    Args:
        vendored: `configuration` and `processing` → the modules that are copied instead of written.

    Raises:
        ScaffoldError: vLLM serves the model already and nothing was asked for; an alias or subclass of nothing.
    """
    kind = asked or ("new" if like else decision.kind)
    if kind == "registered":
        return Strategy("registered", decision.module or "", decision.cls or "")
    reasons = []
    if asked is None and kind in ("alias", "subclass"):
        # Modules of the same names do not make the same model.
        reasons = differences(analysis, decision, checkouts, find_code(analysis, checkouts, None))
        kind = "new" if reasons else kind
    vendored = vendored or {}
    config_class = None if "configuration" in vendored else _config_class(analysis, checkouts)
    common = {
        "module": name,
        "strategy": kind,
        "writes": kind != "alias",
        "config_class": config_class,
        "model_type": analysis.model_type,
        "config_first": [n for n in FIRST if n in analysis.config.text],
        "config_parts": _parts(analysis),
        "arch": analysis.architecture,
        "stem": stem_of(analysis.architecture),
        "checkpoint": one_line(analysis.checkpoint.root.name),
        "vendored": {kind: {"source": v.source, "text": v.text} for kind, v in vendored.items()},
    }
    if kind == "new":
        chosen = _new(common, analysis, checkouts, name, config_class, like, decision)
        chosen.instead = [f"not {decision.kind} of {decision.cls}: {reason}" for reason in reasons]
        return chosen
    if like is not None:
        decision = _base(like, decision, checkouts)
    if decision.cls is None or decision.module is None:
        raise ScaffoldError(
            f"there is no class to make {'an alias' if kind == 'alias' else 'a subclass'} of",
            next="give --like ARCH, or --strategy new",
        )
    if kind == "alias":
        return Strategy(kind, decision.module, decision.cls, common, config_class)
    adapter = subclass(analysis, decision, read_symbols(checkouts.vllm))
    answers = common | {"base": decision.cls, "base_module": decision.module} | adapter.answers
    return Strategy(kind, name, analysis.architecture, answers, config_class, adapter)


def _base(like: str, decision: Decision, checkouts: Checkouts) -> Decision:
    """Return the decision with the class that was named as the one to build on."""
    entry, (file, cls) = registered(like, checkouts)
    names = frozenset().union(*(f.names for f, _ in lineage(checkouts.vllm, file, cls)))
    return replace(decision, arch=entry.arch, module=entry.module, cls=entry.cls, path=file.path, names=names)


def _new(
    common: dict,
    analysis: Analysis,
    checkouts: Checkouts,
    name: str,
    config_class: str | None,
    like: str | None,
    decision: Decision,
) -> Strategy:
    served = decision.kind == "registered" and decision.how in ("exact key", "vllm-ascend")
    symbols = read_symbols(checkouts.vllm)
    adapter = compose(analysis, symbols, find_code(analysis, checkouts, like), name)
    _require(symbols, adapter.answers)
    return Strategy(
        "new",
        name,
        analysis.architecture,
        common | adapter.answers | {"config_class": config_class},
        config_class,
        adapter,
        served,
    )


def _require(symbols: dict[str, Any], answers: dict[str, Any]) -> None:
    """Refuse a checkout that lacks what the parts are made of.

    Raises:
        ScaffoldError: names what was looked for and where.
    """
    wanted = ["attention", "get_rope", "compile"]
    wanted += (["experts"] if answers["moe"] else []) + (["mla"] if answers["attention"]["kind"] == "mla" else [])
    missing = [name for name in wanted if symbols[name] is None]
    if missing:
        looked = "; ".join(
            f"{NAMES.get(name, 'FusedMoE')} in {' or '.join(PLACES.get(name, (MOE,)))}" for name in missing
        )
        raise ScaffoldError(
            f"this vLLM has not what an adapter is made of: {looked}",
            next="use vLLM 0.18 or newer, or register an existing class with vllm-register",
        )


def _parts(analysis: Analysis) -> list[str]:
    """Return the fields of the configuration that are configurations themselves."""
    root = analysis.config.root
    return [name for name in ("text_config", "vision_config") if isinstance(root.get(name), dict)]


def _config_class(analysis: Analysis, checkouts: Checkouts) -> str | None:
    """Return the name of a configuration class that has to be written, None where one is known or cannot be known."""
    kind = analysis.model_type
    if not kind or kind in checkouts.lists.configs or "AutoConfig" in analysis.remote.auto_map:
        return None
    package = checkouts.transformers
    if package is None or kind in package.model_types:
        return None
    return f"{stem_of(analysis.architecture)}Config"
