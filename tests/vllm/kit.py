"""Small checkpoints and a small vLLM, made of bytes."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from generator.vllm.analysis.analysis import Analysis, analyse
from generator.vllm.checkpoint.checkpoint import read_checkpoint

QWEN3 = {
    "architectures": ["Qwen3ForCausalLM"],
    "model_type": "qwen3",
    "hidden_size": 64,
    "head_dim": 16,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "intermediate_size": 128,
    "vocab_size": 384,
    "max_position_embeddings": 512,
    "rope_theta": 1e6,
    "tie_word_embeddings": False,
}
LAYER = (
    "self_attn.q_proj",
    "self_attn.k_proj",
    "self_attn.v_proj",
    "self_attn.o_proj",
    "self_attn.q_norm",
    "self_attn.k_norm",
    "mlp.gate_proj",
    "mlp.up_proj",
    "mlp.down_proj",
    "input_layernorm",
    "post_attention_layernorm",
)
ENDS = ["model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"]


def layers(count: int = 2, names: tuple[str, ...] = LAYER, leaf: str = "weight") -> list[str]:
    """Return `model.layers.<i>.<name>.<leaf>` for every layer and name."""
    return [f"model.layers.{i}.{name}.{leaf}" for i in range(count) for name in names]


def write(folder: Path, config: object, keys=None, **files: object) -> Path:
    """Write config.json, an index of `keys`, and other files (JSON, or bytes and text as they are)."""
    folder.mkdir(parents=True, exist_ok=True)
    put(folder / "config.json", config)
    if keys is not None:
        shards = keys if isinstance(keys, dict) else {key: "model-1.safetensors" for key in keys}
        put(folder / "model.safetensors.index.json", {"weight_map": shards})
    for name, content in files.items():
        put(folder / name.replace("__", "."), content)
    return folder


def put(path: Path, content: object) -> None:
    """Write bytes, text, or anything else as JSON."""
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def safetensors(tensors: dict[str, tuple[str, list[int]]]) -> bytes:
    """Return a safetensors file of these dtypes and shapes, without data."""
    header = {k: {"dtype": d, "shape": s, "data_offsets": [0, 0]} for k, (d, s) in tensors.items()}
    data = json.dumps(header).encode()
    return struct.pack("<Q", len(data)) + data


def analysed(folder: Path, config: object, keys=None, **files: object) -> Analysis:
    """Return the analysis of a checkpoint that `write` makes."""
    return analyse(read_checkpoint(write(folder, config, keys, **files)))


def found(analysis: Analysis, rule: str, text: str = "") -> list:
    """Return the findings of a rule that mention `text`."""
    return [f for f in analysis.findings if f.rule == rule and text in f"{f.subject} {f.message} {f.next}"]
