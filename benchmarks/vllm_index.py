"""What it costs to analyse a checkpoint whose index has 100,000 keys, and one of 50 MB.

    python benchmarks/vllm_index.py --vllm DIR [--vllm-ascend DIR]

Prints CPU seconds and peak memory of the whole command, from the start of the interpreter.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG = {
    "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "hidden_size": 7168, "kv_lora_rank": 512,
    "num_attention_heads": 128, "num_key_value_heads": 128, "n_routed_experts": 256, "num_experts_per_tok": 8,
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
}  # fmt: skip
COMMAND = "import sys; from generator.cli.main import main; main(sys.argv[1:])"


def checkpoint(folder: Path, keys: int) -> tuple[Path, int, float]:
    """Write a mixture-of-experts checkpoint; return it, its number of keys and the size of its index in MB."""
    names = ("gate_proj", "up_proj", "down_proj")
    shards: dict[str, str] = {}
    for layer in range(keys):
        if len(shards) >= keys:
            break
        for expert in range(256):
            for key in (f"model.layers.{layer}.mlp.experts.{expert}.{name}.weight" for name in names):
                shards[key] = shards[f"{key}_scale_inv"] = f"model-{layer + 1:05}-of-00163.safetensors"
    (folder / "config.json").write_text(json.dumps(CONFIG | {"num_hidden_layers": layer}))
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": shards}))
    return folder, len(shards), index.stat().st_size / 1e6


def cost(command: list[str]) -> tuple[float, float]:
    """Return CPU seconds and peak memory (MB) of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss * 1024 / 1e6


def main() -> None:
    """Print one line for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vllm", required=True)
    parser.add_argument("--vllm-ascend")
    given = parser.parse_args()
    where = ["--vllm", given.vllm] + (["--vllm-ascend", given.vllm_ascend] if given.vllm_ascend else [])
    for keys in (100_000, 520_000):
        with tempfile.TemporaryDirectory() as folder:
            path, count, size = checkpoint(Path(folder), keys)
            command = [sys.executable, "-c", COMMAND, "vllm-model", str(path), "--analyze-only", "--json", *where]
            seconds, memory = cost(command)
            print(f"{count:7} keys, {size:4.1f} MB: {seconds:.2f} s of CPU time, {memory:.0f} MB")


if __name__ == "__main__":
    main()
