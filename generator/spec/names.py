"""Names of ops, from snake case to the field's own Pascal case, and what may be a name at all."""

from __future__ import annotations

import builtins
import keyword
import re

from .errors import SpecError

# Words that the field writes in its own way; the spellings are those of lmdeploy's OpType members and classes.
ACRONYMS = {
    "rms": "RMS",
    "moe": "MoE",
    "awq": "AWQ",
    "mla": "MLA",
    "kv": "KV",
    "lora": "LoRA",
    "topk": "TopK",
    "nsa": "NSA",
    "tc": "TC",
    "hc": "Hc",
    "fp8": "FP8",
    "fp4": "FP4",
    "fp16": "FP16",
    "bf16": "BF16",
    "f8": "F8",
    "qkv": "QKV",
    "glu": "GLU",
    "mlp": "MLP",
    "ffn": "FFN",
    "mtp": "MTP",
    "ssm": "SSM",
    "gdn": "GDN",
    "mha": "MHA",
    "gqa": "GQA",
    "mqa": "MQA",
    "tp": "TP",
    "ep": "EP",
    "dp": "DP",
    "sp": "SP",
    "nz": "NZ",
    "gptq": "GPTQ",
}
_BITS = re.compile(r"[wakv]\d+([wakv]\d+)*")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def words(name: str) -> tuple[str, ...]:
    """Split a snake-case or Pascal-case name into lower-case words: `RMSNormW8A8` gives rms, norm, w8a8."""
    if "_" in name or name.islower():
        return tuple(w for w in name.lower().split("_") if w)
    return tuple(w.lower() for w in _pascal_words(name))


def pascal(name: str) -> str:
    """Return the `OpType` spelling of an op name: `rms_norm_gated` gives `RMSNormGated`."""
    return "".join(_capital(w) for w in name.split("_") if w)


def plain(name: str) -> str:
    """Return a name without case and underscores, to compare names written in different styles."""
    return name.replace("_", "").lower()


def check_op_name(name: str) -> str:
    """Return `name` if it can be an op's name.

    Raises:
        SpecError: it is no lower-case Python identifier, or a keyword, or a builtin.
    """
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"`{_shown(name)}` cannot be the name of an op",
            next="use lower-case words joined by underscores, such as `rms_norm_gated`",
        )
    return check_identifier(name, "an op")


def check_identifier(name: str, of: str) -> str:
    """Return `name` if it can be bound in Python without hiding a keyword or a builtin.

    Raises:
        SpecError: it cannot; `of` says whose name it is.
    """
    if not _IDENTIFIER.fullmatch(name):
        raise SpecError(f"`{_shown(name)}` cannot be the name of {of}", next="use a Python identifier of ASCII letters")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise SpecError(f"`{name}` is a Python keyword and cannot be the name of {of}", next="choose another name")
    if hasattr(builtins, name) and of != "a parameter":
        raise SpecError(f"`{name}` is a Python builtin and cannot be the name of {of}", next="choose another name")
    return name


def _shown(name: str) -> str:
    return name if name.isprintable() else ascii(name)[1:-1]


def _capital(word: str) -> str:
    if word in ACRONYMS:
        return ACRONYMS[word]
    return word.upper() if _BITS.fullmatch(word) else word[:1].upper() + word[1:]


def _pascal_words(name: str) -> list[str]:
    known = sorted({*ACRONYMS.values()}, key=len, reverse=True)
    pattern = "|".join([r"(?:[WAKV]\d+)+", *map(re.escape, known), r"[A-Z][a-z0-9]*", r"[a-z0-9]+"])
    return re.findall(pattern, name)
