"""What the user asked to register; every name is checked before it can reach generated code."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from generator.errors import ScaffoldError

# Kind → the dicts that it may be in, the newest name first: releases split, renamed and joined them.
TABLES = {
    "text-generation": ("_TEXT_GENERATION_MODELS",),
    "embedding": ("_EMBEDDING_MODELS",),
    "late-interaction": ("_LATE_INTERACTION_MODELS", "_EMBEDDING_MODELS"),
    "reward": ("_REWARD_MODELS", "_EMBEDDING_MODELS"),
    "token-classification": ("_TOKEN_CLASSIFICATION_MODELS", "_CROSS_ENCODER_MODELS"),
    "sequence-classification": ("_SEQUENCE_CLASSIFICATION_MODELS", "_CROSS_ENCODER_MODELS"),
    "multimodal": ("_MULTIMODAL_MODELS",),
    "speculative": ("_SPECULATIVE_DECODING_MODELS",),
}
KINDS = tuple(TABLES)
MODEL_TYPE = re.compile(r"[A-Za-z0-9][\w.-]{0,99}", re.ASCII)
HUB = re.compile(r"[\w.-]{1,96}(/[\w.-]{1,96})?", re.ASCII)
PART = re.compile(r"[\w.]{1,100}", re.ASCII)


@dataclass(frozen=True)
class RegisterRequest:
    """Attributes:
    arch, module, cls: the architecture, its module (a stem, or dotted) and class.
    kind: a key of `TABLES`. section: the section comment without brackets, or None for the checkout's own habit.
    ascend: register in vllm-ascend. example: an id on the hub for the tests' and the documentation's example.
    packed: fused name → parts, for vllm-ascend. prefixes: prefix in ModelSlim's description → prefix in vLLM.
    """

    arch: str
    module: str
    cls: str
    kind: str
    section: str | None = None
    ascend: bool = False
    model_type: str | None = None
    example: str | None = None
    config_class: str | None = None
    processor_class: str | None = None
    packed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()

    def checked(self) -> RegisterRequest:
        """Return the request.

        Raises:
            ScaffoldError: a name that Python, a path or a registry cannot hold.
        """
        for what, name in (
            ("ARCH", self.arch),
            ("--class", self.cls),
            ("--config-class", self.config_class),
            ("--processor-class", self.processor_class),
        ):
            if name is not None and not _identifier(name):
                raise ScaffoldError(f"{what} {name!r:.80} is no name of a class", next="give a Python identifier")
        if not all(map(_identifier, self.module.split("."))):
            raise ScaffoldError(f"--module {self.module!r:.80} is no module", next="give a stem, or a dotted name")
        if self.kind not in TABLES:
            raise ScaffoldError(f"--kind {self.kind!r:.80} is unknown", next=f"one of {', '.join(KINDS)}")
        if self.section is not None and not re.fullmatch(r"[^\[\]\n\r#]{1,60}", self.section):
            raise ScaffoldError(f"--section {self.section!r:.80} is no section", next="give it without brackets")
        self._check("--model-type", self.model_type, MODEL_TYPE)
        self._check("--hf-model", self.example, HUB)
        for name, parts in self.packed:
            for part in (name, *parts):
                self._check("--packed", part, PART)
        for old, new in self.prefixes:
            self._check("--prefix", old, PART)
            # A prefix may also be dropped.
            self._check("--prefix", new or None, PART)
        return self

    @staticmethod
    def _check(what: str, value: str | None, pattern: re.Pattern[str]) -> None:
        if value is not None and not pattern.fullmatch(value):
            raise ScaffoldError(f"{what} {value!r:.80} has characters that it cannot have", next="correct it")

    @property
    def in_ascend(self) -> bool:
        """True if the class lives in vllm-ascend."""
        return self.module.startswith("vllm_ascend.") or self.module == "vllm_ascend"

    @property
    def ascend_module(self) -> str:
        """The absolute module in vllm-ascend."""
        return self.module if "." in self.module else f"vllm_ascend.models.{self.module}"


def parse_pairs(values: list[str] | None, flag: str) -> list[tuple[str, str]]:
    """Return `a=b` texts as pairs.

    Raises:
        ScaffoldError: no `=` in one of them.
    """
    for value in values or ():
        if "=" not in value:
            raise ScaffoldError(f"{flag} {value!r:.80} has no `=`", next=f"give {flag} name=value")
    return [tuple(value.split("=", 1)) for value in values or ()]


def _identifier(name: str) -> bool:
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)
