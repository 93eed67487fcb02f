"""Factors on embeddings, residuals and logits, by the fields that name them or the code that applies them."""

from __future__ import annotations

from typing import Any

from ..analysis.fields import Config
from .config_names import expression, fields_of
from .unknown import Log


def read_scales(config: Config, code, log: Log, used: set[str]) -> dict[str, Any]:
    """Return expressions for the embedding's factor, the residual's, the logits' and the logits' soft cap."""
    embed = expression(config, used, "embedding_multiplier", "scale_emb", "embedding_scale")
    residual = expression(config, used, "residual_multiplier", "residual_scale")
    depth = expression(config, used, "scale_depth")
    if depth:
        residual = f"{depth} / config.num_hidden_layers**0.5"
        log.say("halves are scaled by scale_depth / sqrt(layers)", "scale_depth; convention of MiniCPM")
    divided = expression(config, used, "logits_scaling")
    logits = f"1 / {divided}" if divided else expression(config, used, "logit_scale", "lm_head_multiplier")
    base = expression(config, used, "dim_model_base")
    if base:
        logits = f"{base} / config.hidden_size"
        log.say("logits are divided by hidden_size / dim_model_base", "dim_model_base; convention of MiniCPM")
    cap = expression(config, used, "final_logit_softcapping", "logits_soft_cap")
    if cap and logits:
        log.todo("cap and factor of the logits", "logits", "are the logits capped before or after they are scaled?")
    found = {"embed": embed, "residual": residual, "logits": logits, "cap": cap}
    return _from_code(found, code, log, used)


def _from_code(found: dict[str, Any], code, log: Log, used: set[str]) -> dict[str, Any]:
    if code is None:
        return found
    for name in ("embed", "residual", "logits"):
        value = getattr(code, f"{name}_scale")
        if value == "unknown":
            log.todo(
                f"factor on the {name}",
                "model" if name != "logits" else "logits",
                f"{code.where} scales the {name} in a way that was not understood",
            )
        elif value and not found[name]:
            log.say(f"factor {value} on the {name}", code.where)
            found[name] = value
            used |= fields_of(value)
    return found
