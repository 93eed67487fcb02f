"""How well a configuration alone tells what vLLM's own sources are made of.

    python scripts/vllm_config_figures.py --vllm DIR --configs FILE

Compares, for every architecture that both transformers and vLLM's registry know, what `generator.vllm` reads from the
default configuration of its class with the parts that the registered class uses. FILE is what

    python scripts/dump_transformers_configs.py > FILE

prints in an environment with transformers (no torch). A window that the class reads under a condition or with a
default is an option of the source, which agrees with configurations with and without it; every other part has to be on
both sides or on none.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from generator.survey.vllm_features import features_of  # noqa: E402
from generator.survey.vllm_registry import Registry, read_registry  # noqa: E402
from generator.survey.vllm_tree import SourceTree  # noqa: E402
from generator.vllm.analysis.attention import read_attention  # noqa: E402
from generator.vllm.analysis.fields import Config  # noqa: E402
from generator.vllm.analysis.heads import read_heads  # noqa: E402
from generator.vllm.analysis.moe import read_moe  # noqa: E402
from generator.vllm.analysis.multimodal import read_multimodal  # noqa: E402
from generator.vllm.checkpoint.checkpoint import Checkpoint  # noqa: E402
from generator.vllm.checkpoint.weights import Weights  # noqa: E402

PARTS = ("MLA", "hybrid", "MoE", "multimodal", "sliding")
MAPPINGS = ("MODEL_FOR_CAUSAL_LM_MAPPING_NAMES", "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES")


def parts_of(config: dict) -> set[str]:
    """Return the parts that a configuration names."""
    read = Config.of(config)
    attention = read_attention(read, read_heads(read))
    has = {
        "MLA": attention.mla,
        "hybrid": bool(attention.mixers.kinds),
        "MoE": read_moe(read) is not None,
        "multimodal": read_multimodal(read, Checkpoint(ROOT, config, Weights())) is not None,
        "sliding": "sliding" in attention.kinds,
    }
    return {name for name, there in has.items() if there}


def pairs(configs: dict, registry: Registry):
    """Yield (model_type, architecture, configuration) for every architecture that both sides know."""
    seen = set()
    for model_type, entry in configs.items():
        for mapping in MAPPINGS:
            for arch in entry["archs"].get(mapping, ()):
                if registry.find(arch) and (model_type, arch) not in seen:
                    seen.add((model_type, arch))
                    yield model_type, arch, {**entry["config"], "architectures": [arch]}


def compare(vllm: Path, configs: dict) -> tuple[int, Counter, list[str]]:
    """Return how many were compared, the counts by (part, outcome), and one line for each difference."""
    tree = SourceTree(vllm)
    registry = read_registry(tree)
    counts, lines, total = Counter(), [], 0
    for model_type, arch, config in pairs(configs, registry):
        entry = registry.find(arch)
        if entry.module == "transformers":
            continue
        total += 1
        source, named = features_of(tree, registry, entry), parts_of(config)
        for part in PARTS:
            same = (part in source) == (part in named) or part == "sliding" and "sliding?" in source
            counts[part, "agree" if same else "differ"] += 1
            if not same:
                sides = f"configuration {part in named}, source {part in source}"
                lines.append(f"{part:10} {model_type:24} {arch:44} {sides}")
    return total, counts, lines


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vllm", type=Path, required=True)
    parser.add_argument("--configs", type=Path, required=True)
    parser.add_argument("--differences", action="store_true")
    given = parser.parse_args()
    total, counts, lines = compare(given.vllm, json.loads(given.configs.read_text())["configs"])
    print(f"{total} architectures")
    for part in PARTS:
        agree = counts[part, "agree"]
        print(f"{part:10} {agree:4} of {total} ({agree / total:.0%})")
    if given.differences:
        print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
