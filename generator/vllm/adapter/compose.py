"""The answers of a whole adapter: every part that the analysis asks for, and everything that nothing says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..analysis.analysis import Analysis
from .attention import read_attention_part
from .config_names import expression
from .draft import read_draft_part
from .experts import read_moe_part
from .fields import unknown_fields
from .layout import Layout, read_layout
from .mlp import read_mlp_part
from .names import checked_class, stem_of
from .norms import Norms, read_norms
from .rope import read_rope_part
from .rules import Rule, regex_of, renames, stacked_of, weight_rules
from .scale import read_scales
from .table import table
from .unknown import Log, one_line
from .vision import read_vision_part, vision_rules

LOADED_ELSEWHERE = "multi-token prediction, loaded by the module for it"
PACKED = {"qkv_proj": ["q_proj", "k_proj", "v_proj"], "gate_up_proj": ["gate_proj", "up_proj"]}


@dataclass
class Adapter:
    """What is to be written, and why.

    Attributes:
        answers: what the templates read. rules: the weight rules. log: TODOs, and what says each fact.
    """

    answers: dict[str, Any]
    rules: list[Rule]
    log: Log
    layout: Layout


def compose(analysis: Analysis, symbols: dict[str, Any], code=None, module: str = "") -> Adapter:
    """Return the adapter of a text model.

    Args:
        symbols: what the checkout offers, `survey.vllm_symbols.read_symbols`.
        code: modelling code that tells what the configuration does not, or None.
        module: stem of the module that is written.

    Raises:
        ScaffoldError: the architecture cannot name a class.
    """
    log, used = Log(), set()
    layout = read_layout(analysis)
    config = analysis.config
    arch = checked_class(analysis.architecture)
    norms = read_norms(layout, config, code, log)
    answers: dict[str, Any] = {
        "arch": arch,
        "stem": stem_of(arch),
        "checkpoint": one_line(analysis.checkpoint.root.name),
        "symbols": symbols,
        "config": {
            "hidden": _name(config, used, "hidden_size", "n_embd", "d_model"),
            "layers": _name(config, used, "num_hidden_layers", "n_layer", "n_layers", "num_layers"),
        },
        "attention": read_attention_part(analysis, layout, code, log, used),
        "rope": read_rope_part(analysis, code, log, used),
        "moe": read_moe_part(analysis, layout, code, log, used),
        "scales": read_scales(config, code, log, used),
        "tied": bool(analysis.tied),
        "head_bias": layout.has("head", "bias"),
        "dequantise": _dequantise(analysis, log),
    }
    dense = read_mlp_part(config, layout, "mlp", code, log, used)
    answers["dense_size"] = dense["size"] if dense else ""
    answers["mlp"] = _one_mlp(dense, answers["moe"], log)
    answers["norms"] = _norm_answers(norms, answers, log)
    used |= {
        "rms_norm_eps",
        "rms_norm_epsilon",
        "norm_eps",
        "norm_epsilon",
        "layer_norm_eps",
        "layer_norm_epsilon",
        "layernorm_epsilon",
        "use_qk_norm",
        "qk_norm",
        "qk_layernorm",
        "attention_bias",
        "mlp_bias",
        "qkv_bias",
        "use_bias",
        "bias",
        "lm_head_bias",
        "add_bias_linear",
        "add_qkv_bias",
        "use_parallel_residual",
    }
    unknown_fields(config, used, code, log)
    _unknown_keys(layout, log)
    answers["vision"] = read_vision_part(analysis, layout, log)
    answers["causal"] = f"{answers['stem']}LanguageModel" if answers["vision"] else arch
    inside = "language_model." if answers["vision"] else ""
    rules = weight_rules(layout, answers["tied"], bool(answers["dequantise"]), inside)
    rules += vision_rules(analysis, layout, answers["vision"])
    answers |= _loading(rules, layout, answers, symbols) | {"module": module}
    answers["draft"] = read_draft_part(analysis, layout, answers, log)
    if answers["draft"]:
        rules = [replace(r, why=LOADED_ELSEWHERE) if "multi-token" in r.why else r for r in rules]
        answers |= _loading(rules, layout, answers, symbols)
    answers["said"] = [vars(said) for said in log.said]
    answers["todos"] = [todo.as_json() for todo in log.todos]
    return Adapter(answers, rules, log, layout)


def _name(config, used: set[str], *names: str) -> str:
    return (expression(config, used, *names) or f"config.{names[0]}").removeprefix("config.")


def _one_mlp(dense: dict | None, moe: dict | None, log: Log) -> dict | None:
    """Return what the one MLP class is, for dense layers and shared experts alike."""
    shared = moe["shared"] if moe else None
    if dense and shared:
        differ = [k for k in ("gated", "act", "bias", "down_bias") if dense[k] != shared[k]]
        if differ:
            log.todo("shared experts", "moe", f"dense layers and shared experts differ in {', '.join(differ)}")
    return dense or shared


def _norm_answers(norms: Norms, adapter: dict, log: Log) -> dict[str, Any]:
    answers = norms.as_answers()
    answers["make"] = _make(norms, adapter["config"]["hidden"])
    answers["qk_cls"] = norms.cls if norms.cls != "LayerNorm" else "RMSNorm"
    if adapter["attention"]["qk_norm"] and norms.cls == "LayerNorm":
        log.todo("kind of the qk norm", "attention", "are queries and keys normalised by RMS or by LayerNorm?")
    return answers


def _make(norms: Norms, hidden: str) -> str:
    if norms.cls == "LayerNorm":
        return f"nn.LayerNorm(config.{hidden}, eps={norms.eps}, bias={norms.bias})"
    return f"{norms.cls}(config.{hidden}, eps={norms.eps})"


def _dequantise(analysis: Analysis, log: Log) -> list[int] | None:
    """Return the size of the blocks whose weights are multiplied out on load, or None.

    Ascend has no kernel for block-quantised fp8 (`AscendFp8Config.get_quant_method` is not implemented), so such
    weights become the model's own type.
    """
    quantization = analysis.quantization
    if quantization is None or quantization.method != "fp8":
        return None
    if quantization.block is None:
        log.todo(
            "fp8 without blocks", "load", "per-tensor fp8 scales are not multiplied out; which path does the NPU take?"
        )
        return None
    return list(quantization.block)


def _unknown_keys(layout: Layout, log: Log) -> None:
    for group in layout.unknown:
        log.todo(f"key {group.pattern}", "load", f"which parameter do the {group.count} keys {group.pattern} fill?")
    for slot, weights in layout.weights.items():
        modules = sorted({weight.module for weight in weights})
        if len(modules) > 1:
            log.todo(f"two modules for {slot}", "load", f"what are {' and '.join(modules)}? one name would be enough")


def _loading(rules: list[Rule], layout: Layout, answers: dict, symbols: dict) -> dict[str, Any]:
    stacked = stacked_of(rules)
    parts = {part.rpartition(".")[2] for part, _, _ in stacked}
    return {
        "table": table(rules),
        "rules": [rule.as_json() for rule in rules],
        "renames": [list(pair) for pair in renames(rules)],
        "drops": _drops(rules, layout),
        "stacked": [list(row) for row in stacked],
        "packed": [[name, names] for name, names in PACKED.items() if set(names) <= parts],
        "mixins": _mixins(answers, symbols),
    }


def _drops(rules: list[Rule], layout: Layout) -> list[dict[str, str]]:
    """Return a regular expression for each reason to leave keys out."""
    found: dict[tuple[str, str], None] = {}
    for rule in rules:
        if rule.target is not None:
            continue
        deep = rule.source.startswith(f"{layout.stack}.*.") and "multi-token" in rule.why
        if deep:
            numbers = sorted({n for g in (*layout.draft, *_groups(layout)) for n in g.layers if n >= layout.depth})
            regex = "^" + layout.stack.replace(".", r"\.") + r"\.(?:" + "|".join(map(str, numbers)) + r")\."
        else:
            regex = regex_of(rule.source).replace(r"(?=\.|$)", "$")
        found[regex, rule.why] = None
    return [{"regex": regex, "why": why} for regex, why in found]


def _groups(layout: Layout) -> list:
    return [w.group for ws in layout.weights.values() for w in ws if w.module.startswith(f"{layout.stack}.*.")]


def _mixins(answers: dict, symbols: dict) -> list[str]:
    wanted = ["SupportsLoRA", "SupportsPP"]
    if answers["moe"]:
        wanted.append("MixtureOfExperts")
    if answers["rope"] and answers["rope"]["mrope"]:
        wanted.append("SupportsMRoPE")
    # A model that multiplies its weights out must not be told of the quantisation.
    if not answers["dequantise"]:
        wanted.append("SupportsQuant")
    return [name for name in wanted if name in symbols["interfaces"]]
