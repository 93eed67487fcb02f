"""The longest sequence, as `derive_max_model_len_and_key` of vLLM finds it: the smallest of several fields."""

from __future__ import annotations

from .fields import Config, Field, count

LENGTHS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)


def read_max_length(config: Config) -> tuple[int | None, list[str]]:
    """Return the length in tokens and the fields that say so; `model_max_length` overrides the others."""
    over = config.text_get("model_max_length")
    if over and count(over.value) and over.value > 0:
        return over.value, [over.says()]
    found = [Field(config.text_path + n, count(config.text.get(n))) for n in LENGTHS]
    found = [f for f in found if f.value is not None and f.value > 0]
    if not found:
        return None, []
    least = min(found, key=lambda f: f.value)
    return least.value, [least.says(), *(f"{f.says()} (larger)" for f in found if f.value > least.value)]
