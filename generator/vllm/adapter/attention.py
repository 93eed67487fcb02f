"""The attention part: projections, norms of queries and keys, window, rope, scale, soft cap."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from .config_names import expression, fields_of
from .layout import Layout
from .unknown import Log

CONTIGUOUS = {"qkv_proj", "W_pack"}


def read_attention_part(analysis: Analysis, layout: Layout, code, log: Log, used: set[str]) -> dict[str, Any]:
    """Return the answers of the attention part."""
    mla = analysis.attention.mla
    part: dict[str, Any] = {
        "kind": "mla" if mla else "grouped",
        "bias": _bias(layout, log),
        "o_bias": layout.has("attn.o", "bias"),
        "fused": _fused(layout, code, log),
        "qk_norm": _qk_norm(analysis, layout, code, log),
        "sinks": layout.has("attn.sinks"),
        "window": _window(analysis, log, used),
        "soft_cap": expression(analysis.config, used, "attn_logit_softcapping", "attn_logits_soft_cap"),
        "scaling": _scaling(analysis, code, log, used, mla),
    }
    part |= _heads(analysis, used)
    if mla:
        part |= _latent(analysis, layout, used)
    for kind in analysis.attention.mixers.kinds:
        log.todo(f"{kind} layers", "attention", f"layers of kind {kind} are not composed")
    for kind in set(analysis.attention.kinds) & {"sparse", "compressed", "chunked"}:
        log.todo(f"{kind} attention", "attention", f"{kind} attention is not composed")
    if part["sinks"]:
        log.todo("attention sinks", "attention", "how do the sinks enter the softmax?")
    return part


def _heads(analysis: Analysis, used: set[str]) -> dict[str, str]:
    config = analysis.config
    heads = expression(config, used, "num_attention_heads", "n_head", "n_heads", "num_heads")
    names = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "multi_query_group_num", "num_attention_groups")
    kv = expression(config, used, *names)
    hidden = expression(config, used, "hidden_size", "n_embd", "d_model")
    size = expression(config, used, "head_dim", "attention_head_dim", "kv_channels", "hidden_size_per_head")
    multi_query = config.text.get("multi_query") is True and not config.text.get("new_decoder_architecture")
    used |= {"multi_query", "new_decoder_architecture"}
    return {
        "heads": heads or "config.num_attention_heads",
        "kv_heads": "1" if multi_query else kv or heads or "config.num_attention_heads",
        "head_dim": size or f"{hidden} // {heads}",
    }


def _bias(layout: Layout, log: Log) -> bool:
    parts = {slot: layout.has(f"attn.{slot}", "bias") for slot in ("q", "k", "v") if layout.has(f"attn.{slot}")}
    if len(set(parts.values())) > 1:
        with_bias = ", ".join(slot for slot, has in parts.items() if has)
        log.todo(
            "partial attention bias", "load", f"only {with_bias} of q, k, v have a bias: what is the bias of the rest?"
        )
    return any(parts.values()) or layout.has("attn.qkv", "bias")


def _fused(layout: Layout, code, log: Log) -> str:
    """Return `""` for separate projections, else how the rows of the fused one are laid out."""
    weight = layout.first("attn.qkv")
    if weight is None:
        return ""
    name = weight.module.rpartition(".")[2]
    if code and code.qkv_rows:
        log.say(f"rows of {name} are {code.qkv_rows}", code.where)
        return code.qkv_rows
    if code is None and name in CONTIGUOUS:
        log.say(f"rows of {name} are queries, keys, values", "convention of the name")
        return "contiguous"
    log.todo(f"rows of {name}", "load", f"how do queries, keys and values share the rows of {name}?")
    return "contiguous"


def _qk_norm(analysis: Analysis, layout: Layout, code, log: Log) -> str | None:
    if not layout.has("attn.k_norm"):
        return None
    norm = analysis.qk_norm
    width = norm.width if norm else "unknown"
    if width not in ("head", "full"):
        log.todo("width of the qk norm", "attention", "is the key norm as wide as a head or as all heads together?")
        return "head"
    if code and code.norm_after_rope:
        log.todo("qk norm behind the rope", "attention", f"{code.where} normalises after rotating")
    log.say(
        f"queries and keys are normalised before the rope, {width} width", code.where if code else "keys; convention"
    )
    return width


def _window(analysis: Analysis, log: Log, used: set[str]) -> str | None:
    """Return the expression of a layer's window, or None."""
    window, config = analysis.attention.window, analysis.config
    if window.kind == "none":
        return None
    size = expression(config, used, "sliding_window", "sliding_window_size", "window_size")
    if window.kind == "uniform":
        return size
    used |= {"layer_types", "sliding_window_pattern", "interleaved_sliding_window"}
    if config.text.get("layer_types") and size:
        return f'{size} if layer_type == "sliding_attention" else None'
    pattern = expression(config, used, "sliding_window_pattern")
    if pattern and size and type(config.text.get("sliding_window_pattern")) is int:
        log.say(
            "every sliding_window_pattern-th layer sees everything", "sliding_window_pattern; convention of Gemma 3"
        )
        return f"{size} if (layer_idx + 1) % {pattern} else None"
    log.todo("which layers slide", "attention", "no field says which layers have the window")
    return None


def _scaling(analysis: Analysis, code, log: Log, used: set[str], mla: bool) -> str:
    """Return the expression of the softmax scale."""
    config = analysis.config
    scalar = expression(config, used, "query_pre_attn_scalar")
    if scalar:
        return f"{scalar}**-0.5"
    given = expression(config, used, "attention_multiplier", "attention_scale", "softmax_scale")
    if given:
        log.say("scale of the softmax", given)
        return given
    if mla:
        log.say("scores are divided by the root of the head size", "convention of latent attention")
        return "self.qk_head_dim**-0.5"
    if code and code.scaling is None:
        log.todo("softmax scale", "attention", f"how does {code.where} scale the scores?")
    elif code and code.scaling not in ("head", "config.head_dim**-0.5"):
        log.say(f"scores are multiplied with {code.scaling}", code.where)
        used |= fields_of(code.scaling)
        return code.scaling
    log.say("scores are divided by the root of the head size", code.where if code else "convention")
    return "self.head_dim**-0.5"


def _latent(analysis: Analysis, layout: Layout, used: set[str]) -> dict[str, Any]:
    names = ("kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "qk_head_dim")
    used |= set(names)
    return {"q_lora": layout.has("attn.q_a")}
