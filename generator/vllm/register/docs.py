"""The row in vLLM's table of supported models."""

from __future__ import annotations

import re

from generator.survey.vllm_docs import DocsTable, read_docs, table_for
from generator.survey.vllm_model import find_class, find_module, lineage
from generator.survey.vllm_registry import Registry
from generator.survey.vllm_tree import SourceTree

from ..analysis.analysis import Analysis
from .request import RegisterRequest

TICK = "\N{WHITE HEAVY CHECK MARK}\N{VARIATION SELECTOR-15}"
INPUTS = {"image": "I<sup>+</sup>", "video": "V<sup>+</sup>", "audio": "A<sup>+</sup>"}


def docs_row(
    request: RegisterRequest,
    registry: Registry,
    table: str,
    section: str | None,
    tree: SourceTree,
    analysis: Analysis | None,
) -> tuple[DocsTable, str] | None:
    """Return the table and the row, or None if no table lists this family of architectures."""
    siblings = [e.arch for e in registry.entries if e.table == table and e.section == section]
    found = table_for(read_docs(tree), siblings)
    if found is None:
        return None
    values = _values(request, tree, analysis)
    cells = [values.get(name, "") for name in found.header]
    # Older releases align their tables: the header's first cell is wider than its word.
    if found.widths[0] > len("Architecture"):
        cells = [cell.ljust(width) for cell, width in zip(cells, found.widths, strict=True)]
    return found, "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def _values(request: RegisterRequest, tree: SourceTree, analysis: Analysis | None) -> dict[str, str]:
    has = _mixins(request, tree)
    modalities = analysis.multimodal.modalities if analysis and analysis.multimodal else ["image"]
    example = f"`{request.example}`" if request.example else "TBA"
    return {
        "Architecture": f"`{request.arch}`",
        "Models": family_name(request.arch),
        "Inputs": " + ".join(["T", *(INPUTS[m] for m in modalities)]),
        "Example HF Models": example,
        "Example HuggingFace Models": example,
        "LoRA": TICK if "SupportsLoRA" in has else "",
        "PP": TICK if "SupportsPP" in has else "",
        "V1": TICK,
    }


def _mixins(request: RegisterRequest, tree: SourceTree) -> set[str]:
    path = find_module(tree, request.module)
    found = find_class(tree, path, request.cls) if path else None
    return {base for _, cls in lineage(tree, *found) for base in cls.bases} if found else set()


def family_name(arch: str) -> str:
    """Return the family in a reader's words: `Qwen3MoeForCausalLM` → `Qwen3Moe`."""
    return re.sub(r"(For[A-Z]\w*|LMHeadModel|ChatModel|(?<=.)Model)$", "", arch).replace("_", " ").strip() or arch
