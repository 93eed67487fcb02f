"""The mixture of experts: which layers have it, how it routes, what is shared."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from .config_names import expression
from .layout import Layout
from .mlp import GATED, activation, read_mlp_part
from .unknown import Log

EXPERTS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
TOP_K = ("num_experts_per_tok", "moe_topk", "moe_top_k", "moe_k", "top_k_experts", "num_experts_per_token")
SIZES = ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size", "intermediate_size")
DENSE = {"first_k_dense_replace", "mlp_only_layers", "decoder_sparse_step", "moe_layer_freq", "num_dense_layers"}


def read_moe_part(analysis: Analysis, layout: Layout, code, log: Log, used: set[str]) -> dict[str, Any] | None:
    """Return the answers of the experts, or None for a dense model."""
    if not layout.layers_of("moe."):
        return None
    config = analysis.config
    experts, top_k = expression(config, used, *EXPERTS), expression(config, used, *TOP_K)
    size = expression(config, used, *SIZES)
    for name, value in (("number of experts", experts), ("experts per token", top_k), ("width of an expert", size)):
        if value is None:
            log.todo(name, "moe", f"no field of config.json says the {name}")
    part = {
        "experts": experts or "config.num_experts",
        "top_k": top_k or "config.num_experts_per_tok",
        "size": size or "config.moe_intermediate_size",
        "act": _activation(config, code, log, used),
        "stacked": layout.has("moe.stacked.gate_up"),
        "transposed": _transposed(analysis, layout, log),
        "shared_gate": layout.has("moe.shared_gate"),
        "router_bias": layout.has("moe.router", "bias"),
    }
    part |= _routing(analysis, layout, code, log, used) | _layers(analysis, layout, used)
    part["shared"] = read_mlp_part(config, layout, "moe.shared", code, log, used)
    if part["shared"]:
        part["shared"]["size"] = _shared_size(config, layout, log, used)
    return part


def _activation(config, code, log: Log, used: set[str]) -> str:
    name = activation(config, code, log, used)
    if name not in GATED:
        log.todo("activation of the experts", "moe", f"which gated activation is {name!r}?")
    return {"swish": "silu"}.get(name, name) if name in GATED else "silu"


def _routing(analysis: Analysis, layout: Layout, code, log: Log, used: set[str]) -> dict[str, Any]:
    config = analysis.config
    corrected = layout.has("moe.router_bias")
    renormalize = expression(config, used, "norm_topk_prob", "moe_renormalize", "norm_topk_weights")
    if renormalize is None:
        if code and code.renormalize is not None:
            renormalize = str(code.renormalize)
            log.say(f"weights of the chosen experts add up to one: {code.renormalize}", code.where)
        else:
            log.todo("norm_topk_prob", "moe", "do the weights of the chosen experts add up to one?")
    scoring = config.text_get("scoring_func", "score_function", "moe_router_activation_func")
    used |= {"scoring_func", "score_function", "moe_router_activation_func", "topk_method", "n_group", "topk_group"}
    kind = scoring.value if scoring else code.scoring if code and code.scoring else None
    if kind is None:
        kind = "sigmoid" if corrected else "softmax"
        log.say(f"experts are scored by {kind}", "convention")
    if kind not in ("softmax", "sigmoid"):
        log.todo("scoring function", "moe", f"what is {kind!r:.60}?")
        kind = "softmax"
    groups = config.text.get("n_group")
    grouped = type(groups) is int and groups >= 1 and type(config.text.get("topk_group")) is int
    factor = expression(config, used, "routed_scaling_factor", "route_scale", "moe_router_scaling_factor")
    return {
        "renormalize": renormalize or "True",
        "scoring": kind,
        "corrected": corrected,
        "grouped": grouped and (groups > 1 or corrected),
        "factor": factor,
    }


def _layers(analysis: Analysis, layout: Layout, used: set[str]) -> dict[str, Any]:
    """Say which layers have experts: a rule of the configuration if it gives what the keys say, else the numbers."""
    used |= DENSE
    moe, every = layout.layers_of("moe."), set(range(layout.depth))
    text = analysis.config.text
    if moe == every:
        return {"where": None, "layers": []}
    first = text.get("first_k_dense_replace")
    if type(first) is int and moe == {i for i in every if i >= first}:
        return {"where": "layer_idx >= config.first_k_dense_replace", "layers": []}
    only, step = text.get("mlp_only_layers") or [], text.get("decoder_sparse_step")
    if type(step) is int and step > 0 and moe == {i for i in every if i not in only and (i + 1) % step == 0}:
        rule = "layer_idx not in config.mlp_only_layers and (layer_idx + 1) % config.decoder_sparse_step == 0"
        return {"where": rule if "mlp_only_layers" in text else rule.partition(" and ")[2], "layers": []}
    return {"where": "layer_idx in MOE_LAYERS", "layers": sorted(moe)}


def _shared_size(config, layout: Layout, log: Log, used: set[str]) -> str:
    given = expression(
        config,
        used,
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "shared_intermediate_size",
    )
    if given:
        return given
    count = expression(config, used, "n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
    size = expression(config, used, *SIZES)
    if count is None:
        log.todo("width of the shared experts", "moe", "no field of config.json says how wide the shared experts are")
        return size or "config.moe_intermediate_size"
    return f"{size} * {count}"


def _transposed(analysis: Analysis, layout: Layout, log: Log) -> bool:
    """Return True if stacked experts are stored input first, as the header's shape says."""
    weight = layout.first("moe.stacked.gate_up", "") or layout.first("moe.stacked.gate_up")
    if weight is None:
        return False
    tensor = analysis.checkpoint.weights.tensors.get(weight.group.first)
    hidden = analysis.attention.heads.hidden
    shape = tensor.shape if tensor else ()
    if len(shape) == 3 and hidden in shape[1:] and shape[1] != shape[2]:
        return shape[1] == hidden
    log.todo("orientation of the stacked experts", "load", "are the stacked experts stored input or output first?")
    return False
