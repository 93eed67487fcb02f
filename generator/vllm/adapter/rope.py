"""The rotary embedding: style, partial width, one for each layer type."""

from __future__ import annotations

from typing import Any

from ..analysis.analysis import Analysis
from ..analysis.rope import TYPES
from .config_names import expression
from .unknown import Log

FIELDS = (
    "rope_theta",
    "rope_parameters",
    "rope_scaling",
    "partial_rotary_factor",
    "rotary_pct",
    "rotary_emb_base",
    "rotary_dim",
    "rotary_emb_fraction",
    "rotary_percent",
    "rope_base",
)


def read_rope_part(analysis: Analysis, code, log: Log, used: set[str]) -> dict[str, Any] | None:
    """Return the answers of the rotary embedding, or None if the model has none."""
    used |= set(FIELDS) | {"rope_local_base_freq", "rope_interleave"}
    rope, config = analysis.rope, analysis.config
    if rope is None:
        log.todo("positions", "attention", "no field of config.json says how the model knows positions")
        return None
    for name in rope.types:
        if name not in TYPES:
            log.todo(f"rope type {name[:40]}", "attention", "vLLM's get_rope does not know this type")
    parameters, setdefaults = _parameters(analysis, log, used)
    positions = expression(config, used, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    if rope.mrope and analysis.multimodal:
        log.todo("positions of images", "tower", "which position does a patch of an image have on each axis?")
    no_rope = config.text_get("no_rope_layers")
    used.add("no_rope_layers")
    return {
        "neox": _style(analysis, code, log),
        "parameters": parameters,
        "set": setdefaults,
        "positions": positions or "vllm_config.model_config.max_model_len",
        "layers": "config.no_rope_layers" if no_rope and isinstance(no_rope.value, list) else None,
        "mrope": rope.mrope,
        "stretched": _stretched(analysis, log),
    }


def _style(analysis: Analysis, code, log: Log) -> bool:
    flag = analysis.config.text.get("rope_interleave")
    if type(flag) is bool:
        log.say("rotary pairs are " + ("neighbours" if flag else "halves"), "rope_interleave")
        return not flag
    if analysis.attention.mla:
        log.say("rotary pairs are neighbours", "convention of latent attention")
        return False
    if code:
        if code.rope_style is None:
            log.todo("rope style", "attention", f"does {code.where} rotate halves or neighbouring pairs?")
        else:
            log.say(f"rotary embedding rotates {code.rope_style}", code.where)
        return code.rope_style != "pairs"
    log.say("rotary embedding rotates halves", "convention of transformers")
    return True


def _parameters(analysis: Analysis, log: Log, used: set[str]) -> tuple[str, dict[str, str]]:
    """Return the expression of the parameters and defaults that a field outside of them sets."""
    config, sets = analysis.config, {}
    dim = config.text.get("rotary_dim")
    if type(dim) is int:
        sets["rope_dim"] = "config.rotary_dim"
    percent = config.text.get("rotary_percent")
    if percent is not None:
        sets["partial_rotary_factor"] = "config.rotary_percent"
    base = config.text.get("rope_base")
    if base is not None:
        sets["rope_theta"] = "config.rope_base"
    local = config.text.get("rope_local_base_freq")
    if local is not None and not analysis.rope.nested:
        log.todo("config.rope_local_base_freq", "attention", "which layers rotate with rope_local_base_freq?")
    return ("config.rope_parameters[layer_type]" if analysis.rope.nested else "config.rope_parameters"), sets


def _stretched(analysis: Analysis, log: Log) -> bool:
    """Return True if latent attention has yarn: its files then mean DeepSeek's form of it."""
    yarn = analysis.attention.mla and "yarn" in analysis.rope.types
    if yarn:
        log.say("yarn is DeepSeek's, which also scales the scores", "convention of latent attention")
    return yarn
