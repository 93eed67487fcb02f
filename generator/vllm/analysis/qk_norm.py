"""Normalised queries and keys: a flag, or keys that end in `q_norm.weight`; per head or over the full width."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..checkpoint.tensor import Tensor
from ..keys.groups import Groups
from .fields import Config
from .heads import Heads

FLAGS = ("use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm")
QUERY = {"q_norm", "q_layernorm", "query_layernorm", "query_norm"}
KEY = {"k_norm", "k_layernorm", "key_layernorm", "key_norm"}
ATTENTION = {"self_attn", "attn", "attention", "self_attention"}


@dataclass
class QkNorm:
    """Attributes:
    width: `head` (safe on any tensor parallel size), `full` (needs a norm that knows it), `other` or `unknown`.
    size: elements of the key norm, 0 if no header says it.
    """

    width: str
    size: int = 0
    says: list[str] = field(default_factory=list)

    def as_json(self) -> dict:
        """Return the documented object."""
        return {"width": self.width, "size": self.size, "says": self.says}


def read_qk_norm(config: Config, heads: Heads, groups: Groups, tensors: dict[str, Tensor], mla: bool) -> QkNorm | None:
    """Return the norm, or None. The latent norms of MLA (`q_a_layernorm`) are none of these."""
    flag = config.text_get(*FLAGS)
    key = next(
        (
            g
            for g in groups.groups
            if g.main_stack and not KEY.isdisjoint(g.words) and not ATTENTION.isdisjoint(g.words)
        ),
        None,
    )
    says = ([flag.says()] if flag else []) + ([f"key {key.first}"] if key else [])
    if key is None and not (flag and flag.value is True and not groups.total):
        return None
    shape = tensors[key.first].shape if key and key.first in tensors else ()
    layer = config.text_get("qk_norm_type")
    if not shape and layer and layer.value == "per_layer":
        # MiniMax-M2 says it in a field; everybody else only in the shapes.
        return QkNorm("full", heads.kv_heads * heads.head_size, [layer.says(), *says])
    size = shape[0] if len(shape) == 1 else 0
    return QkNorm("head" if mla and not size else _width(size, heads), size, says)


def _width(size: int, heads: Heads) -> str:
    if not size:
        return "unknown"
    if size == heads.head_size:
        return "head"
    return "full" if size == heads.kv_heads * heads.head_size else "other"
