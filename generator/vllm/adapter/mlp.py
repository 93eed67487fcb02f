"""The feed-forward part: gated or not, fused or not, bias, activation."""

from __future__ import annotations

from typing import Any

from ..analysis.fields import Config
from .config_names import expression
from .layout import Layout
from .unknown import Log

FIELDS = ("hidden_act", "hidden_activation", "activation_function", "ffn_act_fn", "act_fn")
GATED = {
    "silu": "SiluAndMul()",
    "swish": "SiluAndMul()",
    "gelu": "GeluAndMul()",
    "gelu_pytorch_tanh": 'GeluAndMul(approximate="tanh")',
    "gelu_tanh": 'GeluAndMul(approximate="tanh")',
    "gelu_new": 'GeluAndMul(approximate="tanh")',
}
PLAIN = {
    "gelu",
    "gelu_fast",
    "gelu_new",
    "gelu_pytorch_tanh",
    "gelu_tanh",
    "relu",
    "relu2",
    "silu",
    "quick_gelu",
    "tanh",
}


def read_mlp_part(config: Config, layout: Layout, prefix: str, code, log: Log, used: set[str]) -> dict[str, Any] | None:
    """Return the answers of the MLP whose slots start with `prefix` (`mlp` or `moe.shared`), or None without one."""
    if not layout.has(f"{prefix}.down"):
        return None
    gated = layout.has(f"{prefix}.gate") or layout.has(f"{prefix}.gate_up")
    first = "gate_up" if layout.has(f"{prefix}.gate_up") else "gate" if gated else "fc"
    name = activation(config, code, log, used)
    act = _gated(name, log) if gated else _plain(name, log)
    size = expression(config, used, "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "ffn_hidden")
    if size is None and prefix == "mlp":
        log.todo("intermediate size", "mlp", "no field of config.json says how wide the MLP is")
    return {
        "gated": gated,
        "fused": first == "gate_up",
        "act": act,
        "size": size or "config.intermediate_size",
        "bias": layout.has(f"{prefix}.{first}", "bias"),
        "down_bias": layout.has(f"{prefix}.down", "bias"),
    }


def activation(config: Config, code, log: Log, used: set[str]) -> str | None:
    """Return the name of the activation as config.json or the code gives it, or None."""
    used |= set(FIELDS)
    found = config.text_get(*FIELDS)
    used |= {code.activation_field} if code and code.activation_field else set()
    if code and code.activation_field and isinstance(config.text.get(code.activation_field), str):
        log.say(f"activation {config.text[code.activation_field]}", f"{code.where} reads {code.activation_field}")
        return config.text[code.activation_field]
    if code and code.activation:
        log.say(f"activation {code.activation}", code.where)
        return code.activation
    return found.value if found and isinstance(found.value, str) else None


def _gated(name: str | None, log: Log) -> str:
    if name in GATED:
        return GATED[name]
    log.todo(
        "activation", "mlp", f"which gated activation is {name!r}?" if name else "which activation does the MLP have?"
    )
    return "SiluAndMul()"


def _plain(name: str | None, log: Log) -> str:
    if name in PLAIN:
        return f'get_act_fn("{name}")'
    log.todo("activation", "mlp", f"which activation is {name!r}?" if name else "which activation does the MLP have?")
    return 'get_act_fn("silu")'
