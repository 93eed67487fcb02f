"""Attention heads, key-value heads and head size.

Names and their order: `get_total_num_kv_heads` and `get_head_size` of vLLM's config convertors.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .fields import Config, Field, count

HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads")
KV_HEADS = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups")
COMMON = {"num_attention_heads", "num_key_value_heads"}


@dataclass
class Heads:
    """Attributes:
    heads, kv_heads, head_size: 0 when there is no attention or nothing says it.
    says: the fields that said so.
    unusual: fields that vLLM's base convertor does not read, so that the model needs a convertor of its own.
    """

    heads: int = 0
    kv_heads: int = 0
    head_size: int = 0
    hidden: int = 0
    says: list[str] = field(default_factory=list)
    unusual: list[str] = field(default_factory=list)


def read_heads(config: Config) -> Heads:
    """Return the heads of the language model."""
    heads = _attention_heads(config)
    if heads is None or heads.value <= 0:
        return Heads(hidden=_value(config.integer("hidden_size", "d_model", "n_embd")))
    kv = _kv_heads(config, heads)
    hidden = config.integer("hidden_size", "d_model", "n_embd")
    size = config.integer("head_dim", "hidden_size_per_head", "attention_head_dim", "kv_channels")
    found = Heads(heads.value, kv.value, _value(size), _value(hidden), [heads.says(), kv.says()])
    if size:
        found.says.append(size.says())
    elif hidden:
        found.head_size = hidden.value // heads.value
    found.unusual = [f.path for f in dict.fromkeys((heads, kv)) if _leaf(f) not in COMMON and _leaf(f) not in KV_HEADS]
    return found


def _attention_heads(config: Config) -> Field | None:
    # A pure state-space model counts its own heads in `num_heads`; those are no attention.
    state_space = config.text.get("state_size") is not None and config.text.get("num_attention_heads") is None
    return config.integer(*(name for name in HEADS if name != "num_heads" or not state_space))


def _kv_heads(config: Config, heads: Field) -> Field:
    grouped = config.text.get("attn_config")
    if isinstance(grouped, dict) and count(grouped.get("kv_n_heads")):
        return Field(f"{config.text_path}attn_config.kv_n_heads", count(grouped["kv_n_heads"]))
    if config.text.get("multi_query") is True and not config.text.get("new_decoder_architecture"):
        return Field(f"{config.text_path}multi_query", 1)
    found = config.integer(*KV_HEADS)
    # Zero and negative counts occur in broken files; the loader would divide by them.
    return found if found and found.value > 0 else heads


def _leaf(found: Field) -> str:
    return found.path.rsplit(".", 1)[-1]


def _value(found: Field | None) -> int:
    return found.value if found else 0
