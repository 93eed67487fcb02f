"""Which attention the model has: MHA, GQA, MQA, MLA, sparse, and what stands beside it."""

from __future__ import annotations

from dataclasses import dataclass, field

from .fields import Config
from .heads import Heads
from .mixers import Mixers, read_mixers
from .window import Window, read_window


@dataclass
class Attention:
    """Attributes:
    variant: `MHA`, `GQA`, `MQA`, `MLA` or `none`.
    kinds: everything that applies: the variant, `sparse`, `compressed`, `sliding`, `chunked`, and the mixers.
    hybrid: True if attention layers and other mixers alternate.
    says: the fields that said so.
    """

    variant: str
    heads: Heads
    window: Window
    mixers: Mixers
    kinds: list[str] = field(default_factory=list)
    hybrid: bool = False
    says: list[str] = field(default_factory=list)

    @property
    def mla(self) -> bool:
        """True if the cache holds latents."""
        return self.variant == "MLA"

    def as_json(self) -> dict:
        """Return the documented object."""
        return {
            "variant": self.variant,
            "kinds": self.kinds,
            "heads": self.heads.heads,
            "kv_heads": self.heads.kv_heads,
            "head_size": self.heads.head_size,
            "window": self.window.as_json(),
            "linear": self.mixers.kinds,
            "hybrid": self.hybrid,
            "attention_free": self.variant == "none" and bool(self.mixers.kinds),
            "says": self.says,
        }


def read_attention(config: Config, heads: Heads) -> Attention:
    """Return the attention of the language model."""
    variant, extra, says = _variant(config, heads)
    window, mixers = read_window(config), read_mixers(config)
    kinds = ([variant] if variant != "none" else []) + extra + window.kinds() + mixers.kinds
    hybrid = bool(mixers.kinds) and variant != "none"
    return Attention(
        variant,
        heads,
        window,
        mixers,
        kinds + (["hybrid"] if hybrid else []),
        hybrid,
        list(dict.fromkeys(says + window.says + mixers.says)),
    )


def _variant(config: Config, heads: Heads) -> tuple[str, list[str], list[str]]:
    ratios, rank = config.text_get("compress_ratios"), config.text_get("kv_lora_rank")
    if ratios and config.text_get("head_dim"):
        return "MLA", ["compressed", "sparse"], [ratios.says(), *heads.says]
    if rank:
        sparse = config.text_get("index_topk")
        return "MLA", ["sparse"] if sparse else [], [rank.says(), *([sparse.says()] if sparse else []), *heads.says]
    if not heads.heads:
        return "none", [], []
    if heads.kv_heads == 1 < heads.heads:
        return "MQA", [], heads.says
    return ("MHA" if heads.kv_heads == heads.heads else "GQA"), [], heads.says
