"""Token mixers that are no softmax attention: gated delta, KDA, lightning, linear, Mamba, short convolution."""

from __future__ import annotations

from dataclasses import dataclass, field

from .fields import Config, Field

GATED_DELTA = ("linear_num_value_heads", "linear_conv_kernel_dim", "linear_key_head_dim")
MAMBA_2 = ("mamba_n_heads", "mamba_num_heads", "mamba_d_ssm", "n_mamba_heads", "mamba_nheads")
MAMBA = ("mamba_d_state", "ssm_state_size", "mamba_expand", "mamba_d_conv", *MAMBA_2)


@dataclass
class Mixers:
    """Attributes:
    kinds: words such as `gated delta`, `KDA`, `lightning`, `linear`, `SSM`, `short convolution`.
    layers: the field that says which layer has which mixer, or None.
    """

    kinds: list[str] = field(default_factory=list)
    says: list[str] = field(default_factory=list)
    layers: str | None = None


def read_mixers(config: Config) -> Mixers:
    """Return the mixers beside or instead of attention."""
    found = Mixers()
    types = set(config.items("layer_types")) | set(config.items("layers_block_type"))
    for kind, reason in (
        _linear(config, types),
        _lightning(config),
        _mamba(config, types),
        _convolution(config, types),
    ):
        if kind:
            found.kinds.append(kind)
            found.says.append(reason)
    layers = config.text_get(
        "layer_types", "layers_block_type", "hybrid_override_pattern", "attn_type_list", "full_attention_interval"
    )
    found.layers = layers.path if layers and found.kinds else None
    return found


def _linear(config: Config, types: set[str]) -> tuple[str, str]:
    kda = config.text_get("linear_attn_config")
    if kda:
        return "KDA", kda.says()
    interval = config.text_get("full_attention_interval")
    if "linear_attention" not in types and not interval:
        return "", ""
    gated = config.text_get(*GATED_DELTA)
    if gated:
        return "gated delta", gated.says()
    return "linear", interval.says() if interval else f"{config.text_path}layer_types has linear_attention"


def _lightning(config: Config) -> tuple[str, str]:
    types = config.text_get("attn_type_list")
    if types:
        return "lightning", types.says()
    group = config.text_get("layer_group_size")
    named = next((n for n in config.text if isinstance(n, str) and "lightning" in n.lower()), None)
    if named or (group and config.text_get("group_norm_size", "linear_rope")):
        return "lightning", Field(config.text_path + (named or "layer_group_size"), config.text.get(named)).says()
    return "", ""


def _mamba(config: Config, types: set[str]) -> tuple[str, str]:
    if not {"conv", "linear_attention"} & types or "mamba" in types:
        found = config.text_get("hybrid_override_pattern", *MAMBA)
        named = "mamba" in types or "hybrid" in types
        if found or named:
            return "SSM", found.says() if found else "layer types name mamba"
    state = config.text_get("state_size")
    if state and config.text_get("num_attention_heads") is None:
        return "SSM", state.says()
    blocks = config.text.get("block_configs")
    if isinstance(blocks, list) and any(isinstance(b, dict) and b.get("block_type") == "mamba" for b in blocks):
        return "SSM", f"{config.text_path}block_configs has mamba"
    return "", ""


def _convolution(config: Config, types: set[str]) -> tuple[str, str]:
    cache = config.text_get("conv_L_cache")
    if cache or "conv" in types:
        return "short convolution", cache.says() if cache else "layer types name conv"
    return "", ""
