"""Sliding and chunked windows."""

from __future__ import annotations

from dataclasses import dataclass, field

from .fields import Config

PATTERNS = ("interleaved_sliding_window", "sliding_window_pattern", "hybrid_layer_pattern", "sliding_window_size")
IGNORES_CHUNKS = ("mimo_v2", "mimo_v2_flash")


@dataclass
class Window:
    """Attributes:
    kind: `none`, `uniform`, `interleaved` or `chunked`.
    size: tokens, 0 if nothing says it.
    """

    kind: str = "none"
    size: int = 0
    says: list[str] = field(default_factory=list)

    def kinds(self) -> list[str]:
        """Return the words for `Attention.kinds`."""
        return {"none": [], "chunked": ["chunked"]}.get(self.kind, ["sliding"])

    def as_json(self) -> dict | None:
        """Return the documented object, None without a window."""
        return None if self.kind == "none" else {"kind": self.kind, "size": self.size}


def read_window(config: Config) -> Window:
    """Return the window of the attention layers, as the `layer_types` say or the older fields."""
    types = config.items("layer_types")
    layers = [
        f"{config.text_path}layer_types has {t}" for t in ("sliding_attention", "chunked_attention") if t in types
    ]
    size = config.integer("sliding_window", "sliding_window_size", "window_size")
    says = layers + ([size.says()] if size else [])
    if "sliding_attention" in types:
        kind = "interleaved" if len(set(types)) > 1 else "uniform"
        return Window(kind, size.value if size else 0, says)
    chunk = config.integer("attention_chunk_size")
    if chunk and chunk.value and config.text.get("model_type") not in IGNORES_CHUNKS:
        return Window("chunked", chunk.value, [*layers, chunk.says()])
    if types and not layers and _named(types):
        return Window()
    return _older(config, size.value if size else 0, says)


def _named(types: list[str]) -> bool:
    """Return True if the layer types name attention, so that they decide alone."""
    return any("attention" in name for name in types)


def _older(config: Config, size: int, says: list[str]) -> Window:
    pattern = config.text_get(*PATTERNS)
    if pattern and pattern.value and size > 0:
        return Window("interleaved", size, [*says, pattern.says()])
    if size > 0 and config.text.get("use_sliding_window") is not False:
        return Window("uniform", size, says)
    return Window()
