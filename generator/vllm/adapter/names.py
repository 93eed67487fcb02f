"""Names of what is written: module, classes, and nothing that Python or a path cannot hold."""

from __future__ import annotations

import keyword
import re

from generator.errors import ScaffoldError

ENDINGS = ("ForCausalLM", "ForConditionalGeneration", "LMHeadModel", "Model")


def stem_of(architecture: str) -> str:
    """Return the family's part of a class name: `Qwen3MoeForCausalLM` → `Qwen3Moe`."""
    for ending in ENDINGS:
        if architecture.endswith(ending) and architecture != ending:
            return architecture.removesuffix(ending)
    return architecture


def checked_class(architecture: str) -> str:
    """Return the architecture.

    Raises:
        ScaffoldError: it is no identifier.
    """
    if not (architecture.isascii() and architecture.isidentifier()) or keyword.iskeyword(architecture):
        raise ScaffoldError(
            f"the architecture {architecture!r:.80} cannot name a class",
            where="config.json",
            next="correct `architectures`",
        )
    return architecture


def module_name(given: str | None, model_type: str, architecture: str) -> str:
    """Return the stem of the module: as given, from `model_type`, or from the architecture.

    Raises:
        ScaffoldError: the given name is no identifier in lower case.
    """
    if given is not None:
        if not re.fullmatch(r"[a-z_][a-z0-9_]{0,60}", given) or keyword.iskeyword(given):
            raise ScaffoldError(f"--name {given!r:.80} is no module", next="give lower case letters, digits and _")
        return given
    found = re.sub(r"[^a-z0-9]+", "_", model_type.lower()).strip("_")
    if not found or found[0].isdigit():
        found = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem_of(architecture)).lower()
    return found
